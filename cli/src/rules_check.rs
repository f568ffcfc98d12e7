//! `quaff rules check`: whether the rules are right.

use crate::exact::point;
use crate::json;
use crate::output::write_whole;
use crate::proofs::{Entry, FILE, Record, Recorded};
use crate::report::{Failure, Problem, io_failure};
use crate::rule_folders::rule_set;
use clap::Args;
use miette::Diagnostic;
use quaff::check::{Counterexample, Options, RuleReport, SHIPPED_RECORD, Status, check_among, check_rule, mutants};
use quaff::rules::{Rule, RuleSet};
use quaff_lab::proof::{Prover, laws};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Instances of a rule without a guard: as many as show that every guard that is needed is.
const MUTANT_TRIES: usize = 3_000;

/// Try every rule on instances made from its text, and prove it where a solver can
///
/// Fails unless each rule fires, changes something or says why it is kept, and none is ever wrong. A rule that was proved for all
/// integers is `sound`. One that was tried on instances only is `not refuted`: it may be wrong for numbers that were not tried. Instances
/// include the numbers in a rule's text, their neighbours and large ones. Remarks say which rules
/// make things costlier without a reason and which the others replace; they fail nothing. What was proved before
/// stands in `proofs.json` beside the rules and holds as long as a rule's text does; for the others z3 and cvc5 are asked,
/// when they are on the path.
#[derive(Args)]
pub(crate) struct Arguments {
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
    /// Seconds a solver may take for one question; 0 asks none
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    smt_timeout: u64,
    /// Check the rules that are new or changed, and each of them without each guard, and write `DIR/proofs.json`; without a
    /// solver on the path, a rule is recorded as tried on instances only, and the next `--record` with one proves it
    #[arg(long, requires = "rules", conflicts_with_all = ["only", "recorded"])]
    record: bool,
    /// Rely on no record: ask the solvers about all rules
    #[arg(long, conflicts_with = "recorded")]
    all: bool,
    /// Check nothing anew: only whether the record is about the rules as they are
    #[arg(long, conflicts_with = "only")]
    recorded: bool,
    /// One JSON object a rule
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{count} rules are wrong or without effect")]
#[diagnostic(
    code(quaff::rules::failed),
    help("a rule passes if it fires, changes something or says why it is kept, and is not refuted")
)]
struct Failed {
    count: usize,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the record of what was checked is not about these rules")]
#[diagnostic(code(quaff::rules::stale))]
struct Stale;

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let set = rule_set(args.rules.as_deref())?;
    let record = recorded(args.rules.as_deref())?;
    let mut out = String::new();
    let refused = if args.recorded {
        let complaints = record.complaints(&set);
        complaints.iter().for_each(|c| out.extend([c, "\n"]));
        if complaints.is_empty() {
            let _ = writeln!(out, "{} rules, all recorded", set.rules().len());
        }
        (!complaints.is_empty()).then(|| Problem::new(&Stale))
    } else {
        let prover = Prover::installed(Duration::from_secs(args.smt_timeout));
        check(args, &set, record, prover.as_ref(), &mut out)?
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    for solver in Prover::silent() {
        eprintln!("quaff: {} did not answer in time and was ended; it is not asked any more", solver.display());
    }
    refused.map_or(Ok(()), |p| Err(p.into()))
}

fn check(
    args: &Arguments,
    set: &RuleSet,
    mut record: Record,
    prover: Option<&Prover>,
    out: &mut String,
) -> Result<Option<Problem>, Failure> {
    let mut options = Options::default();
    (options.fired, options.tries, options.seed) = (args.instances, args.instances.saturating_mul(30), args.seed);
    let wanted = |r: &Rule| match args.record {
        // what was recorded without a solver is asked again where there is one
        true => args.all || record.of(r).is_none_or(|e| prover.is_some() && e.is_unasked()),
        false => args.only.as_ref().is_none_or(|o| r.name().contains(o.as_str())),
    };
    let chosen: Vec<&Rule> = set.rules().iter().filter(|r| wanted(r)).collect();
    let checked: Vec<_> = chosen
        .par_iter()
        .map(|r| {
            let report = check_among(r, set, &options);
            let may_be_asked = |e: &&Entry| prover.is_some() && e.is_unasked();
            let known = record.of(r).filter(|e| !(args.record || args.all || may_be_asked(e)));
            let proof = match (known, prover) {
                _ if report.status == Status::Unsound => Recorded::Wrong,
                (Some(entry), _) => entry.proof().clone(),
                (None, Some(prover)) => prover.prove(r).into(),
                (None, None) => Recorded::Unasked,
            };
            let guards = match args.record && report.passed() {
                true => guards(r, &options, prover),
                false => BTreeMap::new(),
            };
            (*r, report, proof, guards)
        })
        .collect();
    let (mut bad, mut proved) = (0, 0);
    for (rule, report, proof, guards) in checked {
        bad += usize::from(!report.passed());
        proved += usize::from(matches!(proof, Recorded::Proved { .. }));
        let _ = match args.json {
            true => write!(out, "{}", json::line(&RuleJson::new(&report, &proof))),
            false => {
                let text = report.to_string();
                let text = text.strip_prefix(report.status.as_str()).unwrap_or(&text);
                writeln!(out, "{}{text}\n  {proof}", Entry::status(&report, &proof))
            }
        };
        if report.passed() {
            record.insert(rule.name(), Entry::new(rule, &report, proof, guards));
        }
    }
    if record.has_normal_forms() {
        bad += check_laws(args, &mut record, prover, out);
    }
    if !args.json {
        let count = chosen.len();
        let _ = writeln!(out, "{count} rules, {proved} of them proved for all integers, {bad} wrong or without effect");
    }
    if let (true, Some(folder)) = (args.record, &args.rules) {
        record.keep(set);
        write_whole(&folder.join(FILE), |out| out.write_all(record.text().as_bytes()))?;
    }
    Ok((bad > 0).then(|| Problem::new(&Failed { count: bad })))
}

/// Proves the laws behind normal forms that are new or changed; answers how many are refuted.
fn check_laws(args: &Arguments, record: &mut Record, prover: Option<&Prover>, out: &mut String) -> usize {
    let mut bad = 0;
    for law in laws() {
        let known =
            record.of_law(&law).filter(|k| !args.all && (prover.is_none() || **k != Recorded::Unasked)).cloned();
        if args.record && known.is_some() || args.only.as_ref().is_some_and(|o| !law.name().contains(o.as_str())) {
            continue;
        }
        let proof = known.unwrap_or_else(|| prover.map_or(Recorded::Unasked, |p| p.prove_law(&law).into()));
        bad += usize::from(matches!(proof, Recorded::Open { .. }));
        if !args.json {
            let _ = writeln!(out, "normal form\t{}\t{law}\n  {proof}", law.name());
        }
        record.insert_law(&law, proof);
    }
    bad
}

/// What leaving out each guard does: the mutant is wrong, or a solver says that it is not.
fn guards(rule: &Rule, options: &Options, prover: Option<&Prover>) -> BTreeMap<String, Recorded> {
    let mut options = options.clone();
    options.tries = MUTANT_TRIES;
    let found = mutants(rule).into_par_iter().map(|m| {
        let found = match check_rule(m.rule(), &options).status {
            Status::Unsound => Recorded::Wrong,
            _ => prover.map_or(Recorded::Unasked, |p| p.prove(m.rule()).into()),
        };
        (m.guard().to_string(), found)
    });
    found.collect()
}

/// What is recorded for the rules of `folder`, or for the built-in ones; nothing where there is no record.
fn recorded(folder: Option<&Path>) -> Result<Record, Failure> {
    let Some(folder) = folder else { return Ok(Record::read(SHIPPED_RECORD).unwrap_or_default()) };
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(Record::default());
    }
    let text = std::fs::read_to_string(&path).map_err(io_failure(&path))?;
    // a record that cannot be read says nothing
    Ok(Record::read(&text).unwrap_or_default())
}

/// What `--json` prints of a rule.
#[derive(Serialize)]
struct RuleJson<'a> {
    rule: &'a str,
    /// File, line and column.
    place: String,
    status: &'static str,
    /// Why it is kept although it changes nothing.
    because: Option<&'a str>,
    /// Instances that were made, and those of them on which it fired.
    tried: usize,
    fired: usize,
    /// Further ones on which it fired, with the numbers in its text, their neighbours and large ones.
    fired_on_numbers: usize,
    /// Steps that were decided, and those that were compared at points only.
    decided: usize,
    sampled: usize,
    /// Instances that it made costlier.
    costlier: usize,
    /// Instances on which the other rules do the same.
    subsumed: Option<usize>,
    remarks: Vec<String>,
    proof: &'a Recorded,
    counterexample: Option<CounterexampleJson<'a>>,
}

/// An instance on which a rule is wrong.
#[derive(Serialize)]
struct CounterexampleJson<'a> {
    input: String,
    domain: &'a [String],
    before: String,
    after: String,
    /// Variables and their values.
    point: Map<String, Value>,
    /// The values there; in place of one that does not exist, why it does not.
    value_before: String,
    value_after: String,
}

impl<'a> RuleJson<'a> {
    fn new(r: &'a RuleReport, proof: &'a Recorded) -> RuleJson<'a> {
        RuleJson {
            rule: &r.name,
            place: format!("{}:{}", r.file, r.position),
            status: Entry::status(r, proof),
            because: r.because.as_deref(),
            tried: r.tried,
            fired: r.fired,
            fired_on_numbers: r.fired_on_numbers,
            decided: r.decided,
            sampled: r.sampled,
            costlier: r.costlier,
            subsumed: r.subsumed,
            remarks: r.remarks(),
            proof,
            counterexample: r.counterexample.as_ref().map(CounterexampleJson::from),
        }
    }
}

impl<'a> From<&'a Counterexample> for CounterexampleJson<'a> {
    fn from(c: &'a Counterexample) -> CounterexampleJson<'a> {
        CounterexampleJson {
            input: c.input.to_string(),
            domain: &c.domain,
            before: c.before.to_string(),
            after: c.after.to_string(),
            point: point(c.witness.values()),
            value_before: c.witness.first().to_string(),
            value_after: c.witness.second().map_or_else(|e| e.to_string(), |v| v.to_string()),
        }
    }
}
