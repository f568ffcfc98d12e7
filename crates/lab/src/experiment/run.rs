//! One rule set on one corpus: what every answer costs, and how it reads.

use super::corpus::{Case, Corpus, Question};
use quaff::access::{Access, Gate, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{DISPLAY_LIMIT, Dag, Expr, int};
use quaff::rules::RuleSet;
use quaff::{Simplified, Simplifier, SimplifyError};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An answer in figures and as text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Its cost.
    pub cost: Cost,
    /// `//` and `%` in it, shared ones counted once.
    pub divisions: u32,
    /// E-nodes that were made to find it; 0 for accesses.
    pub nodes: u32,
    /// The expression.
    pub text: Arc<str>,
}

/// What became of the cases of a corpus under one rule set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Run {
    /// The answers, or why there is none, in the order of the corpus.
    pub answers: Vec<Result<Answer, String>>,
    /// Time of all calls together, reading and writing left out.
    pub time: Duration,
}

/// What decides the outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Key {
    /// The program.
    pub(super) engine: String,
    /// The rules that answers are written relative to, and those of the run.
    pub(super) base: String,
    pub(super) rules: String,
    /// The stage that is left out; empty where none is.
    #[serde(default)]
    pub(super) stage: String,
    pub(super) corpus: String,
}

/// A hash of the rules' text, in order.
pub(super) fn key_of(rules: &RuleSet) -> String {
    let mut hasher = DefaultHasher::new();
    for r in rules.rules() {
        r.text().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// Runs `corpus` on all threads of the pool; `done` is told of every case that is ready.
pub(super) fn run(simplifier: &Simplifier, corpus: &Corpus, repeat: u32, done: &(dyn Fn() + Sync)) -> Run {
    let one = |case: &Case| {
        let answered = answered(simplifier, case, repeat);
        done();
        answered
    };
    let outcomes: Vec<(Result<Answer, String>, Duration)> = corpus.cases().par_iter().map(one).collect();
    let time = outcomes.iter().map(|o| o.1).sum();
    Run { answers: outcomes.into_iter().map(|o| o.0).collect(), time }
}

/// The answer and the shortest time of `repeat` calls.
fn answered(simplifier: &Simplifier, case: &Case, repeat: u32) -> (Result<Answer, String>, Duration) {
    let mut best = Duration::MAX;
    let mut last = Err(String::new());
    for _ in 0..repeat.max(1) {
        let start = Instant::now();
        // nothing of a call is kept when it panics; the rules and limits that are shared never change
        let outcome = catch_unwind(AssertUnwindSafe(|| case.question.answer(simplifier, &case.domain)));
        // comparing an answer under own rules with its question is no part of the time
        let simplifying = |answered: &Result<Answered, _>| answered.as_ref().ok().and_then(Answered::elapsed);
        best = best.min(outcome.as_ref().ok().and_then(simplifying).unwrap_or_else(|| start.elapsed()));
        last = match outcome {
            Ok(answer) => answer.map_err(|e| e.to_string()),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
                Err(format!("internal error: {}", text.unwrap_or("a panic")))
            }
        };
    }
    let answer = last.map(|answered| answered.answer());
    (answer, best)
}

/// What a case is answered with.
enum Answered {
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
    /// Time of simplifying alone, where it is known.
    fn elapsed(&self) -> Option<Duration> {
        match self {
            Answered::Expr(answer) => Some(answer.elapsed()),
            Answered::Accesses(_) => None,
        }
    }

    fn answer(&self) -> Answer {
        let (cost, nodes, exprs) = match self {
            Answered::Expr(answer) => (answer.cost(), answer.nodes() as u32, vec![answer.expr().clone()]),
            Answered::Accesses(answer) => (answer.cost(), 0, answer.accesses().iter().flat_map(parts).collect()),
        };
        let text = |e: &Expr| e.to_infix(DISPLAY_LIMIT).unwrap_or_else(|e| format!("({e})"));
        let text = exprs.iter().map(text).collect::<Vec<_>>().join("; ").into();
        Answer { cost, divisions: divisions(&exprs), nodes, text }
    }
}

/// The indices of an access, and its gate.
fn parts(access: &Access) -> Vec<Expr> {
    let gate = match access.gate() {
        Gate::Always => None,
        Gate::Never => Some(int(0)),
        Gate::When(condition) => Some(condition.clone()),
    };
    access.lanes().iter().cloned().chain(gate).collect()
}

/// `//` and `%` in `exprs`, shared ones once.
fn divisions(exprs: &[Expr]) -> u32 {
    Dag::new(exprs).nodes().iter().filter(|n| n.op.is_division()).count() as u32
}
