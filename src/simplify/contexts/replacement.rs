//! What is replaced in an expression, and why.

use crate::expr::Expr;
use crate::simplify::derivation::Pass;
use std::rc::Rc;

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
