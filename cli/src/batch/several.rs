//! Lines with several expressions, or with the accesses of a kernel. They are simplified together, and answered in `outs`.

use super::service::{Notes, Service};
use crate::access::widths;
use crate::answer::{self, CudaJson, Language, Ran};
use crate::answer_json::{CheckedJson, FoundJson};
use crate::blame::{self, Evidence, Wrong};
use crate::report::shortened;
use quaff::access::{Access, Gate};
use quaff::domain::Domain;
use quaff::expr::{DISPLAY_LIMIT, Expr};
use quaff::lower::Sampling;
use quaff::quasi::{Verdict, decide};
use quaff::{Simplified, SimplifyError};
use serde::Serialize;
use std::time::Instant;

/// The answer to a line with several expressions or accesses.
#[derive(Serialize)]
pub(crate) struct SeveralJson {
    /// The answers, in the order of the line. For accesses, they are the indices of all lanes, and a vector counts as
    /// one lane.
    outs: Vec<String>,
    /// The number of elements of each entry of `outs`. Present if some entries are vectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    widths: Vec<u32>,
    /// The mask of each access, if the line has accesses. A mask that always holds is null.
    #[serde(skip_serializing_if = "Option::is_none")]
    masks: Option<Vec<Option<String>>>,
    /// The masks again, under their name in earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    gates: Option<Vec<Option<String>>>,
    #[serde(flatten)]
    found: FoundJson,
    #[serde(flatten)]
    checked: CheckedJson,
}

impl SeveralJson {
    pub(super) fn found(&self) -> &FoundJson {
        &self.found
    }

    /// The answer. A wrong text is left out.
    fn new(
        outs: Vec<String>,
        gates: Option<Vec<Option<String>>>,
        mut found: FoundJson,
        domain: &Domain,
        notes: &mut Notes,
    ) -> SeveralJson {
        withhold_wrong(&mut found.cuda, notes);
        let checked = CheckedJson::new(notes.decision.as_ref(), notes.wrong.as_ref(), domain);
        SeveralJson { outs, widths: Vec::new(), masks: gates.clone(), gates, found, checked }
    }
}

/// Answers `exprs` together.
pub(super) fn expressions(
    service: &Service,
    exprs: &[Expr],
    domain: &Domain,
    notes: &mut Notes,
) -> Result<Result<SeveralJson, SimplifyError>, String> {
    match answered(service, exprs, domain, notes) {
        Ok((answer, us)) => json(&answer, us, exprs, domain, notes).map(Ok),
        Err(refused) => Ok(Err(refused)),
    }
}

/// The answers to `exprs`, and the time in microseconds. If a check finds a wrong answer, the function returns the
/// input in place of the answer.
pub(crate) fn answered(
    service: &Service,
    exprs: &[Expr],
    domain: &Domain,
    notes: &mut Notes,
) -> Result<(Simplified, f64), SimplifyError> {
    let start = Instant::now();
    let answer = service.simplifier.simplify_all(exprs, domain)?;
    let us = start.elapsed().as_nanos() as f64 / 1000.0;
    let pairs = exprs.iter().cloned().zip(answer.exprs().iter().cloned());
    let is_wrong = check(service, pairs.map(|(before, after)| (before, after, domain.clone())).collect(), notes);
    Ok((if is_wrong { answer.with_input_as_answer(exprs) } else { answer }, us))
}

/// The JSON fields of `answer`, which is the answer to `exprs`. If answers are checked, the text of the answer is also
/// evaluated.
pub(crate) fn json(
    answer: &Simplified,
    us: f64,
    exprs: &[Expr],
    domain: &Domain,
    notes: &mut Notes,
) -> Result<SeveralJson, String> {
    if notes.decision.is_some() {
        notes.ran = answer::run(answer, Language::Cuda, exprs, domain);
    }
    Ok(SeveralJson::new(texts(answer.exprs())?, None, FoundJson::new(answer, us), domain, notes))
}

/// Answers the accesses of a kernel.
pub(super) fn accesses(
    service: &Service,
    accesses: &[Access],
    domain: &Domain,
    notes: &mut Notes,
) -> Result<Result<SeveralJson, SimplifyError>, String> {
    let start = Instant::now();
    let answer = service.simplifier.vectorised(accesses, domain).and_then(|accesses| {
        let answer = service.simplifier.simplify_accesses(&accesses, domain)?;
        Ok((accesses, answer))
    });
    let (accesses, answer) = match answer {
        Ok(found) => found,
        Err(refused) => return Ok(Err(refused)),
    };
    let us = start.elapsed().as_nanos() as f64 / 1000.0;
    let pairs: Vec<_> = accesses.iter().zip(answer.accesses()).flat_map(|(a, b)| a.compared_with(b, domain)).collect();
    let is_wrong = check(service, pairs, notes);
    let shown = if is_wrong { &accesses[..] } else { answer.accesses() };
    let gate = |access: &Access| match access.gate() {
        Gate::Always => Ok(None),
        Gate::Never => Ok(Some("0".into())),
        Gate::When(condition) => text(condition).map(Some),
    };
    let cuda = if is_wrong { CudaJson::none("the answer is wrong".into()) } else { CudaJson::new(answer.cuda()) };
    if notes.decision.is_some() && !is_wrong {
        notes.ran = answer.compare_machine(&accesses, domain, Sampling::default()).into();
    }
    let outs = texts(&shown.iter().flat_map(|a| a.lanes().iter().cloned()).collect::<Vec<_>>())?;
    let gates = shown.iter().map(gate).collect::<Result<_, _>>()?;
    let cost = if is_wrong { answer.input_cost() } else { answer.cost() };
    let found = FoundJson { us, cost, input_cost: answer.input_cost(), cuda, stop: answer.stop() };
    let widths = widths(shown);
    Ok(Ok(SeveralJson { widths, ..SeveralJson::new(outs, Some(gates), found, domain, notes) }))
}

/// Removes a text that is wrong.
fn withhold_wrong(cuda: &mut CudaJson, notes: &mut Notes) {
    let Ran::Wrong(mismatch) = &notes.ran else { return };
    *cuda = CudaJson::withheld(mismatch);
    let report = format!(
        "{}: internal error, please report it with the input: its CUDA text is different at {mismatch}\n",
        notes.id
    );
    notes.wrong.get_or_insert(Wrong { report, rules: Vec::new() });
}

/// Whether a pair of `pairs` differs, if answers are checked. Adds to `notes` the decision about the first pair that
/// differs, or else about the first undecided pair.
fn check(service: &Service, pairs: Vec<(Expr, Expr, Domain)>, notes: &mut Notes) -> bool {
    let Some(options) = &service.exact else { return false };
    for (before, after, domain) in &pairs {
        let decision = decide(before, after, domain, options);
        let verdict = &decision.verdict;
        if matches!(verdict, Verdict::Differs { .. }) {
            let evidence = Evidence::Answer(verdict);
            let culprits = service.simplifier.culprits(before, domain, evidence.point(), options);
            let (before, after) = (shortened(&before.to_string()), shortened(&after.to_string()));
            let fault = blame::fault(&culprits);
            let report = format!("{}: {fault}\n{before} became {after}: {verdict}\n", notes.id);
            let rules = culprits.into_iter().map(|c| c.rule).collect();
            notes.wrong = Some(Wrong { report, rules });
            notes.decision = Some(decision);
            return true;
        }
        let is_news = matches!(verdict, Verdict::Undecided { .. });
        if notes.decision.as_ref().is_none_or(|known| is_news && known.verdict == Verdict::Equal) {
            notes.decision = Some(decision);
        }
    }
    false
}

fn texts(exprs: &[Expr]) -> Result<Vec<String>, String> {
    exprs.iter().map(text).collect()
}

fn text(expr: &Expr) -> Result<String, String> {
    expr.to_infix(DISPLAY_LIMIT).map_err(|e| e.to_string())
}
