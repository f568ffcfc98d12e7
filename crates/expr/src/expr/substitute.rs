//! Expressions with other expressions in the place of variables.

use super::{Dag, Expr, int};

/// `e` with `by` in the place of `variable`. Linear in the shared nodes.
pub fn substituted(e: &Expr, variable: &str, by: &Expr) -> Expr {
    let new = substituted_all(std::slice::from_ref(e), |name| (name == variable).then(|| by.clone()));
    new.into_iter().next().unwrap_or_else(|| int(0))
}

/// `roots` with other expressions in the place of the variables of which `value_of` says one. Parts without such variables stay the same
/// nodes. Linear in the shared nodes.
pub fn substituted_all(roots: &[Expr], value_of: impl Fn(&str) -> Option<Expr>) -> Vec<Expr> {
    let dag = Dag::with_origins(roots);
    dag.rebuilt(|id, _| dag.nodes()[id as usize].as_variable().and_then(|name| value_of(name)))
}
