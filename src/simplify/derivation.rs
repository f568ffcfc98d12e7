//! The derivation of an answer: the passes of a call, in order.

use super::answer::{Effort, Simplified};
use super::candidate::InputPrice;
use super::search::Search;
use super::settings::Settings;
use super::step::Step;
use crate::expr::Expr;
use std::rc::Rc;

/// The passes that led to an answer.
pub(crate) struct Derivation {
    /// The passes, at least one. Each pass has a cheaper answer than the pass before.
    pub(crate) passes: Vec<Pass>,
}

/// One search of all expressions.
pub(crate) struct Pass {
    pub(crate) start: Start,
    /// The answer of the pass. Its counts are those of this pass alone.
    pub(crate) answer: Simplified,
    /// The finished search. `None` if no caller needs it, because it takes memory.
    pub(crate) search: Option<Search>,
}

/// The start of a pass: the expressions that it searches, and the replacements of parts that led to them.
pub(crate) struct Start {
    pub(crate) subject: Subject,
    /// The parts that were simplified under conditions, in order.
    pub(crate) parts: Vec<Refinement>,
    pub(crate) exprs: Vec<Expr>,
}

/// The expressions whose parts were simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The input of the call.
    Input,
    /// The answer of the previous pass.
    Answer,
}

/// A replacement: `before` may be replaced by `after` if `conditions` hold.
pub(crate) struct Refinement {
    pub(crate) reason: RefinementReason,
    pub(crate) conditions: Vec<Expr>,
    pub(crate) before: Expr,
    pub(crate) after: Expr,
    /// The search that found the replacement. `None` if no search was needed.
    pub(crate) pass: Option<Rc<Pass>>,
}

/// The reason why a part may be replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RefinementReason {
    /// The part was simplified with the conditions assumed.
    Simplified,
    /// One branch is never chosen.
    BranchUnreachable,
    /// The other clauses never hold together (in a disjunction: never fail together).
    ClausesContradict,
    /// One clause is decided under the other clauses, and its truth value decides the conjunction or disjunction.
    ClauseRefuted,
}

impl RefinementReason {
    /// The name of the reason. No rule has the same name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RefinementReason::Simplified => "under-conditions",
            RefinementReason::BranchUnreachable => "branch-unreachable",
            RefinementReason::ClausesContradict => "clauses-contradict",
            RefinementReason::ClauseRefuted => "clause-refuted",
        }
    }

    /// The justification, in one line.
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
    /// The start with the unchanged input.
    pub(super) fn input(exprs: &[Expr]) -> Start {
        Start { subject: Subject::Input, parts: Vec::new(), exprs: exprs.to_vec() }
    }
}

impl Derivation {
    pub(super) fn new(first: Pass) -> Derivation {
        Derivation { passes: vec![first] }
    }

    /// The derivation of an `answer` that needed no search.
    pub(super) fn unsearched(answer: Simplified) -> Derivation {
        Derivation::new(Pass { start: Start::input(answer.exprs()), answer, search: None })
    }

    /// The derivation with the cheaper answer, or this one if the answers cost the same. Both must be about the same
    /// input. The counts of rounds and e-nodes are added up.
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

    /// The passes that led to the answer: the last pass that began with the input, and all passes after it.
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

    /// The work of all passes together.
    pub(super) fn effort(&self) -> Effort {
        self.passes[1..].iter().fold(self.passes[0].answer.effort, |effort, p| effort.then(p.answer.effort))
    }

    /// The price of the input.
    pub(super) fn input_price(&self) -> InputPrice {
        self.passes[0].answer.input_price
    }

    /// The steps, in order, of the passes that led to the answer, including the searches of their parts.
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

/// Adds the steps of the search of a part, with its conditions, and then the replacement of the part.
fn write_refinement(part: &Refinement, settings: &Settings, trace: &mut Vec<Step>) {
    let Refinement { reason, conditions, before, after, pass } = part;
    if let Some(search) = pass.as_ref().and_then(|pass| pass.search.as_ref()) {
        let steps = search.trace(settings);
        trace.extend(steps.into_iter().map(|s| Step { conditions: conditions.clone(), ..s }));
    }
    let rule = reason.name().to_string();
    trace.push(Step { rule, conditions: conditions.clone(), before: before.clone(), after: after.clone() });
}
