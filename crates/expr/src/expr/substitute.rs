//! Substitution of expressions for variables.

use super::{Dag, Expr, int};

/// `e` with `by` substituted for `variable`. The time is linear in the shared nodes.
pub fn substituted(e: &Expr, variable: &str, by: &Expr) -> Expr {
    let new = substituted_all(std::slice::from_ref(e), |name| (name == variable).then(|| by.clone()));
    new.into_iter().next().unwrap_or_else(|| int(0))
}

/// `roots` with an expression substituted for each variable for which `value_of` returns one. Parts without such
/// variables remain the same nodes. The time is linear in the shared nodes.
pub fn substituted_all(roots: &[Expr], value_of: impl Fn(&str) -> Option<Expr>) -> Vec<Expr> {
    let dag = Dag::with_origins(roots);
    dag.rebuilt(|id, _| dag.nodes()[id as usize].as_variable().and_then(|name| value_of(name)))
}
