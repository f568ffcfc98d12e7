//! Values that are known to fit 32 bits, because the source file computes them with signed arithmetic, which must not
//! overflow.

use crate::model::Kernel;
use crate::question::Question;
use crate::reuse::Spot;
use crate::signed::{is_narrow, signed_parts};
use crate::verify::are_equal;
use quaff::Simplifier;
use quaff::expr::{Dag, Expr, Op};
use rustc_hash::FxHashMap;

/// The most sites (places of the text that compute integers) that are stored for one value.
const MOST_SITES: usize = 16;

/// The most values with divisions that are compared with a differently written value. Each comparison needs a proof.
const MOST_COMPARED: usize = 64;

/// The values that the file computes with signed 32-bit arithmetic, each with the sites that compute it.
pub(crate) struct Promises {
    sites: FxHashMap<Expr, Vec<usize>>,
    /// The values with divisions, each with a site that computes it, in the order of the text.
    divided: Vec<(usize, Expr)>,
    /// Whether an expression equals the value at this index of `divided`, under the conditions of the site that
    /// computes the value.
    equal: FxHashMap<(usize, Expr), bool>,
}

impl Promises {
    /// Collects the values of `kernel`. The time is linear in the number of subexpressions of all sites.
    pub(crate) fn new(kernel: &Kernel, question: &Question, simplifier: &Simplifier) -> Promises {
        let narrow = kernel.sites.iter().enumerate().filter(|(_, site)| is_narrow(site));
        let all: Vec<(usize, Expr)> = narrow
            .flat_map(|(number, site)| signed_parts(kernel, &site.expr).into_iter().map(move |e| (number, e)))
            .collect();
        let exprs: Vec<Expr> = all.iter().map(|(_, e)| e.clone()).collect();
        let mut sites: FxHashMap<Expr, Vec<usize>> = FxHashMap::default();
        for ((number, _), value) in all.iter().zip(question.values_of(&exprs, simplifier)) {
            let known = sites.entry(value).or_default();
            if known.len() < MOST_SITES {
                known.push(*number);
            }
        }
        let divided = sites.iter().filter(|(e, _)| divides(e));
        let mut divided: Vec<(usize, Expr)> =
            divided.flat_map(|(e, sites)| sites.iter().map(|&site| (site, e.clone()))).collect();
        // sorted, because the order of a hash map is arbitrary
        divided.sort_by_key(|(site, e)| (*site, e.to_string()));
        divided.truncate(MOST_COMPARED);
        Promises { sites, divided, equal: FxHashMap::default() }
    }

    /// Whether the text always computes the value `e` before it reaches `place` with the conditions in `context`. The
    /// text may compute it in another form, such as `n * 12 / 4` for `n * 3`.
    pub(crate) fn hold(
        &mut self,
        (kernel, question): (&Kernel, &Question),
        e: &Expr,
        (place, context): Spot,
        simplifier: &Simplifier,
    ) -> bool {
        let is_reached = |site: usize| {
            let site = &kernel.sites[site];
            let is_before = kernel.within(place, site.place.block).is_some_and(|at| site.place.start <= at.start);
            let mut contexts = std::iter::successors(Some(context), |at| at.map(|at| kernel.contexts[at].before));
            is_before && contexts.any(|at| at == site.context)
        };
        if self.sites.get(e).is_some_and(|sites| sites.iter().any(|&site| is_reached(site))) {
            return true;
        }
        let variables = e.variables();
        let equal = &mut self.equal;
        self.divided.iter().enumerate().filter(|(_, (site, _))| is_reached(*site)).any(|(at, (site, value))| {
            let of_value = value.variables();
            variables.iter().all(|name| of_value.contains(name))
                && *equal.entry((at, e.clone())).or_insert_with(|| {
                    let inside = question.about(&[value, e], question.gate(*site)).defined();
                    are_equal(value, e, &inside, simplifier) == Some(true)
                })
        })
    }
}

/// Whether `e` has a division or a remainder.
fn divides(e: &Expr) -> bool {
    let dag = Dag::new(std::slice::from_ref(e));
    dag.nodes().iter().any(|node| matches!(node.op, Op::FloorDiv | Op::FloorMod | Op::TruncDiv | Op::TruncMod))
}
