//! The parts of an answer in the JSON of `simplify` and `batch`.

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

/// One answer, and the result of its check.
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

    pub(crate) fn found(&self) -> &FoundJson {
        &self.found
    }
}

/// The result of a search, for one answer or for several together.
#[derive(Serialize)]
pub(crate) struct FoundJson {
    /// The time of the search, in microseconds.
    pub(crate) us: f64,
    /// The cost of the answer, in instructions.
    pub(crate) cost: Cost,
    /// The cost of the input as written.
    pub(crate) input_cost: Cost,
    #[serde(flatten)]
    pub(crate) cuda: CudaJson,
    /// The reason why the search ended.
    pub(crate) stop: StopReason,
}

impl FoundJson {
    /// The result for `answer`, which took `us` microseconds.
    pub(crate) fn new(answer: &Simplified, us: f64) -> FoundJson {
        let cuda = CudaJson::new(answer.cuda());
        FoundJson { us, cost: answer.cost(), input_cost: answer.input_cost(), cuda, stop: answer.stop() }
    }

    /// The costs of the input and of the answer, in instructions.
    pub(crate) fn costs(&self) -> [f64; 2] {
        [self.input_cost, self.cost].map(Cost::instructions)
    }
}

/// The result of a check.
#[derive(Serialize)]
pub(crate) struct CheckedJson {
    /// `equal`, `undecided: why` or `wrong: where`. Only present with `--verify`.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<String>,
    /// Whether the caller guarantees that no divisor is 0. The answer may rely on this guarantee.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    defined: bool,
    /// The rules that make the answer wrong.
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

/// Figures about the search for an answer.
#[derive(Serialize)]
pub(crate) struct SearchJson {
    /// The rounds of equality saturation.
    rounds: u32,
    /// The number of e-nodes that the search created.
    nodes: usize,
    /// The parts that need 64 bits, if there is CUDA text.
    #[serde(skip_serializing_if = "Option::is_none")]
    wide: Option<Vec<WideJson>>,
    /// The steps of the search, with `--trace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepJson>>,
}

impl SearchJson {
    /// The figures of the search. The steps are included when `is_traced`.
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
    /// The conditions under which the step was taken.
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
