//! `quaff rules`: what the rules are.

use crate::report::{Failure, Problem, io_failure};
use crate::{ablate, stats};
use clap::Subcommand;
use miette::Diagnostic;
use quaff::rules::{Rule, RuleSet};
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
  quaff rules ablate cases.jsonl -o ablation/";

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
    Check(crate::rules_check::Arguments),
    Stats(stats::Arguments),
    Ablate(ablate::Arguments),
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
            let rule = known(&set, name)?;
            let _ = writeln!(out, "; {}:{}\n{}", rule.file(), rule.place(), laid_out(rule.text()));
        }
        Command::Check(args) => return crate::rules_check::run(args),
        Command::Stats(a) => return stats::run(a),
        Command::Ablate(a) => return ablate::run(a),
    }
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The rule of this name, or an error that lists names like it.
pub(crate) fn known<'a>(set: &'a RuleSet, name: &str) -> Result<&'a Rule, Failure> {
    /// Names are alike from here on, on a scale from 0 to 1.
    const ALIKE: f64 = 0.85;
    set.get(name).ok_or_else(|| {
        let likeness = |rule: &str| match rule.contains(name) {
            true => 1.0,
            false => strsim::jaro_winkler(rule, name),
        };
        let mut near: Vec<(f64, &str)> = set.rules().iter().map(|r| (likeness(r.name()), r.name())).collect();
        near.retain(|n| n.0 >= ALIKE);
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let near: Vec<&str> = near.iter().take(5).map(|n| n.1).collect();
        let help = match near.is_empty() {
            true => "`quaff rules list` names all rules".into(),
            false => format!("similar names: {}", near.join(", ")),
        };
        Problem::new(&UnknownRule { name: name.into(), help }).into()
    })
}

/// Where the rules of a run come from.
#[derive(clap::Args)]
pub(crate) struct RuleFolders {
    /// Use the rules of this folder in place of the built-in ones
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,

    /// Use the rules of this folder as well; one of the same name replaces the other
    #[arg(long, value_name = "DIR")]
    add_rules: Option<PathBuf>,
}

impl RuleFolders {
    /// The rules of both folders together.
    pub(crate) fn set(&self) -> Result<RuleSet, Failure> {
        let set = rule_set(self.rules.as_deref())?;
        Ok(match &self.add_rules {
            Some(folder) => set.and(RuleSet::load(folder)?),
            None => set,
        })
    }
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
