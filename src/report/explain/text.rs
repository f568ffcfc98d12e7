//! Expressions as text of bounded length.

use crate::expr::{Dag, Expr};

/// The longest text of one side of a step, in bytes: a chain of n remainders, each written by its definition, has 2^n.
const MAX_TEXT: usize = 1 << 12;

/// Infix text, or the size of what would be too long.
pub(super) fn text(e: &Expr) -> String {
    let parts = || Dag::new(std::slice::from_ref(e)).nodes().len();
    e.to_infix(MAX_TEXT).unwrap_or_else(|_| format!("(an expression of {} different parts)", parts()))
}
