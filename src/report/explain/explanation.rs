//! The type of a whole explanation.

use super::steps::Explained;
use crate::expr::Expr;
use crate::quasi::{Decision, Verdict};
use crate::simplify::Simplified;

/// The derivation of an answer from its input. [`Simplifier::explain`](crate::Simplifier::explain) returns it.
///
/// The first step brings the input to normal form, unless the input is in normal form. The last step chooses the
/// cheapest form. The steps in between are of two kinds. The engine takes some steps without a rule. The other steps
/// are those of the *needed* rules, without which the answer would differ. The steps of rules are in the order in which
/// they fired, with the parts (sub-expressions) on which they fired. When a rule finds two parts equal, the e-classes
/// of the parts merge. Sums that contain merged parts may then merge as well, which is not shown as a step. A part that
/// was simplified under conditions has one step, which contains steps of its own. Then one step inserts these parts in
/// their places, and the same sequence follows for the result.
#[derive(Clone, Debug)]
pub struct Explanation {
    pub(super) input: Expr,
    pub(super) answer: Simplified,
    pub(super) steps: Vec<Explained>,
    pub(super) check: Decision,
    pub(super) shortened: Vec<Shortened>,
}

/// A part of an [`Explanation`] that a limit left out. The answer is not affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shortened {
    /// It would have taken too long to test which rules the answer needs. So all rules that fired are shown, and the
    /// answer may not need some of them.
    AllRules {
        /// The number of rules that fired.
        fired: usize,
    },
    /// Some firings are not shown.
    Steps {
        /// The number of these firings.
        left_out: usize,
    },
    /// Some steps were not checked, because earlier steps used all the work that is permitted for checks.
    Checks {
        /// The number of these steps.
        left_out: usize,
    },
}

impl Explanation {
    /// The input expression.
    pub fn input(&self) -> &Expr {
        &self.input
    }

    /// The explained answer.
    pub fn answer(&self) -> &Simplified {
        &self.answer
    }

    /// The steps from the input to the answer.
    pub fn steps(&self) -> &[Explained] {
        &self.steps
    }

    /// The verdict of the exact procedure on the input and the answer.
    pub fn check(&self) -> &Decision {
        &self.check
    }

    /// The parts that limits left out. The list is empty except for large inputs.
    pub fn shortened(&self) -> &[Shortened] {
        &self.shortened
    }

    /// Whether the checks found the answer and every step correct.
    pub fn is_checked(&self) -> bool {
        self.checks().all(|d| d.verdict == Verdict::Equal)
    }

    /// Whether a check found the answer or a step wrong. A wrong step is a bug in a rule or in this library.
    pub fn is_wrong(&self) -> bool {
        self.checks().any(|d| matches!(d.verdict, Verdict::Differs { .. }))
    }

    fn checks(&self) -> impl Iterator<Item = &Decision> {
        let inner = self.steps.iter().flat_map(|s| s.steps.iter().map(|s| &s.check));
        self.steps.iter().map(|s| &s.check).chain(inner).chain([&self.check])
    }
}
