//! `quaff`, the command line: a thin shell over the library. It reads, calls, prints, and holds no algebra.

mod ablate;
mod access;
mod answer;
mod answer_json;
mod answering;
mod ask;
mod banks;
mod banks_input;
mod batch;
mod bench;
mod blame;
mod canonical;
mod coalesce;
mod coalesce_text;
mod corpora;
mod dialect;
mod dims;
mod dims_error;
mod dims_file;
mod dims_read;
mod dims_record;
mod dims_text;
mod exact;
mod explain;
mod explore;
mod input;
mod json;
mod kernel;
mod layout;
mod options;
mod output;
mod parts;
mod program;
mod progress;
mod proofs;
mod report;
mod rewrite;
mod rule_folders;
mod rules;
mod rules_check;
mod rules_export;
mod rules_import;
mod simplify;
mod stats;
mod target;
mod types;
mod types_unroll;
mod variant;
mod verify;
mod view;

use clap::{CommandFactory, Parser, Subcommand};
use report::Failure;
use std::process::ExitCode;

/// Many small e-graphs are built and dropped: a third of a call is spent in the allocator, and this one is faster.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EXIT_CODES: &str = "\
Exit codes:
  0   everything was answered
  1   the input was refused: a bad expression, range or rule file, or lines of a batch (all others are answered);
      `verify` and `rewrite --check` have their own codes
  64  the command line was not understood
  65  a rule of `--rules` or `--add-rules` that is wrong, found by itself or by an answer
  70  an internal error, or another answer that was found wrong: please report it
  74  a file could not be read or written";

/// Simplifies integer index expressions into the cheapest equal ones, free of division.
#[derive(Parser)]
#[command(name = "quaff", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Simplify(simplify::Arguments),
    Access(access::Arguments),
    Types(types::Arguments),
    Banks(banks::Arguments),
    Coalesce(coalesce::Arguments),
    Canonical(canonical::Arguments),
    #[command(subcommand)]
    Ask(ask::Question),
    Kernel(kernel::Arguments),
    Layout(layout::Arguments),
    Rewrite(rewrite::Arguments),
    Batch(batch::Arguments),
    Verify(verify::Arguments),
    Explain(explain::Arguments),
    Egraph(explain::Picture),
    Explore(explore::Arguments),
    Dims(dims::Arguments),
    View(view::Arguments),
    #[command(subcommand)]
    Rules(rules::Command),
    #[command(subcommand)]
    Bench(bench::Command),
}

fn main() -> ExitCode {
    report::install_panic_report();
    let checked = options::check(Cli::command(), std::env::args_os());
    let cli = match checked.and_then(|()| Cli::try_parse()) {
        Ok(cli) => cli,
        Err(e) => {
            // help and version are no errors; a closed pipe is not worth a second message
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { report::USAGE } else { 0 });
        }
    };
    let done = |()| ExitCode::SUCCESS;
    let outcome = match cli.command {
        Command::Simplify(a) => simplify::run(&a).map(done),
        Command::Access(a) => access::run(&a).map(done),
        Command::Types(a) => types::run(&a).map(done),
        Command::Banks(a) => banks::run(&a).map(done),
        Command::Coalesce(a) => coalesce::run(&a).map(done),
        Command::Canonical(a) => canonical::run(&a).map(done),
        Command::Ask(q) => ask::run(&q).map(done),
        Command::Layout(a) => layout::run(&a).map(done),
        Command::Kernel(a) => kernel::run(&a).map(done),
        Command::Rewrite(a) => rewrite::run(&a),
        Command::Batch(a) => batch::run(&a).map(done),
        Command::Verify(a) => verify::run(&a),
        Command::Explain(a) => explain::run(&a).map(done),
        Command::Egraph(a) => explain::picture(&a).map(done),
        Command::Explore(a) => explore::run(&a).map(done),
        Command::Dims(a) => dims::run(&a).map(done),
        Command::View(a) => view::run(&a).map(done),
        Command::Rules(c) => rules::run(&c).map(done),
        Command::Bench(c) => bench::run(&c).map(done),
    };
    match outcome {
        Ok(code) => code,
        // whoever reads the output has seen enough
        Err(Failure::Io { error, .. }) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => report::print(&failure),
    }
}
