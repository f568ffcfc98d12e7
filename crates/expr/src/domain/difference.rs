//! The range of a difference. Equal terms of both sides cancel before the range is computed.

use super::{Interval, intervals_of};
use crate::expr::sum::Sum;
use crate::expr::{Dag, Expr};

/// The greatest number of operands that are visited for one difference.
const MAX_VISITS: usize = 1000;

/// The range of `a - b`. Sums and multiples by constants are expanded, so that equal terms of `a` and `b` cancel.
///
/// The result is [`Interval::ALL`] when the limit is reached or a coefficient leaves `i64`.
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
