//! The range of a difference in which equal parts cancel.

use super::{Interval, intervals_of};
use crate::expr::sum::Sum;
use crate::expr::{Dag, Expr};

/// Work on a difference before it is given up as too large, in operands visited.
const MAX_VISITS: usize = 1000;

/// The range of `a - b`, with sums and multiples by constants taken apart so that what both have in common cancels.
///
/// [`Interval::ALL`] when that is too much work or a coefficient leaves `i64`.
pub(super) fn interval_of_difference(a: &Expr, b: &Expr, range_of: impl Fn(&str) -> Interval) -> Interval {
    let dag = Dag::new(&[a.clone(), b.clone()]);
    cancelled(&dag, &intervals_of(&dag, range_of)).unwrap_or(Interval::ALL)
}

fn cancelled(dag: &Dag, ranges: &[Interval]) -> Option<Interval> {
    let [a, b] = *dag.roots() else { return None };
    let sum = Sum::of(dag.nodes(), [(a, 1), (b, -1)], |id| dag.nodes()[id as usize].as_const(), MAX_VISITS)?;
    let terms = sum.terms.iter().map(|(t, c)| ranges[*t as usize].scaled(*c));
    Some(terms.fold(Interval::point(sum.constant), Interval::plus))
}
