//! Values that must fit 32 bits, because the file computes them with signed arithmetic, which must not overflow.

use crate::model::{Kernel, Place};
use crate::question::Question;
use quaff::Simplifier;
use quaff::expr::{Dag, DagNode, Expr, Op};
use quaff_dialects::IntegerType;
use rustc_hash::FxHashMap;

/// The most sites that are stored for one value.
const MOST_SITES: usize = 16;

/// The values that sites compute with signed 32-bit arithmetic, each with these sites.
pub(crate) struct Promises {
    sites: FxHashMap<Expr, Vec<usize>>,
}

impl Promises {
    /// The time is linear in the number of parts of all sites.
    pub(crate) fn new(kernel: &Kernel, question: &Question, simplifier: &Simplifier) -> Promises {
        let narrow = kernel.sites.iter().enumerate().filter(|(_, site)| !site.is_wide && site.is_signed);
        let all: Vec<(usize, Expr)> =
            narrow.flat_map(|(number, site)| parts(kernel, &site.expr).into_iter().map(move |e| (number, e))).collect();
        let exprs: Vec<Expr> = all.iter().map(|(_, e)| e.clone()).collect();
        let mut sites: FxHashMap<Expr, Vec<usize>> = FxHashMap::default();
        for ((number, _), value) in all.iter().zip(question.values_of(&exprs, simplifier)) {
            let known = sites.entry(value).or_default();
            if known.len() < MOST_SITES {
                known.push(*number);
            }
        }
        Promises { sites }
    }

    /// Whether the text always computes `e` before it reaches `place` with the conditions in `context`.
    pub(crate) fn hold(&self, kernel: &Kernel, e: &Expr, place: Place, context: Option<usize>) -> bool {
        let is_reached = |site: &usize| {
            let site = &kernel.sites[*site];
            let is_before = kernel.within(place, site.place.block).is_some_and(|at| site.place.start <= at.start);
            let mut contexts = std::iter::successors(Some(context), |at| at.map(|at| kernel.contexts[at].before));
            is_before && contexts.any(|at| at == site.context)
        };
        self.sites.get(e).is_some_and(|sites| sites.iter().any(is_reached))
    }
}

/// The parts of `e` that are computed with signed arithmetic. An operation with an unsigned operand is unsigned.
fn parts(kernel: &Kernel, e: &Expr) -> Vec<Expr> {
    let dag = Dag::with_origins(std::slice::from_ref(e));
    let mut has_none: Vec<bool> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let of = |at: &u32| has_none[*at as usize];
        has_none.push(match &node.op {
            Op::Var(name) => {
                let is_builtin = IntegerType::of_builtin(name).is_some_and(|(ty, _)| ty.is_unsigned());
                is_builtin || kernel.variables.get(name).is_some_and(|v| v.is_unsigned)
            }
            op if op.is_truth() => false,
            _ => is_modulo(&dag, node) || node.args().iter().any(of),
        });
    }
    (0..).zip(&has_none).filter(|(_, has_none)| !**has_none).map(|(id, _)| dag.origin(id).clone()).collect()
}

/// Whether `node` is a value modulo 2^32.
fn is_modulo(dag: &Dag, node: &DagNode) -> bool {
    node.op == Op::FloorMod && dag.nodes()[node.args[1] as usize].op == Op::Const(1 << 32)
}
