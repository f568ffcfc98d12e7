//! Values that the language promises to have 32 bits, since the file computes them with a sign and they do not overflow.

use crate::model::{Kernel, Place};
use crate::question::Question;
use quaff::expr::{Expr, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Sites that are kept for one value.
const MOST_SITES: usize = 16;

/// The values that sites compute with 32 bits and a sign, each with the sites that do.
pub(crate) struct Promises {
    sites: FxHashMap<Expr, Vec<usize>>,
}

impl Promises {
    /// Time: linear in the parts of all sites.
    pub(crate) fn new(kernel: &Kernel, question: &Question) -> Promises {
        let mut sites: FxHashMap<Expr, Vec<usize>> = FxHashMap::default();
        for (number, _) in kernel.sites.iter().enumerate().filter(|(_, site)| !site.is_wide) {
            for part in parts(question.accesses[number].index()) {
                let all = sites.entry(part.clone()).or_default();
                if all.len() < MOST_SITES {
                    all.push(number);
                }
            }
        }
        Promises { sites }
    }

    /// Whether the text computes `e` wherever it reaches `place`, where `context` holds.
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

/// The parts of `e` that are computed with a sign. A sum within a value modulo 2^32 is none: arithmetic without a sign computes it.
fn parts(e: &Expr) -> Vec<&Expr> {
    let (mut found, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![(e, false)]);
    while let Some((e, is_wrapped)) = stack.pop() {
        if !seen.insert((e.address(), is_wrapped)) {
            continue;
        }
        let is_modulo = *e.op() == Op::FloorMod && e.args()[1].as_const() == Some(1 << 32);
        let is_sum = matches!(e.op(), Op::Add | Op::Sub | Op::Mul | Op::Neg);
        if !is_modulo && !(is_wrapped && is_sum) {
            found.push(e);
        }
        stack.extend(e.args().iter().map(|part| (part, is_modulo || is_wrapped && is_sum)));
    }
    found
}
