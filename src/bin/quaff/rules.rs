//! `quaff rules`: what the rules are.

use crate::report::{Failure, Problem, io_failure};
use clap::Subcommand;
use miette::Diagnostic;
use quaff::check::{Options, RuleReport, check_rule};
use quaff::rules::RuleSet;
use rayon::prelude::*;
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quaff rules list
  quaff rules show div-split-multiple
  quaff rules list --rules my-rules/
  quaff rules check my-rules/";

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
    /// Try every rule on instances made from its text; fails unless each one fires and none is ever wrong
    Check {
        /// The rules of this folder in place of the built-in ones
        #[arg(value_name = "DIR")]
        rules: Option<PathBuf>,
        /// Only the rules whose names contain this
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
        /// Instances of each rule on which it fires
        #[arg(long, value_name = "N", default_value_t = 200)]
        instances: usize,
        /// Determines the instances
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
        /// One JSON object a rule
        #[arg(long)]
        json: bool,
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

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{count} rules are not sound or not shown to be")]
#[diagnostic(code(quaff::rules::not_sound))]
struct NotSound {
    count: usize,
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
        Command::Check { .. } => {}
    }
    let refused = match command {
        Command::Check { rules, only, instances, seed, json } => {
            let set = rule_set(rules.as_deref())?;
            let mut options = Options::default();
            (options.fired, options.tries, options.seed) = (*instances, instances.saturating_mul(30), *seed);
            let chosen: Vec<_> =
                set.rules().iter().filter(|r| only.as_ref().is_none_or(|o| r.name().contains(o.as_str()))).collect();
            let reports: Vec<RuleReport> = chosen.par_iter().map(|r| check_rule(r, &options)).collect();
            for r in &reports {
                let _ = if *json { writeln!(out, "{}", as_json(r)) } else { writeln!(out, "{r}") };
            }
            let bad = reports.iter().filter(|r| !r.passed()).count();
            if !json {
                let _ = writeln!(out, "{} rules, {bad} of them not sound or not shown to be", reports.len());
            }
            (bad > 0).then(|| Problem::new(&NotSound { count: bad }))
        }
        _ => None,
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    refused.map_or(Ok(()), |p| Err(p.into()))
}

fn as_json(r: &RuleReport) -> serde_json::Value {
    let counterexample = r.counterexample.as_ref().map(|c| {
        let point = c.witness.values().iter().map(|(n, v)| (n.to_string(), (*v).into())).collect();
        json!({
            "input": c.input.to_string(),
            "domain": c.domain,
            "before": c.before.to_string(),
            "after": c.after.to_string(),
            "point": serde_json::Value::Object(point),
            "value_before": c.witness.first().to_string(),
            "value_after": c.witness.second().map_or_else(|e| e.to_string(), |v| v.to_string()),
        })
    });
    json!({
        "rule": r.name,
        "place": format!("{}:{}", r.file, r.place),
        "status": r.status.as_str(),
        "tried": r.tried,
        "fired": r.fired,
        "decided": r.decided,
        "sampled": r.sampled,
        "counterexample": counterexample,
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
fn rule_set(folder: Option<&Path>) -> Result<RuleSet, Failure> {
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
