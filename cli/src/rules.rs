//! `quaff rules`: lists and shows the rules.

use crate::report::{Failure, io_failure};
use crate::rule_folders::{known, rule_set};
use crate::{ablate, rules_check, rules_export, rules_import, stats};
use clap::Subcommand;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quaff rules list
  quaff rules show div-split-multiple
  quaff rules list --rules my-rules/
  quaff rules check my-rules/
  quaff rules check my-rules/ --record
  quaff rules stats cases.jsonl
  quaff rules ablate cases.jsonl -o ablation/
  quaff rules export --to egglog -o rules.egg
  quaff rules import synthesised.txt -o my-rules/ --corpus cases.jsonl";

/// List, check, prove, measure and exchange rules
#[derive(Subcommand)]
#[command(after_help = EXAMPLES)]
pub(crate) enum Command {
    /// List all rules: name, place and reason, separated by tabs
    List {
        /// Use the rules of this folder instead of the built-in rules
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
    },
    /// Show the text of one rule
    Show {
        /// The name of the rule
        name: String,
        /// Use the rules of this folder instead of the built-in rules
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
    },
    Check(rules_check::Arguments),
    Stats(stats::Arguments),
    Ablate(ablate::Arguments),
    Export(rules_export::Arguments),
    Import(rules_import::Arguments),
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    let mut out = String::new();
    match command {
        Command::List { rules } => {
            for r in rule_set(rules.as_deref())?.rules() {
                let _ = writeln!(out, "{}\t{}:{}\t{}", r.name(), r.file(), r.position(), r.reason());
            }
        }
        Command::Show { name, rules } => {
            let set = rule_set(rules.as_deref())?;
            let rule = known(&set, name)?;
            let _ = writeln!(out, "; {}:{}\n{}", rule.file(), rule.position(), laid_out(rule.text()));
        }
        Command::Check(args) => return rules_check::run(args),
        Command::Stats(a) => return stats::run(a),
        Command::Ablate(a) => return ablate::run(a),
        Command::Export(a) => return rules_export::run(a),
        Command::Import(a) => return rules_import::run(a),
    }
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The text of a rule with one clause a line.
fn laid_out(text: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' if !quoted => {
                if depth == 1 {
                    out.truncate(out.trim_end().len());
                    out.push_str("\n  ");
                }
                depth += 1;
            }
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        out.push(c);
    }
    out
}
