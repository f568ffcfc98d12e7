//! `quaff rules export`: writes the rules in other languages.

use crate::output::write_whole;
use crate::report::Failure;
use crate::rule_folders::RuleFolders;
use clap::{Args, ValueEnum};
use quaff_lab::exchange::{Language, export};
use quaff_lab::proof::laws;
use std::path::PathBuf;

const EXAMPLES: &str = "\
The head of the text and standard error list the rules and laws that the language cannot express,
grouped by reason.

Examples:
  quaff rules export --to egg -o rules.rs
  quaff rules export --to egglog --rules my-rules/
  quaff rules export --to smt2 | z3 -in -t:1000";

/// Write the rules, and the laws of normal forms, for egg, egglog or an SMT solver
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    rules: RuleFolders,

    /// Language of the text
    #[arg(long, value_enum)]
    to: To,

    /// File for the text
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    /// Rust text with `rewrite!`; conditions are functions of a trait
    Egg,
    /// a program: a datatype and `rewrite` commands
    Egglog,
    /// a script with the queries by which `quaff rules check` proves each rule. A rule is proved if the answer is `unsat`
    Smt2,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let rules = args.rules.set()?;
    let language = match args.to {
        To::Egg => Language::Egg,
        To::Egglog => Language::Egglog,
        To::Smt2 => Language::Smt,
    };
    let export = export(&rules, &laws(), language);
    write_whole(&args.output, |out| out.write_all(export.text.as_bytes()))?;
    let all = export.written.len() + export.left_out.len();
    eprintln!("quaff: {} of {all} rules and laws are written", export.written.len());
    for (why, names) in export.reasons() {
        eprintln!("quaff: {} left out for {why}", names.len());
    }
    Ok(())
}
