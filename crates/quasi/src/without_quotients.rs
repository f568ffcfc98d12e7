//! Enumeration: both expressions are evaluated at every point, or at enough points of each period.

use super::budget::Budget;
use super::lanes::LaneProgram;
use super::options::Options;
use super::question::Question;
use super::scan::{Found, Grid, Scan, Test};
use super::shift::{Shift, needed, shift, stretch};
use super::verdict::{Outcome, Why, Work};
use quaff_expr::expr::Dag;

/// Compares both expressions, also where they have no value. If `reduced`, it compares them at enough points of each
/// period. Otherwise it compares them at every point.
///
/// The points at which an expression has no value repeat with the same period as its values. This holds because only a
/// divisor that does not rise has a period.
pub(super) fn enumerate(question: &Question, options: &Options, reduced: bool) -> (Outcome, Work) {
    let roots = question.roots();
    let dag = Dag::new(&roots);
    let too_many = Why::TooManyPoints { limit: options.max_points };
    let budget = Budget::new(options.max_steps);
    let unknown = |why: Why| (Outcome::Unknown(why), Work { steps: budget.spent(), ..Work::default() });
    let (mut start, mut count) = (Vec::new(), Vec::new());
    let mut product: u64 = 1;
    for axis in &question.axes {
        let wanted = match reduced.then(|| shift(&dag, &axis.name, &budget)) {
            None => None,
            Some(Some(found)) => found.and_then(|s| wanted(&s)),
            Some(None) => return unknown(Why::TooManySteps { limit: options.max_steps }),
        };
        let Some((first, points)) = stretch(axis.range, wanted) else {
            return unknown(Why::Unbounded { name: axis.name.clone() });
        };
        // all ranges have values, so the product of their lengths only grows
        product = product.saturating_mul(points);
        if product > options.max_points {
            return unknown(too_many);
        }
        start.push(first);
        count.push(points);
    }
    let Some(grid) = Grid::new(start, count) else { return unknown(too_many) };
    let program = match LaneProgram::new(&roots, &question.names()) {
        Ok(program) => program,
        Err(name) => return unknown(Why::Unknown(name)),
    };
    if grid.points() > options.max_evaluations.div_euclid(program.cost()) {
        return unknown(Why::TooManyEvaluations { limit: options.max_evaluations });
    }
    let scan = Scan { program: &program, grid: &grid, roots: roots.len(), threads: options.cores() };
    let outcome = match scan.find(Test::Differ, 0, u64::MAX) {
        Found::Nowhere => Outcome::Equal,
        Found::At(index) => Outcome::Differs(grid.point(index)),
        Found::Overflow => Outcome::Unknown(Why::Overflow),
    };
    let evaluations = grid.points().saturating_mul(program.cost());
    (outcome, Work { points: grid.points(), steps: budget.spent(), evaluations })
}

/// The number of points of a variable that are enough, if both expressions repeat in it and the conditions do not
/// change.
fn wanted(Shift { length, changes }: &Shift) -> Option<i128> {
    let [a, b, conditions @ ..] = &changes[..] else { return None };
    if conditions.iter().any(|change| *change != 0) {
        return None;
    }
    needed(*length, a.checked_sub(*b)?)
}
