//! All points of a small domain.

use crate::answer::Values;
use quaff::domain::{Connected, Domain};
use quaff::expr::{Expr, Program, var};
use quaff::integer::floor_div;
use std::sync::Arc;

/// The most points that are evaluated one by one.
const MOST_POINTS: i128 = 1 << 17;

/// A point: one value for each name in [`Points::names`].
pub(crate) type Point = Vec<i64>;

/// All combinations of values of the variables on which some expressions depend.
pub(crate) struct Points {
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) all: Vec<Point>,
}

impl Points {
    /// Lists the points. `None` if there are more than `MOST_POINTS`, or if an end of a range is open.
    pub(crate) fn of(domain: &Domain, exprs: &[Expr], variables: &[&str]) -> Option<Points> {
        Points::up_to(MOST_POINTS, domain, exprs, variables)
    }

    /// Lists the points. `None` if there are more than `most`, or if an end of a range is open.
    pub(crate) fn up_to(most: i128, domain: &Domain, exprs: &[Expr], variables: &[&str]) -> Option<Points> {
        Points::apart(most, domain, exprs, variables, |_, _, step| step)
    }

    /// The points at which every variable is at an end of its range.
    pub(crate) fn corners(domain: &Domain, exprs: &[Expr]) -> Option<Points> {
        Points::apart(MOST_POINTS, domain, exprs, &[], |low, high, _| (high - low).max(1))
    }

    /// The points of the domain that are on a grid. `distance` computes the distance between grid values of a variable
    /// from both ends and the step of its range.
    fn apart(
        most: i128,
        domain: &Domain,
        exprs: &[Expr],
        variables: &[&str],
        distance: impl Fn(i128, i128, i128) -> i128,
    ) -> Option<Points> {
        let wanted: Vec<Expr> = exprs.iter().cloned().chain(variables.iter().map(|name| var(*name))).collect();
        let domain = Connected::new(&domain.seen_from(&wanted)).about(&wanted);
        let vars = domain.resolve().ok()?;
        let names: Vec<Arc<str>> = vars.iter().map(|v| v.name.clone()).collect();
        let mut conditions = domain.conditions();
        let mut ranges = vec![];
        let mut count = 1i128;
        for v in &vars {
            let (low, high) = v.interval.bounded().map(|(low, high)| (i128::from(low), i128::from(high)))?;
            let step = distance(low, high, v.congruence.modulus().max(1).into());
            let values = floor_div(high - low, step) + 1;
            count = count.checked_mul(values).filter(|count| *count <= most)?;
            ranges.push((low, high, step));
            let own = var(v.name.clone());
            conditions.extend(v.lower.iter().map(|end| end.le(&own)));
            conditions.extend(v.upper.iter().map(|end| own.le(end)));
        }
        let inputs: Vec<&str> = names.iter().map(|name| &**name).collect();
        let program = Program::new(&conditions, &inputs).ok()?;
        let mut all = vec![];
        let mut at: Vec<i128> = ranges.iter().map(|(low, ..)| *low).collect();
        loop {
            if program.eval(&at).iter().all(|value| matches!(value, Ok(value) if *value != 0)) {
                all.push(at.iter().filter_map(|&value| i64::try_from(value).ok()).collect());
            }
            let Some(next) = (0..at.len()).rev().find(|&i| at[i] + ranges[i].2 <= ranges[i].1) else { break };
            at[next] += ranges[next].2;
            at.iter_mut().zip(&ranges).skip(next + 1).for_each(|(value, (low, ..))| *value = *low);
        }
        Some(Points { names, all })
    }

    /// The values of the point number `at`, each with the name of its variable.
    pub(crate) fn named(&self, at: usize) -> Values {
        self.names.iter().cloned().zip(self.all[at].iter().copied()).collect()
    }

    /// The values of the expressions at each point. `None` if an expression has no value at some point.
    pub(crate) fn values(&self, exprs: &[Expr]) -> Option<Vec<Vec<i128>>> {
        let inputs: Vec<&str> = self.names.iter().map(|name| &**name).collect();
        let program = Program::new(exprs, &inputs).ok()?;
        let at = |point: &Point| {
            let wide: Vec<i128> = point.iter().map(|&value| value.into()).collect();
            program.eval(&wide).into_iter().collect::<Result<Vec<i128>, _>>().ok()
        };
        self.all.iter().map(at).collect()
    }

    /// The point without the values of `variables`.
    pub(crate) fn parameters(&self, point: &Point, variables: &[&str]) -> Point {
        let own = self.names.iter().zip(point).filter(|(name, _)| !variables.contains(&&***name));
        own.map(|(_, value)| *value).collect()
    }
}
