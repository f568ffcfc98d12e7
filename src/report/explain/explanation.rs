//! An explanation as a whole.

use super::steps::Explained;
use crate::expr::Expr;
use crate::quasi::{Decision, Verdict};
use crate::simplify::Simplified;

/// How an answer follows from its input; made by [`Simplifier::explain`](crate::Simplifier::explain).
///
/// The first step brings the input to normal form (unless it is), the last one chooses the cheapest form. The steps in
/// between are the rules without which the answer would be another one, in the order in which they fired, on the parts
/// that they fired on, and what the engine concluded without a rule. What they found equal merges, sums of it are
/// multiplied out and merge in turn: that is no step. Where parts were looked at under the conditions they are used
/// under, there is a step for each, with steps of its own, then one that puts them in place, and the same once more.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub(super) input: Expr,
    pub(super) answer: Simplified,
    pub(super) steps: Vec<Explained>,
    pub(super) check: Decision,
    pub(super) shortened: Vec<Shortened>,
}

/// What a limit left out of an [`Explanation`], whose answer it does not concern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shortened {
    /// Rules were not left out one by one: the answer may not need some that are shown.
    AllRules {
        /// How many fired.
        fired: usize,
    },
    /// Firings are not shown.
    Steps {
        /// How many.
        left_out: usize,
    },
    /// Steps were not checked, after those before took all the work that is allowed for checks.
    Checks {
        /// How many.
        left_out: usize,
    },
}

impl Explanation {
    /// What was asked.
    pub fn input(&self) -> &Expr {
        &self.input
    }

    /// What is explained.
    pub fn answer(&self) -> &Simplified {
        &self.answer
    }

    /// From the input to the answer.
    pub fn steps(&self) -> &[Explained] {
        &self.steps
    }

    /// What the exact procedure says of input and answer.
    pub fn check(&self) -> &Decision {
        &self.check
    }

    /// What limits left out; empty for all but large inputs.
    pub fn shortened(&self) -> &[Shortened] {
        &self.shortened
    }

    /// Whether the answer and every step were found right.
    pub fn is_checked(&self) -> bool {
        self.checks().all(|d| d.verdict == Verdict::Equal)
    }

    /// Whether the answer or a step was found wrong: a bug, in a rule or in this library.
    pub fn is_wrong(&self) -> bool {
        self.checks().any(|d| matches!(d.verdict, Verdict::Differs { .. }))
    }

    fn checks(&self) -> impl Iterator<Item = &Decision> {
        let inner = self.steps.iter().flat_map(|s| s.steps.iter().map(|s| &s.check));
        self.steps.iter().map(|s| &s.check).chain(inner).chain([&self.check])
    }
}
