//! Expressions with other expressions in the place of a variable.

use super::{Dag, Expr, Op, int};

/// `e` with `by` in the place of `variable`. Linear in the shared nodes.
pub(crate) fn substituted(e: &Expr, variable: &str, by: &Expr) -> Expr {
    let dag = Dag::new(std::slice::from_ref(e));
    let mut new: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let args = node.args().iter().map(|a| new[*a as usize].clone());
        new.push(match &node.op {
            Op::Var(name) if &**name == variable => by.clone(),
            Op::Var(name) => super::var(name.clone()),
            // the arity is that of the node it comes from
            op => Expr::try_new(op.clone(), args).unwrap_or_else(|_| int(0)),
        });
    }
    new.pop().unwrap_or_else(|| int(0))
}
