//! Expressions with other expressions in the place of variables.

use super::{Dag, Expr, Op, int};

/// `e` with `by` in the place of `variable`. Linear in the shared nodes.
pub fn substituted(e: &Expr, variable: &str, by: &Expr) -> Expr {
    let new = substituted_all(std::slice::from_ref(e), |name| (name == variable).then(|| by.clone()));
    new.into_iter().next().unwrap_or_else(|| int(0))
}

/// `roots` with other expressions in the place of the variables of which `value_of` says one. Parts without such variables stay the same
/// nodes. Linear in the shared nodes.
pub fn substituted_all(roots: &[Expr], value_of: impl Fn(&str) -> Option<Expr>) -> Vec<Expr> {
    let dag = Dag::new(roots);
    let mut new: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
    let mut is_changed: Vec<bool> = Vec::with_capacity(dag.nodes().len());
    for (id, node) in (0..).zip(dag.nodes()) {
        let value = if let Op::Var(name) = &node.op { value_of(name) } else { None };
        is_changed.push(value.is_some() || node.args().iter().any(|&a| is_changed[a as usize]));
        if let (false, Some(same)) = (is_changed[id as usize], dag.expr(id)) {
            new.push(same.clone());
            continue;
        }
        let args = node.args().iter().map(|a| new[*a as usize].clone());
        new.push(match &node.op {
            Op::Var(name) => value.unwrap_or_else(|| super::var(name.clone())),
            // the arity is that of the node it comes from
            op => Expr::try_new(op.clone(), args).unwrap_or_else(|_| int(0)),
        });
    }
    dag.roots().iter().map(|&r| new[r as usize].clone()).collect()
}
