//! The range of a difference in which equal parts cancel.

use super::{Interval, intervals_of};
use crate::expr::{Dag, Expr, Op};
use rustc_hash::FxHashMap;

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
    let mut constant = 0i64;
    // what is not a sum, by node, with its coefficient
    let mut terms: FxHashMap<u32, i64> = FxHashMap::default();
    let mut stack = vec![(*dag.roots().first()?, 1i64), (*dag.roots().get(1)?, -1)];
    for _ in 0..MAX_VISITS {
        let Some((at, factor)) = stack.pop() else {
            return Some(
                terms.iter().fold(Interval::point(constant), |sum, (t, c)| sum.plus(ranges[*t as usize].scaled(*c))),
            );
        };
        let node = &dag.nodes()[at as usize];
        let constant_of = |i: usize| match dag.nodes()[node.args[i] as usize].op {
            Op::Const(c) => Some(c),
            _ => None,
        };
        match &node.op {
            Op::Const(c) => constant = constant.checked_add(factor.checked_mul(*c)?)?,
            Op::Add => stack.extend([(node.args[0], factor), (node.args[1], factor)]),
            Op::Sub => stack.extend([(node.args[0], factor), (node.args[1], factor.checked_neg()?)]),
            Op::Neg => stack.push((node.args[0], factor.checked_neg()?)),
            Op::Mul => match (constant_of(0), constant_of(1)) {
                (Some(c), _) => stack.push((node.args[1], factor.checked_mul(c)?)),
                (_, Some(c)) => stack.push((node.args[0], factor.checked_mul(c)?)),
                _ => add(&mut terms, at, factor)?,
            },
            _ => add(&mut terms, at, factor)?,
        }
    }
    None
}

fn add(terms: &mut FxHashMap<u32, i64>, term: u32, factor: i64) -> Option<()> {
    let coefficient = terms.entry(term).or_insert(0);
    *coefficient = coefficient.checked_add(factor)?;
    Some(())
}
