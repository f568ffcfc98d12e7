//! Runs one rule set on one corpus and records the cost and the text of every answer.

use super::corpus::{Case, Corpus, Question};
use super::times::Times;
use quaff::access::{Access, Gate, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{DISPLAY_LIMIT, Dag, Expr, int};
use quaff::inspect::{Work, work};
use quaff::rules::RuleSet;
use quaff::{Simplified, Simplifier, SimplifyError};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An answer of the simplifier: its figures and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The cost of the answer.
    pub cost: Cost,
    /// The number of `//` and `%` in the answer. A shared operation counts once.
    pub divisions: u32,
    /// The number of e-nodes that all searches of the call created.
    pub nodes: u64,
    /// The number of executed rule instructions in all searches, as [`inspect::work`](quaff::inspect::work) counts
    /// them.
    pub work: u64,
    /// The answer as an expression, or the answers for the accesses, as text.
    pub text: Arc<str>,
}

/// The results of the cases of a corpus under one rule set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// The answers in the order of the corpus. For a case without an answer, the item is the reason.
    pub answers: Vec<Result<Answer, String>>,
    /// The work of all searches.
    pub work: Work,
    /// The times of this rule set and of the base rule set, if they are measured.
    pub times: Option<Times>,
}

impl Run {
    /// The total cost of all answers.
    pub(super) fn cost(&self) -> Cost {
        self.answers.iter().flatten().fold(Cost::ZERO, |sum, a| sum + a.cost)
    }

    /// Whether the two runs have the same number of cases.
    pub(super) fn is_like(&self, other: &Run) -> bool {
        self.answers.len() == other.answers.len()
    }
}

/// The key of a stored run: the values that determine its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Key {
    /// The name of the program.
    pub(super) engine: String,
    /// The hash of the rules of the base. The texts of answers are stored only if they differ from those with these
    /// rules.
    pub(super) base: String,
    pub(super) rules: String,
    /// The stages of the engine that are left out. The text is empty if there are none.
    #[serde(default)]
    pub(super) stage: String,
    pub(super) corpus: String,
    /// The number of rounds in which times are measured, and 0 if times are not measured.
    #[serde(default)]
    pub(super) timed: u32,
}

/// A hash of the text of the rules, in order.
pub(super) fn key_of(rules: &RuleSet) -> String {
    let mut hasher = DefaultHasher::new();
    for r in rules.rules() {
        r.text().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Runs `corpus` on all threads of the pool. `done` is called for every finished case.
pub(super) fn run(simplifier: &Simplifier, corpus: &Corpus, done: &(dyn Fn() + Sync)) -> Run {
    let one = |case: &Case| {
        let ((answered, _), work) = work(simplifier, |counted| answered(counted, case));
        done();
        (answered.map(|answer| answer.answer(&work)), work)
    };
    let outcomes: Vec<(Result<Answer, String>, Work)> = corpus.cases().par_iter().map(one).collect();
    let mut all = Work::default();
    outcomes.iter().for_each(|(_, work)| all.add(work));
    Run { answers: outcomes.into_iter().map(|o| o.0).collect(), work: all, times: None }
}

/// The answer of one call of the simplifier, or the reason why there is none, and the time of the call.
pub(super) fn answered(simplifier: &Simplifier, case: &Case) -> (Result<Answered, String>, Duration) {
    let start = Instant::now();
    // after a panic, the shared rules and limits are still valid, because calls only read them
    let outcome = catch_unwind(AssertUnwindSafe(|| case.question.answer(simplifier, &case.domain)));
    // the time excludes the check of the answers, which is made only for rules of the user
    let simplifying = |answered: &Result<Answered, _>| answered.as_ref().ok().and_then(Answered::elapsed);
    let time = outcome.as_ref().ok().and_then(simplifying).unwrap_or_else(|| start.elapsed());
    let answer = match outcome {
        Ok(answer) => answer.map_err(|e| e.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(format!("internal error: {}", text.unwrap_or("a panic")))
        }
    };
    (answer, time)
}

/// The answer to the question of a case.
pub(super) enum Answered {
    Expr(Box<Simplified>),
    Accesses(Box<SimplifiedAccesses>),
}

impl Question {
    fn answer(&self, simplifier: &Simplifier, domain: &Domain) -> Result<Answered, SimplifyError> {
        Ok(match self {
            Question::Expr(expr) => Answered::Expr(simplifier.simplify(expr, domain)?.into()),
            Question::Accesses(accesses) => Answered::Accesses(simplifier.simplify_accesses(accesses, domain)?.into()),
        })
    }
}

impl Answered {
    /// The time of the simplification without checks of the answer, if it is known.
    fn elapsed(&self) -> Option<Duration> {
        match self {
            Answered::Expr(answer) => Some(answer.elapsed()),
            Answered::Accesses(_) => None,
        }
    }

    fn answer(&self, work: &Work) -> Answer {
        let (cost, exprs) = match self {
            Answered::Expr(answer) => (answer.cost(), vec![answer.expr().clone()]),
            Answered::Accesses(answer) => (answer.cost(), answer.accesses().iter().flat_map(parts).collect()),
        };
        let text = |e: &Expr| e.to_infix(DISPLAY_LIMIT).unwrap_or_else(|e| format!("({e})"));
        let text = exprs.iter().map(text).collect::<Vec<_>>().join("; ").into();
        Answer { cost, divisions: divisions(&exprs), nodes: work.nodes(), work: work.instructions(), text }
    }
}

/// The indices of an access, followed by its gate.
fn parts(access: &Access) -> Vec<Expr> {
    let gate = match access.gate() {
        Gate::Always => None,
        Gate::Never => Some(int(0)),
        Gate::When(condition) => Some(condition.clone()),
    };
    access.lanes().iter().cloned().chain(gate).collect()
}

/// The number of `//` and `%` in `exprs`. A shared operation counts once.
fn divisions(exprs: &[Expr]) -> u32 {
    Dag::new(exprs).nodes().iter().filter(|n| n.op.is_division()).count() as u32
}
