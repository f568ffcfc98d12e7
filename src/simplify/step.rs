//! The entries of a trace.

use crate::expr::Expr;

/// One entry: a rule, or the engine without one, found `before` equal to `after`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Step {
    /// The rule's name, or that of a step which the engine takes without a rule.
    pub rule: String,
    /// Where it was found so: all points where these hold. Empty for all points of the domain.
    pub conditions: Vec<Expr>,
    /// What it matched, operands in their cheapest form.
    pub before: Expr,
    /// What it wrote.
    pub after: Expr,
}
