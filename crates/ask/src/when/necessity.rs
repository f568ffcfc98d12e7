//! Whether a condition holds for the sizes only that conditions on them allow.

use crate::points::{Point, Points};
use quaff::domain::{self, Domain};
use quaff::expr::{Expr, Program};
use rustc_hash::FxHashMap;

/// The most choices of sizes for which a failure is looked for, and the points at which it is.
const MOST_CHOICES: usize = 4096;
const MOST_TRIES: usize = 64;

/// Whether the condition fails somewhere for all sizes that do not satisfy the others. `None` where neither is shown.
pub(super) fn are_necessary(condition: &Expr, others: &[Expr], sizes: &[&str], domain: &Domain) -> Option<bool> {
    let exprs: Vec<Expr> = std::iter::once(condition).chain(others).cloned().collect();
    by_all_points(&exprs, sizes, domain).or_else(|| by_failures(&exprs, sizes, domain))
}

/// By all points, where there are few: the condition comes first in `exprs`.
fn by_all_points(exprs: &[Expr], sizes: &[&str], domain: &Domain) -> Option<bool> {
    let points = Points::of(domain, exprs, sizes)?;
    let values = points.values(exprs)?;
    let others: Vec<&str> = points.names.iter().map(|name| &**name).filter(|name| !sizes.contains(name)).collect();
    // for each choice of sizes: whether the condition always holds, and whether the others do
    let mut choices: FxHashMap<Point, (bool, bool)> = FxHashMap::default();
    for (point, value) in points.all.iter().zip(&values) {
        let choice = choices.entry(points.parameters(point, &others)).or_insert((true, true));
        choice.0 &= value[0] != 0;
        choice.1 &= value[1..].iter().all(|value| *value != 0);
    }
    Some(choices.values().all(|(always, chosen)| !always || *chosen))
}

/// By one failure for each choice of sizes that does not satisfy the others, looked for at the ends of ranges first.
fn by_failures(exprs: &[Expr], sizes: &[&str], domain: &Domain) -> Option<bool> {
    let choices = Points::of(&domain_of(sizes, domain)?, &[], sizes)?;
    let names: Vec<&str> = domain.vars().collect();
    let program = Program::new(exprs, &names).ok()?;
    for choice in choices.all.iter().take(MOST_CHOICES) {
        let own = choices.names.iter().zip(choice);
        let fixed = own.fold(domain.clone(), |domain, (name, value)| domain.with(name.clone(), *value..=*value));
        let fails = |point: &Vec<i64>| {
            let wide: Vec<i128> = point.iter().map(|value| (*value).into()).collect();
            let values = program.eval(&wide);
            let is_chosen = values[1..].iter().all(|value| matches!(value, Ok(value) if *value != 0));
            is_chosen || values[0] == Ok(0)
        };
        if !domain::Points::new(&fixed, 0).ok()?.take(MOST_TRIES).any(|point| fails(&point)) {
            return None;
        }
    }
    (choices.all.len() <= MOST_CHOICES).then_some(true)
}

/// The ranges of the sizes alone, where they are numbers.
fn domain_of(sizes: &[&str], domain: &Domain) -> Option<Domain> {
    let vars = domain.resolve().ok()?;
    sizes.iter().try_fold(Domain::new(), |all, size| {
        let own = domain.position(size).and_then(|at| vars.get(at))?;
        let (low, high) = own.interval.bounded()?;
        let all = all.with(*size, low..=high);
        Some(if own.congruence.modulus() > 1 {
            all.stride(*size, own.congruence.modulus(), own.congruence.residue())
        } else {
            all
        })
    })
}
