//! Decides whether conditions on sizes are necessary: whether the wanted condition fails for all sizes that they
//! exclude.

use crate::points::{Point, Points};
use quaff::domain::{self, Domain};
use quaff::expr::{Expr, Program};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most combinations of sizes for which the search looks for a point at which the condition fails.
const MOST_CHOICES: usize = 4096;
const MOST_TRIES: usize = 64;

/// The combinations of values of the sizes (*choices*) that occur at some point. Each has a flag: whether the condition
/// holds at all of its points. The domain must have few points.
pub(super) struct Choices {
    names: Vec<Arc<str>>,
    all: FxHashMap<Point, bool>,
}

impl Choices {
    /// `None` if there are too many points, or if the condition has no value at one of them.
    pub(super) fn of(condition: &Expr, sizes: &[&str], domain: &Domain) -> Option<Choices> {
        let condition = std::slice::from_ref(condition);
        let points = Points::of(domain, condition, sizes)?;
        let values = points.values(condition)?;
        let (own, others): (Vec<_>, Vec<_>) = points.names.iter().cloned().partition(|name| sizes.contains(&&**name));
        let others: Vec<&str> = others.iter().map(|name| &**name).collect();
        let mut all = FxHashMap::default();
        for (point, value) in points.all.iter().zip(&values) {
            *all.entry(points.parameters(point, &others)).or_insert(true) &= value[0] != 0;
        }
        Some(Choices { names: own, all })
    }

    /// For each choice, whether the condition always holds. The first list is for choices that satisfy `others`, and
    /// the second list for all other choices.
    fn split(&self, others: &[Expr]) -> Option<[Vec<bool>; 2]> {
        let names: Vec<&str> = self.names.iter().map(|name| &**name).collect();
        let program = Program::new(others, &names).ok()?;
        let mut split = [vec![], vec![]];
        for (choice, always) in &self.all {
            let wide: Vec<i128> = choice.iter().map(|value| (*value).into()).collect();
            let is_chosen = program.eval(&wide).iter().all(|value| matches!(value, Ok(value) if *value != 0));
            split[usize::from(!is_chosen)].push(*always);
        }
        Some(split)
    }

    /// Whether the condition holds for all choices that satisfy `others`, and such choices exist.
    pub(super) fn suffice(&self, others: &[Expr]) -> bool {
        self.split(others).is_some_and(|[chosen, _]| !chosen.is_empty() && chosen.iter().all(|always| *always))
    }

    /// Whether the condition fails at some point for each choice that does not satisfy `others`.
    fn are_necessary(&self, others: &[Expr]) -> Option<bool> {
        self.split(others).map(|[_, rest]| rest.iter().all(|always| !always))
    }
}

/// Whether the condition fails at some point for all sizes that do not satisfy `others`. `None` if this is not decided.
pub(super) fn are_necessary(
    (condition, choices): (&Expr, Option<&Choices>),
    others: &[Expr],
    sizes: &[&str],
    domain: &Domain,
) -> Option<bool> {
    let exprs: Vec<Expr> = std::iter::once(condition).chain(others).cloned().collect();
    let seen = choices.and_then(|choices| choices.are_necessary(others));
    seen.or_else(|| by_failures(&exprs, sizes, domain))
}

/// Searches, for each choice of sizes that does not satisfy `others`, for a point at which the condition fails. The
/// ends of ranges are tried first.
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

/// A domain with only the ranges of the sizes. `None` if an end of a range is not a number.
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
