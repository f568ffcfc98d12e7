//! Writes expressions as text of bounded length.

use crate::expr::{Dag, Expr};

/// The longest text of one side of a step, in bytes. A chain of n nested remainders, each written as `x - x//n*n`,
/// repeats its operand at each level and so has about 2^n parts.
const MAX_TEXT: usize = 1 << 12;

/// The infix text of `e`. If it would be too long, the text is the size of `e`.
pub(super) fn text(e: &Expr) -> String {
    let parts = || Dag::new(std::slice::from_ref(e)).nodes().len();
    e.to_infix(MAX_TEXT).unwrap_or_else(|_| format!("(an expression of {} different parts)", parts()))
}
