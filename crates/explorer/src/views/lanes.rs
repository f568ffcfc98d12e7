//! Finds the variable that counts lanes, and splits its lanes into warps.

use crate::input::Input;
use crate::problem::{Field, Problem};
use quaff::domain::{Bounds, Domain};
use quaff::expr::name::free;
use quaff::expr::offset::plus_offset;
use quaff::expr::substitute::substituted;
use quaff::expr::{Dag, Expr, var};
use quaff::integer::floor_div;

/// The number of lanes of a warp.
pub(super) const WARP: i64 = 32;
/// Names of variables that count lanes. The first of these names that occurs is chosen.
const LANES: [&str; 6] = ["threadIdx.x", "threadIdx_x", "lane", "tid", "tx", "t"];

/// An index in which one variable counts the lanes of a warp, and another variable is the number of the warp.
pub(super) struct Warps {
    pub(super) index: Expr,
    /// The name of the variable that counts the lanes of a warp.
    pub(super) lane: String,
    pub(super) domain: Domain,
}

impl Warps {
    /// Rewrites `index` over the warps of a machine, if `lane` counts more lanes than a warp has.
    pub(super) fn new(index: &Expr, lane: &str, domain: &Domain, machine: &str) -> Warps {
        let warp = if machine.starts_with("cdna") { 2 * WARP } else { WARP };
        let facts = domain.resolve().unwrap_or_default();
        let range = facts.iter().find(|f| &*f.name == lane).and_then(|f| f.interval.bounded());
        let Some((low, high)) = range.filter(|(low, high)| high.saturating_sub(*low) >= warp) else {
            return Warps { index: index.clone(), lane: lane.into(), domain: domain.clone() };
        };
        let free = |name: &str| free(name.into(), |n| domain.contains(n));
        let (of_lane, of_warp) = (free("lane"), free("warp"));
        let number = plus_offset(var(of_warp.clone()) * warp + var(of_lane.clone()), low);
        let put_in = |e: &Expr| substituted(e, lane, &number);
        let last = floor_div(i128::from(high) - i128::from(low), warp.into()) as i64;
        let mut inside = Domain::new().with(of_lane.clone(), 0..warp).with(of_warp, 0..=last).assume(number.le(high));
        for fact in facts.iter().filter(|f| &*f.name != lane) {
            let (modulus, residue) = (fact.congruence.modulus(), fact.congruence.residue());
            inside.add_bounds(fact.name.clone(), Bounds::from(fact.interval));
            if modulus > 1 {
                inside.add_stride(fact.name.clone(), modulus, residue);
            }
        }
        let ends = facts.iter().flat_map(|f| {
            let name = var(f.name.clone());
            let lower = f.lower.as_ref().map(|e| name.ge(e.clone()));
            lower.into_iter().chain(f.upper.as_ref().map(|e| name.le(e.clone())))
        });
        let conditions = domain.assumptions().iter().cloned().chain(ends);
        let domain = conditions.fold(inside, |inside, c| inside.assume(put_in(&c)));
        Warps { index: put_in(index), lane: of_lane, domain }
    }
}

/// The variable that counts lanes, and whether it is a guess.
pub(super) fn lane(input: &Input<'_>, index: &Expr, domain: &Domain) -> Result<(String, bool), Vec<Problem>> {
    let wanted = input.state.lane.trim();
    if !wanted.is_empty() {
        return match domain.contains(wanted) {
            true => Ok((wanted.into(), false)),
            false => Err(vec![Problem::new(Field::new("lane", wanted), format!("`{wanted}` has no range"))]),
        };
    }
    let dag = Dag::new(std::slice::from_ref(index));
    let names: Vec<String> = dag.variables().map(|v| v.to_string()).collect();
    let known = LANES.iter().find(|name| names.iter().any(|n| n == *name));
    let facts = domain.resolve().unwrap_or_default();
    let ends = |name: &String| facts.iter().find(|f| *f.name == **name).and_then(|f| f.interval.bounded());
    // the number of values of a variable, limited to the size of a warp. Of several variables with the most values, the
    // last one is chosen
    let values =
        |name: &&String| ends(name).map_or(WARP, |(low, high)| high.saturating_sub(low).saturating_add(1).min(WARP));
    match (known, names.as_slice()) {
        (Some(name), _) => Ok((name.to_string(), false)),
        (None, [one]) => Ok((one.clone(), false)),
        (None, [first, ..]) => Ok((names.iter().max_by_key(values).unwrap_or(first).clone(), true)),
        (None, []) => {
            let field = Field::new("text", &input.state.text);
            Err(vec![Problem::new(field, "the index has no variable that counts lanes")])
        }
    }
}

/// The variable that counts lanes, if one is found.
pub(crate) fn lane_of(input: &Input<'_>) -> Option<String> {
    let index = input.expression().ok()?;
    lane(input, &index, &input.domain_of_expressions()).ok().map(|(lane, _)| lane)
}
