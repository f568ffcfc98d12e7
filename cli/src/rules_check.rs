//! `quaff rules check`: checks that the rules are right.

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
use quaff_draw::page::counted;
use quaff_lab::proof::{Prover, laws};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The number of instances for a rule without one of its guards. With this number, the check finds a wrong instance for
/// each guard that a built-in rule needs.
const MUTANT_TRIES: usize = 3_000;

/// Try every rule on instances made from its text, and prove it if a solver can
///
/// A rule passes if it fires and is never wrong. A rule that changes nothing passes only if it says why it is kept. The command fails if a
/// rule does not pass. A rule that is proved for all integers is `sound`. A rule that is only tried on instances is `not refuted`: it may
/// be wrong for numbers that were not tried. Instances include the numbers in the text of a rule, their neighbours and large numbers.
/// Remarks name rules that make expressions costlier without a reason, and rules that other rules replace. A remark is no failure. Earlier
/// proofs are in `proofs.json` beside the rules. A proof is valid as long as the text of its rule is the same. For rules without a valid
/// proof, the command calls the solvers z3 and cvc5 if they are on the path.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Check the rules of this folder instead of the built-in rules
    #[arg(value_name = "DIR")]
    rules: Option<PathBuf>,
    /// Check only the rules whose names contain this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Try each rule until it has fired on this number of instances
    #[arg(long, value_name = "N", default_value_t = 200)]
    instances: usize,
    /// Seed of the instances
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Seconds that a solver may take for one proof; 0 uses no solver
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    smt_timeout: u64,
    /// Check the new and the changed rules, with all guards and without each single guard, and write `DIR/proofs.json`.
    /// Without a solver on the path, a rule is recorded as tried on instances only. The next `--record` with a solver
    /// proves it
    #[arg(long, requires = "rules", conflicts_with_all = ["only", "recorded"])]
    record: bool,
    /// Ignore earlier proofs, and give all rules to the solvers
    #[arg(long, conflicts_with = "recorded")]
    all: bool,
    /// Check only whether the record matches the present text of the rules
    #[arg(long, conflicts_with = "only")]
    recorded: bool,
    /// Print one JSON object for each rule
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("wrong or without effect: {}", counted(*count, "rule"))]
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
            let _ = writeln!(out, "{}, all recorded", counted(set.rules().len(), "rule"));
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
        // a rule that was recorded without a solver is checked if a solver is available
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
        let _ = writeln!(
            out,
            "{}, {proved} of them proved for all integers, {bad} wrong or without effect",
            counted(count, "rule")
        );
    }
    if let (true, Some(folder)) = (args.record, &args.rules) {
        record.keep(set);
        write_whole(&folder.join(FILE), |out| out.write_all(record.text().as_bytes()))?;
    }
    Ok((bad > 0).then(|| Problem::new(&Failed { count: bad })))
}

/// Proves the laws of normal forms (identities that the engine applies without rules) that are new or changed. Returns
/// the number of laws that are not proved.
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

/// For each guard, the result of checking the rule without the guard. If no wrong instance is found, the solver tries a
/// proof.
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

/// The record of earlier checks for the rules of `folder`, or for the built-in rules. The record is empty if the folder
/// has none.
fn recorded(folder: Option<&Path>) -> Result<Record, Failure> {
    let Some(folder) = folder else { return Ok(Record::read(SHIPPED_RECORD).unwrap_or_default()) };
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(Record::default());
    }
    let text = std::fs::read_to_string(&path).map_err(io_failure(&path))?;
    // a record that cannot be read counts as empty
    Ok(Record::read(&text).unwrap_or_default())
}

/// The output of `--json` for a rule.
#[derive(Serialize)]
struct RuleJson<'a> {
    rule: &'a str,
    /// The file, the line and the column.
    place: String,
    status: &'static str,
    /// The reason for keeping a rule that changes no answer.
    because: Option<&'a str>,
    /// The number of instances, and the number of instances on which the rule fired.
    tried: usize,
    fired: usize,
    /// The number of further instances on which the rule fired. They use the numbers in its text, their neighbours and
    /// large numbers.
    fired_on_numbers: usize,
    /// The number of steps whose correctness was decided, and the number of steps that were compared only at some
    /// points.
    decided: usize,
    sampled: usize,
    /// The number of instances that the rule made costlier.
    costlier: usize,
    /// The number of instances on which the other rules reach the same result without this rule.
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
    /// The variables and their values.
    point: Map<String, Value>,
    /// The values at the point, or the reason why an expression has no value.
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
