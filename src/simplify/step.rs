//! The entries of a trace.

use crate::expr::Expr;

/// One entry: a rule or a built-in step found `before` equal to `after`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Step {
    /// The name of the rule or of the built-in step.
    pub rule: String,
    /// The conditions under which `before` and `after` are equal. Empty if they are equal at all points of the domain.
    pub conditions: Vec<Expr>,
    /// The expression that was matched, with operands in their cheapest form.
    pub before: Expr,
    /// The expression that replaces it.
    pub after: Expr,
}
