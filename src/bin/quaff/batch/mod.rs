//! `quaff batch`: a file of expressions, one JSON object a line, on all cores.

mod line;
mod read;

use crate::exact::{Limits, Tally};
use crate::progress;
use crate::report::{Failure, io_failure};
use crate::rules::RuleFolders;
use clap::Args;
use line::{Line, Service, answer_line};
use quaff::Simplifier;
use rayon::prelude::*;
use read::read_lines;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = r#"Input, one object a line; ends of ranges are inclusive, and may be expressions or null (open):
  {"id": "a", "vars": {"i": [0, 15], "j": [0, 3]}, "expr": "(i*4 + j) // 4"}
  {"id": "b", "vars": {"n": [1, 64], "k": [0, "n - 1"], "x": [0, null]}, "expr": "(x*n + k) % n"}

Output, one object for each line, in the same order:
  {"id": "a", "ok": true, "out": "i", "us": 11.8, "cost": 0.0, "cuda": "return i;", "stop": "saturated"}
  {"id": "b", "ok": false, "why": "..."}

`us` is the time of the simplification alone, in microseconds. `cuda` is null when a value does not fit the machine;
`cuda_why` then says which one. With --verify, `verified` is "equal", "undecided: why" or "wrong: at which point"; where it
is wrong, `out` is the input, standard error has the rules that led there, and the exit code is 70.

Examples:
  quaff batch cases.jsonl -o answers.jsonl
  quaff batch cases.jsonl --verify -o answers.jsonl
  grep conv cases.jsonl | quaff batch - | jq .cost"#;

/// Simplify many expressions
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// File of JSON lines; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// File for the answers; `-` is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,

    /// Threads; 0 means one for each core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0)]
    threads: usize,

    #[command(flatten)]
    rules: RuleFolders,

    /// Check each answer by a procedure that knows nothing of the rules, and count the verdicts on standard error
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    limits: Limits,
}

/// Lines that are read, answered in parallel and written before the next ones are read: enough to keep all cores busy,
/// few enough that memory stays small and a pipe flows.
const CHUNK: usize = 1024;

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let service = Service {
        simplifier: Simplifier::default().with_rules(args.rules.set()?),
        exact: args.verify.then(|| args.limits.on_one_thread()),
    };
    let pool = progress::pool(args.threads)?;
    let standard = Path::new("-");
    let in_error = io_failure(&args.input);
    let out_error = io_failure(&args.output);
    let mut size = None;
    let mut input: Box<dyn BufRead> = if args.input == standard {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(&args.input).map_err(&in_error)?;
        size = file.metadata().ok().map(|m| m.len());
        Box::new(BufReader::new(file))
    };
    let mut output: Box<dyn Write> = if args.output == standard {
        Box::new(BufWriter::new(io::stdout().lock()))
    } else {
        Box::new(BufWriter::new(File::create(&args.output).map_err(&out_error)?))
    };

    let bar = progress::bar(size);
    progress::remember_panics();
    let (mut lines, mut failed, mut tally) = (0, 0, Tally::default());
    loop {
        let chunk = read_lines(&mut input, CHUNK).map_err(&in_error)?;
        if chunk.is_empty() {
            break;
        }
        let answers: Vec<Line> = pool.install(|| chunk.par_iter().map(|l| answer_line(&service, l)).collect());
        for a in &answers {
            output.write_all(a.text.as_bytes()).map_err(&out_error)?;
            failed += usize::from(!a.ok);
            if let Some(d) = &a.decision {
                tally.add(d);
            }
            if !a.bug.is_empty() {
                bar.suspend(|| eprint!("{}", a.bug));
            }
        }
        lines += answers.len();
        bar.inc(chunk.iter().map(|l| l.len() as u64).sum());
        bar.set_message(format!("{lines} lines, {failed} without answer"));
    }
    output.flush().map_err(&out_error)?;
    bar.finish_and_clear();
    if args.verify {
        eprintln!("{tally}");
    }
    if tally.wrong > 0 {
        return Err(Failure::Wrong);
    }
    if failed > 0 {
        Err(Failure::Lines { failed, of: lines, place: "`why` in the output says the reason" })
    } else {
        Ok(())
    }
}
