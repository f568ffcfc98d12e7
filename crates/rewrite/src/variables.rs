//! The variables of an expression.

use quaff::expr::{Expr, Op};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The variables of `expr`, each once.
pub(crate) fn variables_of(expr: &Expr) -> Vec<Arc<str>> {
    let (mut found, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![expr]);
    while let Some(e) = stack.pop() {
        if !seen.insert(e.address()) {
            continue;
        }
        match e.op() {
            Op::Var(name) if !found.contains(name) => found.push(name.clone()),
            _ => stack.extend(e.args()),
        }
    }
    found
}
