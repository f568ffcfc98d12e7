//! Enumeration of both expressions over the box, with or without the periods.

use super::budget::Budget;
use super::decide::Work;
use super::kernel::Kernel;
use super::period::{Period, lcm, periods};
use super::question::Question;
use super::scan::{Found, Grid, Scan, Test};
use super::{Options, Why};
use crate::domain::Interval;
use crate::expr::Dag;

/// What a procedure found.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Equal,
    /// The point at which they differ.
    Differs(Vec<i64>),
    Unknown(Why),
}

/// The first value and the number of values that stand for all of `range`: `wanted` of them, or all when there are fewer
/// or `wanted` is `None`. `None` when that is not a number of 64 bits.
pub(super) fn stretch(range: Interval, wanted: Option<i128>) -> Option<(i64, u64)> {
    let all = match (range.lo(), range.hi()) {
        (Some(lo), Some(hi)) => Some(i128::from(hi) - i128::from(lo) + 1),
        _ => None,
    };
    let count = match (all, wanted) {
        (Some(all), Some(wanted)) => all.min(wanted),
        (all, wanted) => all.or(wanted)?,
    };
    let count = u64::try_from(count).ok()?;
    let start = match (range.lo(), range.hi()) {
        (Some(lo), _) => lo,
        (None, Some(hi)) => i64::try_from(i128::from(hi) - i128::from(count) + 1).ok()?,
        (None, None) => 0,
    };
    i64::try_from(i128::from(start) + i128::from(count)).ok()?;
    Some((start, count))
}

/// Points that stand for all in a variable with these periods: one length when the difference does not rise. When it
/// rises, two lengths hold a pair of points one length apart wherever the range holds one, and such a pair differs.
pub(super) fn needed(difference: Period) -> Option<i128> {
    if difference.rise == 0 { Some(difference.length) } else { difference.length.checked_mul(2) }
}

/// Compares both expressions, undefined points included, at every point or (`reduced`) on enough of each period.
///
/// Where an expression has no value is as periodic as its values are, for only operands that do not rise may be divisors
/// that are not constant.
pub(super) fn enumerate(question: &Question, options: &Options, reduced: bool) -> (Outcome, Work) {
    let roots = question.roots();
    let dag = Dag::new(&roots);
    let too_many = Why::TooManyPoints { limit: options.max_points };
    let budget = Budget::new(options.max_steps);
    let unknown = |why: Why| (Outcome::Unknown(why), Work { steps: budget.spent(), ..Work::default() });
    let (mut start, mut count) = (Vec::new(), Vec::new());
    let mut product: u64 = 1;
    for axis in &question.axes {
        if reduced && budget.spend_on_periods(dag.nodes().len()).is_none() {
            return unknown(Why::TooManySteps { limit: options.max_steps });
        }
        let wanted = if reduced { wanted(&dag, &axis.name) } else { None };
        let Some((first, points)) = stretch(axis.range, wanted) else {
            return unknown(Why::Unbounded { name: axis.name.clone() });
        };
        // no range is empty, so that more variables do not make it fewer
        product = product.saturating_mul(points);
        if product > options.max_points {
            return unknown(too_many);
        }
        start.push(first);
        count.push(points);
    }
    let Some(grid) = Grid::new(start, count) else { return unknown(too_many) };
    let kernel = match Kernel::new(&roots, &question.names()) {
        Ok(kernel) => kernel,
        Err(name) => return unknown(Why::Unknown(name)),
    };
    if grid.points() > options.max_evaluations.div_euclid(kernel.cost()) {
        return unknown(Why::TooManyEvaluations { limit: options.max_evaluations });
    }
    let scan = Scan { kernel: &kernel, grid: &grid, roots: roots.len(), threads: options.cores() };
    let outcome = match scan.find(Test::Differ, 0, u64::MAX) {
        Found::Nowhere => Outcome::Equal,
        Found::At(index) => Outcome::Differs(grid.point(index)),
        Found::Overflow => Outcome::Unknown(Why::Overflow),
    };
    let evaluations = grid.points().saturating_mul(kernel.cost());
    (outcome, Work { points: grid.points(), steps: budget.spent(), evaluations })
}

/// The points that stand for all in `name`, when both expressions are periodic in it and the conditions do not rise.
fn wanted(dag: &Dag, name: &str) -> Option<i128> {
    let periods = periods(dag, name);
    let mut roots = dag.roots().iter().map(|r| periods[*r as usize]);
    let (a, b) = (roots.next()??, roots.next()??);
    let mut length = lcm(a.length, b.length)?;
    let rise = (a.slope() != b.slope()).into();
    for condition in roots {
        let condition = condition.filter(|c| c.rise == 0)?;
        length = lcm(length, condition.length)?;
    }
    needed(Period { length, rise })
}
