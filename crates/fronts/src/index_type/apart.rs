//! Simplifies expressions in the copies of unrolled loops, so that the part that all copies share is computed once.

use super::check::Types;
use super::idx::Idx;
use super::split::Splitter;
use quaff::domain::Domain;
use quaff::expr::{Dag, Expr, Op};
use quaff::internals::instantiated;
use quaff::{Simplified, Simplifier};
use std::sync::Arc;

/// Simplifies `exprs` with the shared part of all copies separated from the constants of each copy. `unrolled` has the
/// variables of completely unrolled loops from 0 on, with their numbers of trips. It is `None` if no operation mixes
/// constants of copies with other values, or if index types cannot separate them. The result may cost more if each
/// operation is counted once.
pub(crate) fn copies_apart(
    exprs: &[Expr],
    unrolled: &[(Arc<str>, i64)],
    domain: &Domain,
    simplifier: &Simplifier,
) -> Option<Simplified> {
    let types = unrolled.iter().try_fold(Types::new(domain).ok()?, |types, (name, trips)| {
        Some(types.with(name.clone(), Idx::unrolled(0, *trips, *trips).ok()?))
    })?;
    if !mixes(exprs, &types) {
        return None;
    }
    let mut splitter = Splitter::new(&types, domain);
    let parts: Vec<Expr> = exprs.iter().map(|e| splitter.split(e).unwrap_or_else(|_| e.clone())).collect();
    // a constant of each copy is simplified alone, because it costs nothing at run time
    let simplified = |e: &Expr| Some(simplifier.simplify(e, domain).ok()?.expr().clone());
    let values: Vec<Expr> = splitter.constants().iter().map(|c| simplified(c.value())).collect::<Option<_>>()?;
    let answer = simplifier.simplify_all(&parts, &splitter.extended()).ok()?;
    let value_of = |name: &str| {
        let at = splitter.constants().iter().position(|c| c.name() == name)?;
        Some(values[at].clone())
    };
    Some(instantiated(answer, value_of, &domain.resolve().ok()?))
}

/// Whether some division or bitwise operation depends both on unrolled variables and on other variables.
fn mixes(exprs: &[Expr], types: &Types) -> bool {
    let dag = Dag::new(exprs);
    // for each node, whether it depends on unrolled variables, and whether it depends on other variables
    let mut depends: Vec<[bool; 2]> = Vec::with_capacity(dag.nodes().len());
    let mut mixes = false;
    for node in dag.nodes() {
        let own = match &node.op {
            Op::Var(name) if types.unrolls(name) => [true, false],
            Op::Var(_) => [false, true],
            _ => node.args().iter().map(|&a| depends[a as usize]).fold([false; 2], |a, b| [a[0] || b[0], a[1] || b[1]]),
        };
        mixes |= (node.op.is_partial() || node.op.is_bitwise()) && own == [true, true];
        depends.push(own);
    }
    mixes
}
