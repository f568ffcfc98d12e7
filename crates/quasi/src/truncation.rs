//! Replaces `truncdiv` and `truncmod` by floor operators. In comments of this file, quotients and remainders are those
//! of these two operators.

use quaff_expr::domain::{Interval, intervals_of};
use quaff_expr::expr::{Dag, Expr, Op, select};

/// Rewrites `roots` without operators that round towards zero. The values stay the same if each variable is in the
/// range that `range_of` gives for its name.
///
/// Operands of the same sign are divided directly. For operands `a` and `b` of different signs, the quotient is minus
/// the quotient of `-a` and `b`.
pub(super) fn floored(roots: Vec<Expr>, range_of: impl Fn(&str) -> Interval) -> Vec<Expr> {
    let dag = Dag::new(&roots);
    if !dag.nodes().iter().any(|node| node.op.is_truncation()) {
        return roots;
    }
    let ranges = intervals_of(&dag, range_of);
    let mut new: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let args: Vec<Expr> = node.args().iter().map(|a| new[*a as usize].clone()).collect();
        let e = match (&node.op, &args[..]) {
            (op, [a, b]) if op.is_truncation() => {
                let range = |i: usize| ranges[node.args[i] as usize];
                let floor = if *op == Op::TruncDiv { Op::FloorDiv } else { Op::FloorMod };
                let same = Expr::new(floor.clone(), [a.clone(), b.clone()]);
                let opposite = -Expr::new(floor, [-a, b.clone()]);
                match (sign(range(0)), sign(range(1))) {
                    (Some(a), Some(b)) if a == b => same,
                    (Some(_), Some(_)) => opposite,
                    (None, Some(true)) => select(is_positive(&dag, node.args[0], &ranges, &new), same, opposite),
                    (None, Some(false)) => select(is_positive(&dag, node.args[0], &ranges, &new), opposite, same),
                    (Some(true), None) => select(b.gt(0), same, opposite),
                    (Some(false), None) => select(b.lt(0), same, opposite),
                    (None, None) => select(a.ge(0).equals(b.gt(0)), same, opposite),
                }
            }
            (op, _) => Expr::new(op.clone(), args),
        };
        new.push(e);
    }
    dag.roots().iter().map(|r| new[*r as usize].clone()).collect()
}

/// A condition that is true if node `i` is positive, and false if it is negative. If node `i` is itself a quotient or
/// remainder, the condition tests the sign of its numerator. Nested quotients therefore share one condition.
fn is_positive(dag: &Dag, mut i: u32, ranges: &[Interval], new: &[Expr]) -> Expr {
    let mut turned = false;
    loop {
        let node = &dag.nodes()[i as usize];
        match node.op {
            Op::Neg => turned = !turned,
            Op::TruncMod => {}
            Op::TruncDiv if let Some(positive) = sign(ranges[node.args[1] as usize]) => turned ^= !positive,
            _ => break,
        }
        i = node.args[0];
    }
    if turned { new[i as usize].le(0) } else { new[i as usize].ge(0) }
}

/// `Some(true)` if no value is negative, and `Some(false)` if no value is positive. `None` otherwise.
fn sign(range: Interval) -> Option<bool> {
    if range.is_nonneg() { Some(true) } else { range.hi().is_some_and(|h| h <= 0).then_some(false) }
}
