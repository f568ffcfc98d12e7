//! Interval arithmetic backwards: the ranges of unknowns that follow from the range of an expression over them.

use super::{Interval, intervals_of};
use crate::expr::monomials::{Monomial, monomials, sum_of};
use crate::expr::{Dag, DagNode, Expr, Op};
use crate::integer::{ceil_div, floor_div, gcd};
use std::sync::Arc;

/// The ranges of the unknowns of `expr`, computed from the condition that the value of `expr` lies in `wanted`. The
/// result is `None` when no value of `expr` lies in `wanted`.
///
/// Each operation is inverted once, without regard to the other operations. Operations that hardly restrict their
/// operands are skipped. The result is therefore sound but not exact: a range contains every possible value of its
/// unknown, and may contain others.
pub(super) fn operands_for(
    expr: &Expr,
    wanted: Interval,
    range_of: impl Fn(&str) -> Interval,
) -> Option<Vec<(Arc<str>, Interval)>> {
    // `x*(y + 1)` restricts `x` and `y` more than the expanded form `x*y + x` does
    let forms = [Some(expr.clone()), with_common_factor(expr)];
    let mut unknowns = Vec::new();
    for form in forms.into_iter().flatten() {
        unknowns.extend(operands_of_form(&form, wanted, &range_of)?);
    }
    Some(unknowns)
}

/// `expr` with the common factor of its products moved out of their sum. `None` when there is no common factor.
fn with_common_factor(expr: &Expr) -> Option<Expr> {
    let mut products = monomials(expr)?;
    let constant: Vec<Monomial> = products.extract_if(.., |m| m.factors.is_empty()).collect();
    let [first, others @ ..] = &products[..] else { return None };
    if others.is_empty() {
        return None;
    }
    let mut common: Vec<Expr> = first.factors.clone();
    common.dedup();
    common.retain(|f| others.iter().all(|m| m.factors.contains(f)));
    let divisor = products.iter().fold(0, |g, m| gcd(g, m.coefficient.into()));
    let divisor = i64::try_from(divisor).ok().filter(|d| *d > 0)?;
    if common.is_empty() && divisor == 1 {
        return None;
    }
    for m in &mut products {
        m.coefficient = i64::try_from(floor_div(m.coefficient.into(), divisor.into())).ok()?;
        for f in &common {
            let at = m.factors.iter().position(|g| g == f)?;
            m.factors.remove(at);
        }
    }
    let sum = sum_of(&products);
    let product = Monomial { coefficient: divisor, factors: common }.expr() * sum;
    Some(constant.iter().fold(product, |sum, m| sum + m.expr()))
}

fn operands_of_form(
    expr: &Expr,
    wanted: Interval,
    range_of: impl Fn(&str) -> Interval,
) -> Option<Vec<(Arc<str>, Interval)>> {
    let dag = Dag::new(std::slice::from_ref(expr));
    let mut ranges = intervals_of(&dag, range_of);
    let root = *dag.roots().first()? as usize;
    ranges[root] = ranges[root].meet(wanted)?;
    let mut unknowns = Vec::new();
    for (i, node) in dag.nodes().iter().enumerate().rev() {
        if let Op::Var(name) = &node.op {
            unknowns.push((name.clone(), ranges[i]));
            continue;
        }
        for (k, &a) in node.args().iter().enumerate() {
            if let Some(range) = operand(node, k, ranges[i], &ranges) {
                ranges[a as usize] = ranges[a as usize].meet(range)?;
            }
        }
    }
    Some(unknowns)
}

/// The values that operand `k` of `node` may have when the value of `node` lies in `own`.
fn operand(node: &DagNode, k: usize, own: Interval, ranges: &[Interval]) -> Option<Interval> {
    let other = || ranges[node.args[1 - k] as usize];
    Some(match (&node.op, k) {
        (Op::Neg, _) => own.scaled(-1),
        (Op::Add, _) | (Op::Sub, 0) => own.plus(if node.op == Op::Add { other().scaled(-1) } else { other() }),
        (Op::Sub, _) => other().plus(own.scaled(-1)),
        (Op::Mul, _) => factor(own, other())?,
        (Op::FloorDiv, 0) => {
            let n = i128::from(other().as_point().filter(|n| *n > 0)?);
            wide(own.lo().map(|l| i128::from(l) * n), own.hi().map(|h| i128::from(h) * n + n - 1))
        }
        (Op::Min, _) => wide(own.lo().map(i128::from), None),
        (Op::Max, _) => wide(None, own.hi().map(i128::from)),
        _ => return None,
    })
}

/// The values that `x` may have when `x * y` lies in `product` and `y` lies in `other`.
fn factor(product: Interval, other: Interval) -> Option<Interval> {
    if let Some(c) = other.as_point() {
        let (product, c) = if c < 0 { (product.scaled(-1), i128::from(c).checked_neg()?) } else { (product, c.into()) };
        if c == 0 {
            return None;
        }
        let lo = product.lo().map(|l| ceil_div(l.into(), c));
        let hi = product.hi().map(|h| floor_div(h.into(), c));
        return Some(wide(lo, hi));
    }
    // no factor of a positive product is 0, and if one factor is positive, the other is positive, too
    let least = i128::from(product.lo().filter(|l| *l > 0)?);
    if !other.is_nonneg() {
        return None;
    }
    Some(wide(Some(other.hi().map_or(1, |most| ceil_div(least, i128::from(most).max(1)))), None))
}

fn wide(lo: Option<i128>, hi: Option<i128>) -> Interval {
    match (lo, hi) {
        (Some(lo), Some(hi)) if lo > hi => Interval::ALL,
        (lo, hi) => Interval::from_wide(lo.unwrap_or(i64::MIN.into()), hi.unwrap_or(i64::MAX.into())),
    }
}
