//! `quaff rules`: what the rules are.

use crate::report::{Failure, Problem, io_failure};
use clap::Subcommand;
use miette::Diagnostic;
use quaff::rules::RuleSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quaff rules list
  quaff rules show div-split-multiple
  quaff rules list --rules my-rules/";

/// Show the rules in use
#[derive(Subcommand)]
#[command(after_help = EXAMPLES)]
pub(crate) enum Command {
    /// All rules: name, place and reason, separated by tabs
    List {
        /// The rules of this folder in place of the built-in ones
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
    },
    /// One rule as it is written
    Show {
        /// Its name
        name: String,
        /// The rules of this folder in place of the built-in ones
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
    },
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("there is no rule `{name}`")]
#[diagnostic(code(quaff::rules::unknown))]
struct UnknownRule {
    name: String,
    #[help]
    help: String,
}

pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    let mut out = String::new();
    match command {
        Command::List { rules } => {
            for r in rule_set(rules.as_deref())?.rules() {
                let _ = writeln!(out, "{}\t{}:{}\t{}", r.name(), r.file(), r.place(), r.reason());
            }
        }
        Command::Show { name, rules } => {
            let set = rule_set(rules.as_deref())?;
            let rule = set.get(name).ok_or_else(|| {
                let near = set.rules().iter().map(|r| r.name()).filter(|r| r.contains(name.as_str()));
                let near: Vec<&str> = near.take(5).collect();
                let help = match near.is_empty() {
                    true => "`quaff rules list` names all rules".into(),
                    false => format!("similar names: {}", near.join(", ")),
                };
                Problem::new(&UnknownRule { name: name.clone(), help })
            })?;
            let _ = writeln!(out, "; {}:{}\n{}", rule.file(), rule.place(), laid_out(rule.text()));
        }
    }
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The rules of `folder`, or the built-in ones.
pub(crate) fn rule_set(folder: Option<&Path>) -> Result<RuleSet, Failure> {
    Ok(match folder {
        Some(folder) => RuleSet::load(folder)?,
        None => RuleSet::shipped().clone(),
    })
}

/// A rule's text with one clause a line.
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
