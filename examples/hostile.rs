//! Prints the table of docs/trust.md: the time and the memory of comparisons of large expressions, and the limit that
//! ended each comparison.
//!
//! The command is `cargo run --profile dist --example hostile`. Each row runs in its own process, so that its memory
//! can be measured. Memory is known only on systems with `/proc`.

#[path = "../benches/shapes/hostile.rs"]
mod hostile;

use quaff::quasi::{Options, decide};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// The number of parts of an expression, for about a megabyte of text.
const SIZE: usize = 60_000;

fn main() -> ExitCode {
    let classes: Vec<hostile::Class> = hostile::CLASSES.into_iter().chain(hostile::LIMITED).collect();
    let mut arguments = std::env::args().skip(1);
    if let Some(class) = arguments.next().and_then(|at| classes.get(at.parse::<usize>().ok()?)) {
        row(class);
        return ExitCode::SUCCESS;
    }
    println!("| class, {SIZE} parts | text, kB | seconds | memory, MB | verdict |\n|---|---|---|---|---|");
    for (at, (name, _)) in classes.iter().enumerate() {
        let run = std::env::current_exe().and_then(|program| Command::new(program).arg(at.to_string()).status());
        if !run.is_ok_and(|status| status.success()) {
            eprintln!("{name} failed");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn row((name, make): &hostile::Class) {
    let (a, b, domain) = make(SIZE);
    let text = a.to_infix(usize::MAX).map_or(0, |text| text.len());
    let start = Instant::now();
    let decision = decide(&a, &b, &domain, &Options { smt_timeout: Duration::ZERO, ..Options::default() });
    let seconds = start.elapsed().as_secs_f64();
    println!("| {name} | {} | {seconds:.1} | {} | {} |", text.div_ceil(1000), peak(), decision.verdict);
}

/// The greatest memory use of this process.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or_else(|| "unknown".into(), |kilobytes| kilobytes.div_ceil(1024).to_string())
}
