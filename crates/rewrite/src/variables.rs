//! The variables of an expression.

use quaff::expr::{Dag, Expr};
use std::sync::Arc;

/// The variables of `expr`, each once.
pub(crate) fn variables_of(expr: &Expr) -> Vec<Arc<str>> {
    Dag::new(std::slice::from_ref(expr)).variables().cloned().collect()
}
