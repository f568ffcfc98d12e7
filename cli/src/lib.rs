//! The command line of quaff. It reads input, calls the library and prints results, and contains no algebra.
//!
//! [`run`] is the program. The Python package also contains it, and [`Explorer`].
//!
//! ```
//! let code = quaff_cli::run(["quaff", "simplify", "x*4//4", "--var", "x=0..9"].map(Into::into), None);
//! assert_eq!(code, 0);
//! ```

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
mod manual;
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
mod usage;
mod variant;
mod verify;
mod view;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub use explore::Explorer;
use output::print_text;
use report::Failure;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0   everything was answered
  1   the input was refused: a bad expression, range or rule file, or lines of a batch (all other
      lines are answered); `verify` and `rewrite --check` have their own codes
  64  the command line was not understood
  65  a rule of `--rules` or `--add-rules` is wrong, as a test of the rule or an answer showed
  70  an internal error, or an answer that is wrong for another reason: please report it
  74  a file could not be read or written
  130 ^C was pressed";

/// Simplifies integer index expressions into the cheapest equal expressions, free of division by constants.
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
    Completions(manual::Completions),
    Man(manual::Man),
    /// Print the version
    #[command(hide = true)]
    Version,
}

/// The definition of the program for clap.
pub(crate) fn program_command() -> clap::Command {
    usage::grouped(Cli::command())
}

/// Runs the program with the arguments `words`, and returns its exit code. The first word is the name of the program.
///
/// `library` is the file that contains the code of the program, if it is not the executable file of the process. It
/// identifies the code, because a long run can only be continued by the code that began it.
///
/// A panic ends the process.
pub fn run(words: impl IntoIterator<Item = OsString>, library: Option<PathBuf>) -> u8 {
    report::install_panic_report();
    if let Some(file) = library {
        program::is_in(file);
    }
    let code = answer(words.into_iter().collect());
    // in a library, the process goes on, and the Rust runtime does not flush standard output
    match std::io::stdout().flush() {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe && code == 0 => report::IO,
        _ => code,
    }
}

fn answer(words: Vec<OsString>) -> u8 {
    let done = |()| 0;
    let mut program = program_command();
    if words.len() < 2 {
        let _ = program.print_help();
        return 0;
    }
    let checked = options::check(program.clone(), words.iter().cloned());
    let matches = checked.and_then(|()| program.try_get_matches_from(words));
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(e) => {
            // help and version are no errors; if standard output is closed, there is no second message
            let _ = e.print();
            return if e.use_stderr() { report::USAGE } else { 0 };
        }
    };
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
        Command::Completions(a) => manual::completions(&a, program_command()).map(done),
        Command::Man(a) => manual::man(&a, program_command()).map(done),
        Command::Version => print_text(concat!("quaff ", env!("CARGO_PKG_VERSION"), "\n")).map(done),
    };
    match outcome {
        Ok(code) => code,
        // the reader closed the output early, which is no error
        Err(Failure::Io { error, .. }) if error.kind() == std::io::ErrorKind::BrokenPipe => 0,
        Err(failure) => report::print(&failure),
    }
}
