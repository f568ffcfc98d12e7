//! Finds the shape that is nearest to a requested shape.

use super::facts::Facts;
use quaff::expr::{Expr, int};
use quaff::integer::{floor_div, floor_mod};

/// The largest distance from a requested size at which a divisor is searched.
const MAX_DISTANCE: i64 = 1 << 12;

/// The shape with `elements` elements that differs least from `shape`. It differs in one axis if that is enough.
pub(super) fn nearest_shape(facts: &Facts, elements: &Expr, shape: &[Expr]) -> Option<Vec<Expr>> {
    let with = |axis: usize, size: Expr| {
        let mut shape = shape.to_vec();
        shape[axis] = size;
        shape
    };
    let constants: Option<Vec<i64>> = shape.iter().map(Expr::as_const).collect();
    if let (Some(total @ 1..), Some(sizes)) = (elements.as_const(), constants) {
        let one = (0..sizes.len()).filter_map(|axis| {
            let mut others = sizes.iter().enumerate().filter(|(a, _)| *a != axis);
            let others = others.try_fold(1i64, |p, (_, s)| p.checked_mul(*s)).filter(|p| *p > 0)?;
            let exact = floor_mod(total.into(), others.into()) == 0;
            let size = i64::try_from(floor_div(total.into(), others.into())).ok().filter(|_| exact)?;
            Some((size.abs_diff(sizes[axis]), axis, size))
        });
        return match one.min() {
            Some((_, axis, size)) => Some(with(axis, int(size))),
            None => divided(total, &sizes),
        };
    }
    (0..shape.len()).rev().find_map(|axis| {
        let others = facts.product(shape.iter().enumerate().filter(|(a, _)| *a != axis).map(|(_, s)| s)).ok()?;
        let (q, r) = facts.poly(elements).ok()?.div_rem(&facts.poly(&others).ok()?)?;
        let size = q.to_expr().filter(|_| r.as_const() == Some(0))?;
        (facts.le(&int(0), &size) == Some(true)).then(|| with(axis, size))
    })
}

/// A shape with `total` elements. Each axis in turn gets the divisor of the remaining number that is nearest to its
/// size, and the last axis gets the rest.
fn divided(total: i64, sizes: &[i64]) -> Option<Vec<Expr>> {
    let (_, before) = sizes.split_last()?;
    let mut left = total;
    let mut shape = Vec::with_capacity(sizes.len());
    for &size in before {
        let divides = |d: i64| d > 0 && floor_mod(left.into(), d.into()) == 0;
        let near = (0..MAX_DISTANCE).find_map(|by| {
            let around = [size.saturating_sub(by), size.saturating_add(by)];
            around.into_iter().find(|d| divides(*d))
        });
        let size = near.unwrap_or(1);
        left = i64::try_from(floor_div(left.into(), size.into())).ok()?;
        shape.push(int(size));
    }
    shape.push(int(left));
    Some(shape)
}
