//! How a call came to its answer, one pass after another.

use super::answer::{Effort, Simplified};
use super::candidate::InputPrice;
use super::search::Search;
use super::settings::Settings;
use super::step::Step;
use crate::expr::Expr;
use std::rc::Rc;

/// The passes that led to an answer.
pub(crate) struct Derivation {
    /// At least one, each with a cheaper answer than the one before.
    pub(crate) passes: Vec<Pass>,
}

/// One search of all expressions.
pub(crate) struct Pass {
    pub(crate) start: Start,
    /// Its answer, with counts of this pass alone.
    pub(crate) answer: Simplified,
    /// What it did. None where nobody asks for it: it takes memory.
    pub(crate) search: Option<Search>,
}

/// What a pass begins with.
pub(crate) struct Start {
    pub(crate) subject: Subject,
    /// What was simplified under conditions, in order.
    pub(crate) parts: Vec<Refinement>,
    pub(crate) exprs: Vec<Expr>,
}

/// The expressions of which parts were simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The input.
    Input,
    /// The answer of the pass before.
    Answer,
}

/// `before` may be replaced by `after` where `conditions` hold.
pub(crate) struct Refinement {
    pub(crate) reason: RefinementReason,
    pub(crate) conditions: Vec<Expr>,
    pub(crate) before: Expr,
    pub(crate) after: Expr,
    /// The search that found it. None where no search did.
    pub(crate) pass: Option<Rc<Pass>>,
}

/// Why a part may be replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RefinementReason {
    /// It was simplified with the conditions assumed.
    Simplified,
    /// One branch is never chosen.
    BranchUnreachable,
    /// The other clauses never hold (of `or`: never fail) together.
    ClausesContradict,
    /// One clause is decided under the others, and decides the whole.
    ClauseRefuted,
}

impl RefinementReason {
    /// The name, which no rule has.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RefinementReason::Simplified => "under-conditions",
            RefinementReason::BranchUnreachable => "branch-unreachable",
            RefinementReason::ClausesContradict => "clauses-contradict",
            RefinementReason::ClauseRefuted => "clause-refuted",
        }
    }

    /// Why it is right, in one line.
    pub(crate) fn explanation(self) -> &'static str {
        match self {
            RefinementReason::Simplified => "what holds wherever the part is used, taken to be true",
            RefinementReason::BranchUnreachable => "one branch is never chosen",
            RefinementReason::ClausesContradict => "the other clauses never hold (`or`: never fail) together",
            RefinementReason::ClauseRefuted => {
                "a clause that fails with the others (`or`: holds where they fail) decides"
            }
        }
    }
}

impl Start {
    /// The input as it is.
    pub(super) fn input(exprs: &[Expr]) -> Start {
        Start { subject: Subject::Input, parts: Vec::new(), exprs: exprs.to_vec() }
    }
}

impl Derivation {
    pub(super) fn new(first: Pass) -> Derivation {
        Derivation { passes: vec![first] }
    }

    /// The derivation of an `answer` for which nothing was searched.
    pub(super) fn unsearched(answer: Simplified) -> Derivation {
        Derivation::new(Pass { start: Start::input(answer.exprs()), answer, search: None })
    }

    /// This one, or `later` where its answer beats this one's. Both are about the same input; the counts are those of both.
    pub(super) fn or(mut self, mut later: Derivation) -> Derivation {
        if later.last().chosen.beats(&self.last().chosen) {
            let first = &mut later.passes[0].answer;
            first.effort = self.effort().then(first.effort);
            later
        } else {
            let effort = later.effort();
            let last = self.last_mut();
            last.effort = last.effort.then(effort);
            self
        }
    }

    /// The passes that the answer rests on: the last one that began with the input, and those after it.
    pub(crate) fn used(&self) -> &[Pass] {
        let first = self.passes.iter().rposition(|p| p.start.subject == Subject::Input);
        &self.passes[first.unwrap_or(0)..]
    }

    /// The cheapest answer.
    pub(super) fn last(&self) -> &Simplified {
        &self.passes[self.passes.len() - 1].answer
    }

    pub(super) fn last_mut(&mut self) -> &mut Simplified {
        let last = self.passes.len() - 1;
        &mut self.passes[last].answer
    }

    /// What all passes took.
    pub(super) fn effort(&self) -> Effort {
        self.passes[1..].iter().fold(self.passes[0].answer.effort, |effort, p| effort.then(p.answer.effort))
    }

    /// The price of the input.
    pub(super) fn input_price(&self) -> InputPrice {
        self.passes[0].answer.input_price
    }

    /// What was done, in order, in the passes that the answer rests on and in their parts.
    pub(super) fn trace(&self, settings: &Settings) -> Vec<Step> {
        let mut trace = Vec::new();
        for Pass { start, search, .. } in self.used() {
            start.parts.iter().for_each(|part| write_refinement(part, settings, &mut trace));
            trace.extend(search.iter().flat_map(|search| search.trace(settings)));
        }
        trace
    }

    /// The last answer, with the counts of all passes.
    pub(super) fn into_answer(self) -> Simplified {
        let (effort, input_price) = (self.effort(), self.input_price());
        let mut passes = self.passes;
        let last = passes.swap_remove(passes.len() - 1).answer;
        Simplified { input_price, effort, ..last }
    }
}

/// The steps of the search of a part, under its conditions, then the replacement of the part.
fn write_refinement(part: &Refinement, settings: &Settings, trace: &mut Vec<Step>) {
    let Refinement { reason, conditions, before, after, pass } = part;
    if let Some(search) = pass.as_ref().and_then(|pass| pass.search.as_ref()) {
        let steps = search.trace(settings);
        trace.extend(steps.into_iter().map(|s| Step { conditions: conditions.clone(), ..s }));
    }
    let rule = reason.name().to_string();
    trace.push(Step { rule, conditions: conditions.clone(), before: before.clone(), after: after.clone() });
}
