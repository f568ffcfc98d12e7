//! How a call came to its answer, one search after another.

use super::answer::{Effort, Simplified};
use super::refine::{Refined, Refinement, RefinementReason};
use super::step::Step;

/// The searches that led to an answer.
pub(crate) struct Derivation {
    /// May be dearer than the input where revisions follow.
    pub(crate) first: Simplified,
    /// Each cheaper than what was before.
    pub(crate) revisions: Vec<Revision>,
}

/// One more search of the whole, after parts of it were simplified under conditions.
pub(crate) struct Revision {
    pub(crate) parts: Refined,
    pub(crate) subject: Subject,
    /// The answer of that search, with counts and trace of that search alone.
    pub(crate) answer: Simplified,
}

/// The expressions of which parts were simplified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The input, in an order of operands that does not depend on how it was written.
    Input,
    /// The answer before.
    Answer,
}

impl Derivation {
    /// A derivation without revisions.
    pub(super) fn new(first: Simplified) -> Derivation {
        Derivation { first, revisions: Vec::new() }
    }

    /// The cheapest answer so far.
    pub(super) fn last(&self) -> &Simplified {
        self.revisions.last().map_or(&self.first, |r| &r.answer)
    }

    pub(super) fn last_mut(&mut self) -> &mut Simplified {
        self.revisions.last_mut().map_or(&mut self.first, |r| &mut r.answer)
    }

    /// What all its searches took.
    pub(super) fn effort(&self) -> Effort {
        self.revisions.iter().fold(self.first.effort, |effort, r| effort.then(r.answer.effort))
    }

    /// What was done, in order: of the searches that the answer rests on, and of their parts.
    pub(super) fn trace(&self) -> Vec<Step> {
        let mut trace = self.first.trace.clone();
        for Revision { parts, subject, answer } in &self.revisions {
            if *subject == Subject::Input {
                trace.clear();
            }
            parts.steps.iter().for_each(|step| write_refinement(step, &mut trace));
            trace.extend_from_slice(&answer.trace);
        }
        trace
    }

    /// The last answer, with the counts of all searches. Its trace is that of the last search.
    pub(super) fn into_answer(self) -> Simplified {
        let effort = self.effort();
        let Derivation { first, revisions, .. } = self;
        let input_price = first.input_price;
        let last = revisions.into_iter().next_back().map_or(first, |r| r.answer);
        Simplified { input_price, effort, ..last }
    }
}

/// The steps of the search of a part, under its conditions, then the replacement of the part.
fn write_refinement(part: &Refinement, trace: &mut Vec<Step>) {
    let Refinement { reason, conditions, before, after } = part;
    if let RefinementReason::Simplified { trace: inner, .. } = reason {
        trace.extend(inner.iter().map(|s| Step { conditions: conditions.clone(), ..s.clone() }));
    }
    let rule = reason.name().to_string();
    trace.push(Step { rule, conditions: conditions.clone(), before: before.clone(), after: after.clone() });
}
