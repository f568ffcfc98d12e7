//! Selects the values that loops carry from one iteration to the next.
//!
//! The input is simplified accesses and the loops around them. The output is the carried values, and the accesses in
//! terms of these values. A carried value is a variable of the text. Its initial value is computed before the loop, and
//! each iteration adds a step, as in `p += 64`. A value is carried if this reduces the executed instructions.
//! Operations that only the carried value needed are then not computed any more.

use crate::access::prices::{Prices, without_offsets};
use crate::access::scopes::Scopes;
use crate::access::{Access, Direction, Gate};
use crate::cost::loop_nest::{LoopNest, executed};
use crate::cost::{Cost, Operation};
use crate::domain::{Domain, Interval, Repeats, Scope, VarFacts};
use crate::emit::identifiers;
use crate::expr::name::free;
use crate::expr::offset::{plus_offset, split_offset};
use crate::expr::{Dag, Expr, Op, int, var};
use crate::induction::{Change, Induction, split_by};
use crate::simplify::{NodeRanges, Settings, SimplifyError};
use std::sync::Arc;

/// The largest number of candidates. Each takes several searches.
const MAX_LOOKED_AT: usize = 24;

/// A value that a loop carries from one iteration to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The name of the variable in the text.
    pub name: Arc<str>,
    /// The variable that counts the loop.
    pub variable: Arc<str>,
    /// The value in the first iteration.
    pub base: Expr,
    /// The change of the value from one iteration to the next.
    pub change: Change,
    /// The expression that each iteration would compute without carrying.
    pub value: Expr,
}

impl Carried {
    /// The expressions that the text computes outside of the loop: the first value, and the step. If two steps
    /// alternate, they are the first value, the first step, and the second step. After each iteration, the next step is
    /// the sum of both steps less the last step.
    pub(super) fn outside(&self) -> Vec<Expr> {
        let steps = match &self.change {
            Change::Step(step) | Change::Wrapping { step, .. } => vec![step.clone()],
            Change::Periodic(steps) => steps.clone(),
        };
        std::iter::once(self.base.clone()).chain(steps).collect()
    }

    /// The scopes of the values of [`outside`](Self::outside). In these scopes, each loop in which the value changes
    /// has at least one iteration.
    pub(super) fn scopes(&self, domain: &Domain) -> Vec<Scope> {
        let outside = self.outside();
        let (loops, _) = domain.loops_of(&self.name).unwrap_or_default();
        let scope = domain.scope_of(&outside);
        let scope = loops.iter().fold(scope, |scope, name| scope.and(&domain.scope_of_variable(name)));
        vec![scope; outside.len()]
    }

    /// The price of updating the carried variable in one iteration.
    fn price(&self, settings: &Settings, wide: bool) -> Cost {
        let price = |operation: Operation| settings.model().price(&operation);
        let sum = price(Operation::Sum { products: 0, plain: 2, wide });
        match &self.change {
            Change::Step(step) if step.as_const() == Some(0) => Cost::ZERO,
            Change::Step(_) => sum,
            // one more sum computes the other step
            Change::Periodic(_) => sum + sum,
            // one sum for the next value, one that subtracts the modulus, and a minimum that selects one of both
            Change::Wrapping { .. } => sum + sum + price(Operation::Extremum { wide }),
        }
    }
}

/// Accesses with values that loops carry.
pub(super) struct Carrying {
    pub(super) accesses: Vec<Access>,
    pub(super) carried: Vec<Carried>,
    /// The domain with the variables of the carried values.
    pub(super) domain: Domain,
    pub(super) cost: Cost,
}

/// The cheapest form of `accesses`, whose cost is `cost`. `nests` has the loops around each access.
pub(super) fn carry(
    settings: &Settings,
    (accesses, scopes, cost): (&[Access], &Scopes, Cost),
    nests: &[Vec<Arc<str>>],
    domain: &Domain,
) -> Result<Carrying, SimplifyError> {
    let mut best = Carrying { accesses: accesses.to_vec(), carried: Vec::new(), domain: domain.clone(), cost };
    let vars = domain.resolve()?;
    for value in values(accesses, &vars) {
        let Some(place) = Place::of(&value, accesses, nests, domain, &vars) else { continue };
        if let Some(found) = offered(settings, &best, value, &place, (domain, scopes))? {
            best = found;
        }
    }
    Ok(best)
}

/// The candidates for carrying, the largest first: indices without their constants, and the quotients, remainders and
/// products that change in loops.
fn values(accesses: &[Access], vars: &[VarFacts]) -> Vec<Expr> {
    let nest = LoopNest::new(vars);
    if nest.is_empty() {
        return Vec::new();
    }
    let bare = without_offsets(accesses);
    let happens = bare.iter().filter(|a| a.gate != Gate::Never);
    let roots: Vec<Expr> = happens.flat_map(|a| a.lanes.iter().chain(a.gate.condition())).cloned().collect();
    let dag = Dag::new(&roots);
    let times = nest.times_of(&dag, vars);
    let mut is_lane = vec![false; dag.nodes().len()];
    for (root, &id) in roots.iter().zip(dag.roots()) {
        is_lane[id as usize] |= bare.iter().any(|a| a.lanes.contains(root));
    }
    let lanes = (0..dag.nodes().len()).rev().filter(|&i| is_lane[i]);
    let is_known = |i: usize| matches!(dag.nodes()[i].op, Op::Var(_) | Op::Const(_));
    let parts = (0..dag.nodes().len()).rev().filter(|&i| !is_lane[i]);
    let parts = parts.filter(|&i| dag.nodes()[i].op.is_division() || dag.nodes()[i].op == Op::Mul);
    let all = lanes.chain(parts).filter(|&i| times[i] > 1 && !is_known(i));
    all.take(MAX_LOOKED_AT).map(|i| dag.origin(i as u32).clone()).collect()
}

/// The loop that would carry a value.
struct Place {
    variable: Arc<str>,
    /// The loops around `variable` and its own loop, the outermost first.
    loops: Vec<Arc<str>>,
}

impl Place {
    /// The innermost loop on which `value` depends. `None` when the value changes with a variable that counts no loop.
    /// `None`, too, when the loops around an access that needs the value are in another order.
    fn of(
        value: &Expr,
        accesses: &[Access],
        nests: &[Vec<Arc<str>>],
        domain: &Domain,
        vars: &[VarFacts],
    ) -> Option<Place> {
        let mut counters: Vec<Vec<Arc<str>>> = Vec::new();
        for name in value.variables() {
            let facts = vars.iter().find(|v| *v.name == *name)?;
            match (facts.repeats, domain.loops_of(&name)) {
                (Repeats::Once, _) => {}
                (Repeats::Loop(_), Some((loops, true))) => counters.push(loops),
                _ => return None,
            }
        }
        let loops = counters.iter().max_by_key(|loops| loops.len())?.clone();
        let variable = loops.last()?.clone();
        let is_around = |nest: &[Arc<str>]| {
            let at = nest.iter().position(|name| *name == variable);
            at.is_some_and(|at| counters.iter().all(|c| c.last().is_some_and(|name| nest[..=at].contains(name))))
        };
        let mut users = accesses.iter().zip(nests).filter(|(access, _)| uses(access, value));
        users.all(|(_, nest)| is_around(nest)).then_some(Place { variable, loops })
    }
}

/// Returns `best` with `value` carried as well, if this reduces the executed instructions.
fn offered(
    settings: &Settings,
    best: &Carrying,
    value: Expr,
    place: &Place,
    (domain, scopes): (&Domain, &Scopes),
) -> Result<Option<Carrying>, SimplifyError> {
    let name = fresh(best.carried.len(), &best.domain, &best.accesses);
    let accesses = replaced(&best.accesses, &value, &var(name.clone()));
    if accesses == best.accesses {
        return Ok(None);
    }
    // a value that is defined only under a gate is not carried
    let Ok(ranges) = NodeRanges::new(settings, domain).of(&Dag::new(std::slice::from_ref(&value))) else {
        return Ok(None);
    };
    let range = ranges.last().copied().unwrap_or(Interval::ALL);
    let Some((lo, hi)) = range.bounded() else { return Ok(None) };
    let inside = best.domain.clone().with(name.clone(), lo..=hi).computed_in(name.clone(), place.loops.clone());
    let carried = |base: Expr, change: Change| {
        let new = Carried { name: name.clone(), variable: place.variable.clone(), base, change, value: value.clone() };
        best.carried.iter().cloned().chain([new]).collect::<Vec<_>>()
    };
    let (accesses, inside) = (&accesses, &inside);
    let with = |carried: Vec<Carried>| -> Result<Option<Carrying>, SimplifyError> {
        let cost = price(settings, accesses, &carried, (inside, scopes))?;
        let out = || Carrying { accesses: accesses.clone(), carried, domain: inside.clone(), cost };
        Ok((cost < best.cost).then(out))
    };
    // a step that is a number is the cheapest change. If even this does not pay, the search for the actual change is
    // not needed
    if with(carried(int(0), Change::Step(int(1))))?.is_none() {
        return Ok(None);
    }
    let Ok(Some(Induction { base, change })) = split_by(settings, &value, &place.variable, domain) else {
        return Ok(None);
    };
    if !matches!(&change, Change::Periodic(steps) if steps.len() != 2) && stays_narrow(settings, &change, range, domain)
    {
        return with(carried(base, change));
    }
    Ok(None)
}

/// Whether the value after the last iteration, which nothing reads, still fits the type of the values before.
fn stays_narrow(settings: &Settings, change: &Change, range: Interval, domain: &Domain) -> bool {
    let steps: &[Expr] = match change {
        Change::Step(step) | Change::Wrapping { step, .. } => std::slice::from_ref(step),
        Change::Periodic(steps) => steps,
    };
    let Ok(of_steps) = NodeRanges::new(settings, domain).of(&Dag::new(steps)) else { return false };
    let dag = Dag::new(steps);
    let is_int = |lo: i128, hi: i128| lo >= i32::MIN.into() && hi <= i32::MAX.into();
    let fits = |lo: i128, hi: i128| lo > i64::MIN.into() && hi < i64::MAX.into();
    let Some((lo, hi)) = range.bounded().map(|(lo, hi)| (i128::from(lo), i128::from(hi))) else { return false };
    dag.roots().iter().all(|&r| {
        of_steps[r as usize].bounded().is_some_and(|(least, most)| {
            let (least, most) = (i128::from(least), i128::from(most));
            let (first, last) = (lo + least.min(0), hi + most.max(0));
            // the text adds up the two steps of a period, so their sum must fit as well
            fits(first, last)
                && fits(2 * least, 2 * most)
                && (is_int(first, last) || !is_int(lo, hi))
                && (is_int(2 * least, 2 * most) || !is_int(lo, hi))
        })
    })
}

/// The cost of `accesses` and of the values `carried` together, multiplied by how often each operation is executed. The
/// variables of `carried` are in `domain`.
fn price(
    settings: &Settings,
    accesses: &[Access],
    carried: &[Carried],
    (domain, scopes): (&Domain, &Scopes),
) -> Result<Cost, SimplifyError> {
    let vars = domain.resolve()?;
    let mut all = without_offsets(accesses);
    all.extend(carried.iter().flat_map(computed));
    let scopes = scopes.extended(carried.iter().flat_map(|c| c.scopes(domain)), domain);
    let mut cost = Prices::new(settings, &scopes, &vars).with_offsets(&all)?;
    for c in carried {
        let Some(facts) = vars.iter().find(|v| v.name == c.name) else { continue };
        let Repeats::Loop(times) = facts.repeats else { continue };
        let wide = !facts.interval.fits_i32();
        cost += executed(c.price(settings, wide), times);
    }
    Ok(cost)
}

/// The values that are computed for `carried` outside of its loop, as loads.
pub(super) fn computed(carried: &Carried) -> impl Iterator<Item = Access> + '_ {
    carried.outside().into_iter().map(|e| Access::load("", "", e))
}

fn exprs(access: &Access) -> impl Iterator<Item = &Expr> {
    access.gate.condition().into_iter().chain(&access.lanes).filter(|_| access.gate != Gate::Never)
}

/// Whether `value` is a part of an expression that `access` computes.
fn uses(access: &Access, value: &Expr) -> bool {
    let all: Vec<Expr> = exprs(&without_offsets(std::slice::from_ref(access))[0]).cloned().collect();
    let dag = Dag::new(&[&all[..], std::slice::from_ref(value)].concat());
    let without = Dag::new(&all);
    dag.nodes().len() == without.nodes().len()
}

/// `accesses` with `by` substituted for `value`.
fn replaced(accesses: &[Access], value: &Expr, by: &Expr) -> Vec<Access> {
    let mut out = accesses.to_vec();
    // the constant term of an index is not part of the value, because the address adds it
    let new = |e: &Expr| {
        let dag = Dag::new(&[value.clone(), e.clone()]);
        let at = dag.roots()[0];
        dag.rebuilt(|id, _| (id == at).then(|| by.clone())).swap_remove(1)
    };
    for access in out.iter_mut().filter(|a| a.gate != Gate::Never) {
        if let Gate::When(gate) = &access.gate {
            access.gate = new(gate).into();
        }
        for lane in &mut access.lanes {
            let (rest, offset) = split_offset(lane);
            *lane = plus_offset(new(&rest), offset);
        }
    }
    out
}

/// A name that does not occur as a variable or in the texts of `accesses`.
fn fresh(number: usize, domain: &Domain, accesses: &[Access]) -> Arc<str> {
    let texts = |a: &Access| match &a.direction {
        Direction::Load { into, otherwise } => [a.buffer.clone(), into.clone(), otherwise.clone()],
        Direction::Store { value } => [a.buffer.clone(), value.clone(), a.element.clone()],
    };
    let is_taken = |name: &str| {
        domain.contains(name)
            || accesses.iter().flat_map(texts).any(|text| identifiers(&text).any(|other| other == name))
    };
    free(format!("p{number}"), is_taken).into()
}
