//! Values that must fit 32 bits, because the file computes them with signed arithmetic, which must not overflow.

use crate::model::Kernel;
use crate::question::Question;
use crate::reuse::Spot;
use quaff::Simplifier;
use quaff::expr::{Dag, DagNode, Expr, Op};
use quaff_dialects::IntegerType;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// The most sites that are stored for one value.
const MOST_SITES: usize = 16;

/// The most values whose simplified form is stored. Each needs a call of the simplifier.
const MOST_SIMPLIFIED: usize = 64;

/// The values that sites compute with signed 32-bit arithmetic, each with these sites.
pub(crate) struct Promises {
    sites: FxHashMap<Expr, Vec<usize>>,
    /// The same for the simplified forms of values that divide. They are computed when a value is not in `sites`.
    simplified: OnceCell<FxHashMap<Expr, Vec<usize>>>,
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
        Promises { sites, simplified: OnceCell::new() }
    }

    /// Whether the text always computes `e`, or a value with the simplified form `e`, before it reaches `place` with
    /// the conditions in `context`.
    pub(crate) fn hold(
        &self,
        (kernel, question): (&Kernel, &Question),
        e: &Expr,
        (place, context): Spot,
        simplifier: &Simplifier,
    ) -> bool {
        let is_reached = |site: &usize| {
            let site = &kernel.sites[*site];
            let is_before = kernel.within(place, site.place.block).is_some_and(|at| site.place.start <= at.start);
            let mut contexts = std::iter::successors(Some(context), |at| at.map(|at| kernel.contexts[at].before));
            is_before && contexts.any(|at| at == site.context)
        };
        let of = |all: &FxHashMap<Expr, Vec<usize>>| all.get(e).is_some_and(|sites| sites.iter().any(is_reached));
        of(&self.sites) || of(self.simplified.get_or_init(|| self.all_simplified(question, simplifier)))
    }

    /// The simplified forms of the values that divide. A form is equal to its value wherever the value is computed.
    fn all_simplified(&self, question: &Question, simplifier: &Simplifier) -> FxHashMap<Expr, Vec<usize>> {
        let mut all: Vec<(&Expr, &Vec<usize>)> = self.sites.iter().filter(|(e, _)| divides(e)).collect();
        // the order of a hash map is not that of the text
        all.sort_by_key(|(e, sites)| (sites.first().copied(), e.to_string()));
        let mut simplified: FxHashMap<Expr, Vec<usize>> = FxHashMap::default();
        for (e, sites) in all.into_iter().take(MOST_SIMPLIFIED) {
            if let Ok(answer) = simplifier.simplify(e, &question.about(&[e], None).defined()) {
                simplified.entry(answer.expr().clone()).or_default().extend(sites);
            }
        }
        simplified
    }
}

/// Whether `e` has a division or a remainder.
fn divides(e: &Expr) -> bool {
    let dag = Dag::new(std::slice::from_ref(e));
    dag.nodes().iter().any(|node| matches!(node.op, Op::FloorDiv | Op::FloorMod | Op::TruncDiv | Op::TruncMod))
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
