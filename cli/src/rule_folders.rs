//! The rules of a run: the folders that they come from, and lookup by name.

use crate::proofs::Record;
use crate::report::{Failure, Problem, io_failure};
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::check::{Options, RuleReport, SHIPPED_RECORD, Status, check_rule, fingerprint};
use quaff::egraph::Limits;
use quaff::rules::{Rule, RuleSet};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where the rules of a run come from.
#[derive(clap::Args)]
#[command(next_help_heading = "Rules and search")]
pub(crate) struct RuleFolders {
    /// Use the rules of this folder instead of the built-in rules
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,

    /// Also use the rules of this folder. A rule replaces a rule of the same name
    #[arg(long, value_name = "DIR")]
    add_rules: Option<PathBuf>,

    /// Trust the rules of --rules and --add-rules. Without this option, each rule that is not built in is first tried on instances, and a
    /// wrong rule is an error with exit code 65. Commands that simplify also compare each answer with its input, as --verify of `simplify`
    /// does. A wrong answer is not printed. The rule at fault is named instead, and the exit code is 65
    #[arg(long)]
    trust_rules: bool,
}

/// The rules that answers are found with, and the work that these may take.
#[derive(clap::Args)]
#[command(next_help_heading = "Rules and search")]
pub(crate) struct AnswerRules {
    #[command(flatten)]
    folders: RuleFolders,

    /// Effort of the search for an answer. 0 is one short pass. 1 suits a compiler that simplifies often. 2 and 3 search four and
    /// sixteen times as many forms as 1. An answer never costs more than the answer of a lower effort
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=i64::from(Limits::MAX_EFFORT)))]
    effort: u8,
}

impl AnswerRules {
    /// The effort for an answer, as its number.
    pub(crate) fn effort(&self) -> u8 {
        self.effort
    }

    /// The limits of one answer.
    pub(crate) fn limits(&self) -> Limits {
        Limits::effort(self.effort)
    }

    /// The rules of both folders together.
    pub(crate) fn set(&self) -> Result<RuleSet, Failure> {
        self.folders.set()
    }

    /// Whether answers that are found with `rules` are compared with their inputs.
    pub(crate) fn are_compared(&self, rules: &RuleSet) -> bool {
        !self.folders.trust_rules && rules.own().next().is_some()
    }

    /// `simplifier` with these rules and limits.
    pub(crate) fn given_to(&self, simplifier: Simplifier) -> Result<Simplifier, Failure> {
        let simplifier = simplifier.with_rules(self.set()?).with_limits(self.limits());
        Ok(if self.folders.trust_rules { simplifier.trusting_rules() } else { simplifier })
    }
}

impl RuleFolders {
    /// The rules of both folders together. Rules that are not built in are tried on instances, unless they are trusted.
    pub(crate) fn set(&self) -> Result<RuleSet, Failure> {
        let set = rule_set(self.rules.as_deref())?;
        let set = match &self.add_rules {
            Some(folder) => set.and(loaded(folder)?),
            None => set,
        };
        if !self.trust_rules {
            tried(&set)?;
        }
        Ok(set)
    }

    /// Whether rules are trusted.
    pub(crate) fn trusts(&self) -> bool {
        self.trust_rules
    }
}

/// The limits of the trial of a rule. It ends when the rule has fired on `FIRED` instances, or after `TRIES` instances.
const FIRED: usize = 25;
const TRIES: usize = 600;

/// Tries the rules that the record of the built-in rules does not contain. Each rule is tried once in a process.
///
/// # Errors
/// [`Failure::WrongRule`] if a rule is wrong, after reports about all wrong rules are printed on standard error.
pub(crate) fn tried(set: &RuleSet) -> Result<(), Failure> {
    static NOT_REFUTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let not_refuted = || NOT_REFUTED.lock().unwrap_or_else(PoisonError::into_inner);
    let record = Record::read(SHIPPED_RECORD).unwrap_or_default();
    let of_rule: Vec<(&Rule, String)> = set.own().map(|r| (r, fingerprint(r))).collect();
    let known = not_refuted().clone();
    let new: Vec<_> = of_rule.iter().filter(|(_, text)| !record.knows(text) && !known.contains(text)).collect();
    let mut options = Options::default();
    (options.fired, options.tries) = (FIRED, TRIES);
    let reports: Vec<RuleReport> = new.par_iter().map(|(rule, _)| check_rule(rule, &options)).collect();
    let wrong = |report: &&RuleReport| report.status == Status::Unsound;
    for RuleReport { name, file, position, counterexample, .. } in reports.iter().filter(wrong) {
        let example = counterexample.iter().map(|c| format!("\n  {}", c.to_string().replace('\n', "\n  ")));
        eprintln!("quaff: the rule `{name}` of {file}:{position} is wrong{}", example.collect::<String>());
    }
    if reports.iter().any(|r| wrong(&r)) {
        eprintln!("quaff: no rule was used; `--trust-rules` takes rules for right");
        return Err(Failure::WrongRule);
    }
    not_refuted().extend(new.into_iter().map(|(_, text)| text.clone()));
    Ok(())
}

/// The rules of the files of `folder`.
///
/// # Errors
/// A [`Failure`] if the folder cannot be read, or if a rule in it has an error.
pub(crate) fn loaded(folder: &Path) -> Result<RuleSet, Failure> {
    std::fs::read_dir(folder).map_err(io_failure(folder))?;
    Ok(RuleSet::load(folder)?)
}

/// The rules of `folder`, or the built-in ones.
pub(crate) fn rule_set(folder: Option<&Path>) -> Result<RuleSet, Failure> {
    Ok(match folder {
        Some(folder) => loaded(folder)?,
        None => RuleSet::shipped().clone(),
    })
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("there is no rule `{name}`")]
#[diagnostic(code(quaff::rules::unknown))]
struct UnknownRule {
    name: String,
    #[help]
    help: String,
}

/// The rule called `name`, or an error that lists similar names.
pub(crate) fn known<'a>(set: &'a RuleSet, name: &str) -> Result<&'a Rule, Failure> {
    /// The least similarity to `name` of a listed name, on a scale from 0 to 1.
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
