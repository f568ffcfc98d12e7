//! Finds the parts of values that a source file computes with signed 32-bit arithmetic, which must not overflow.

use crate::model::{Kernel, Site};
use quaff::expr::{Dag, DagNode, Expr, Op};
use quaff_dialects::IntegerType;

/// Whether `site` is computed with 32 bits, and all its parts without unsigned variables are signed.
pub(crate) fn is_narrow(site: &Site) -> bool {
    !site.is_wide && site.is_signed
}

/// Whether the whole value of a site must fit a signed number of 32 bits.
pub(crate) fn is_promised(kernel: &Kernel, site: usize) -> bool {
    let site = &kernel.sites[site];
    is_narrow(site) && signed_parts(kernel, &site.expr).contains(&site.expr)
}

/// The parts of `e` that are computed with signed arithmetic. An operation with an unsigned operand is unsigned.
pub(crate) fn signed_parts(kernel: &Kernel, e: &Expr) -> Vec<Expr> {
    let dag = Dag::with_origins(std::slice::from_ref(e));
    let mut has_none: Vec<bool> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let of = |at: &u32| has_none[*at as usize];
        has_none.push(match &node.op {
            Op::Var(name) => is_unsigned(kernel, name),
            op if op.is_truth() => false,
            _ => is_modulo(&dag, node) || node.args().iter().any(of),
        });
    }
    (0..).zip(&has_none).filter(|(_, has_none)| !**has_none).map(|(id, _)| dag.origin(id).clone()).collect()
}

fn is_unsigned(kernel: &Kernel, name: &str) -> bool {
    let is_builtin = IntegerType::of_builtin(name).is_some_and(|(ty, _)| ty.is_unsigned());
    is_builtin || kernel.variables.get(name).is_some_and(|v| v.is_unsigned)
}

/// Whether `node` is a remainder modulo 2^32, as in unsigned arithmetic.
fn is_modulo(dag: &Dag, node: &DagNode) -> bool {
    node.op == Op::FloorMod && dag.nodes()[node.args[1] as usize].op == Op::Const(1 << 32)
}
