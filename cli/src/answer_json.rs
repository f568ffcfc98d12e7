//! The parts of what `simplify --json` and `batch` say of answers.

use crate::answer::{CudaJson, WideJson};
use crate::blame::Wrong;
use crate::exact;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::egraph::StopReason;
use quaff::expr::{DISPLAY_LIMIT, TooLarge};
use quaff::quasi::Decision;
use quaff::{Simplified, Step};
use serde::Serialize;

/// One answer, and what came of checking it.
#[derive(Serialize)]
pub(crate) struct OneJson {
    /// The answer as infix text.
    out: String,
    #[serde(flatten)]
    found: FoundJson,
    #[serde(flatten)]
    checked: CheckedJson,
}

impl OneJson {
    pub(crate) fn new(answer: &Simplified, found: FoundJson, checked: CheckedJson) -> Result<OneJson, TooLarge> {
        Ok(OneJson { out: answer.expr().to_infix(DISPLAY_LIMIT)?, found, checked })
    }
}

/// What was found, of one answer or of several together.
#[derive(Serialize)]
pub(crate) struct FoundJson {
    /// Microseconds that simplifying took.
    pub(crate) us: f64,
    /// In instructions.
    pub(crate) cost: Cost,
    /// The cost of the input as it is written.
    pub(crate) input_cost: Cost,
    #[serde(flatten)]
    pub(crate) cuda: CudaJson,
    /// What ended the search.
    pub(crate) stop: StopReason,
}

impl FoundJson {
    /// What there is to say of `answer`, which took the time `us`.
    pub(crate) fn new(answer: &Simplified, us: f64) -> FoundJson {
        let cuda = CudaJson::new(answer.cuda());
        FoundJson { us, cost: answer.cost(), input_cost: answer.input_cost(), cuda, stop: answer.stop() }
    }
}

/// What came of checking.
#[derive(Serialize)]
pub(crate) struct CheckedJson {
    /// `equal`, `undecided: why` or `wrong: where`; with `--verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<String>,
    /// Whether whoever asks vouches that nothing divides by 0: the answer may rely on it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    defined: bool,
    /// Rules that are at fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    wrong_rules: Vec<String>,
}

impl CheckedJson {
    pub(crate) fn new(decision: Option<&Decision>, wrong: Option<&Wrong>, domain: &Domain) -> CheckedJson {
        CheckedJson {
            verified: decision.map(|d| exact::verified(&d.verdict)),
            defined: domain.is_defined(),
            wrong_rules: wrong.map(|w| w.rules.clone()).unwrap_or_default(),
        }
    }
}

/// The way to an answer.
#[derive(Serialize)]
pub(crate) struct SearchJson {
    /// Rounds of saturation.
    rounds: u32,
    /// E-nodes made.
    nodes: usize,
    /// What needs 64 bits; where there is CUDA text.
    #[serde(skip_serializing_if = "Option::is_none")]
    wide: Option<Vec<WideJson>>,
    /// With `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepJson>>,
}

impl SearchJson {
    /// With its steps where the search was traced.
    pub(crate) fn new(answer: &Simplified, is_traced: bool) -> SearchJson {
        SearchJson {
            rounds: answer.rounds(),
            nodes: answer.nodes(),
            wide: answer.wide().ok().map(|wide| WideJson::all(&wide)),
            steps: is_traced.then(|| answer.trace().iter().map(StepJson::from).collect()),
        }
    }
}

/// A rule that fired, or a step of the engine.
#[derive(Serialize)]
struct StepJson {
    rule: String,
    before: String,
    after: String,
    /// What holds where the step was taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<String>,
}

impl From<&Step> for StepJson {
    fn from(step: &Step) -> StepJson {
        StepJson {
            rule: step.rule.to_string(),
            before: step.before.to_string(),
            after: step.after.to_string(),
            conditions: step.conditions.iter().map(|c| c.to_string()).collect(),
        }
    }
}
