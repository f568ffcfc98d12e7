//! Bounds sums of products by their values at the corners: the points at which each factor is at an end of its range.
//!
//! The input is a linear form whose terms may be products, and the result is its range. A polynomial that is linear in
//! a class has its least and greatest values at the ends of the range of that class. Interval arithmetic bounds each
//! product separately, which is weaker. `(A + B)*2048 - A*B` is at least 4095 for `A` and `B` in 1..=4095.

use super::bounds::{greatest, least, read};
use super::polynomial::Polynomial;
use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use egg::Id;

/// The maximum number of classes that are replaced by both ends of their ranges.
const MAX_CORNER_CLASSES: u32 = 6;

/// The range of `lin` that the ranges of its terms and of their factors allow. The range is exact for a polynomial that
/// is linear in each of few factors.
pub(crate) fn range_at_corners(e: &EGraph, lin: &LinearForm) -> Interval {
    let Some(p) = read(e, lin) else { return Interval::ALL };
    let (lo, hi) = ends(e, &p, MAX_CORNER_CLASSES);
    let (lo, hi) = (lo.unwrap_or(i64::MIN.into()), hi.unwrap_or(i64::MAX.into()));
    if lo > hi { Interval::ALL } else { Interval::from_wide(lo, hi) }
}

/// The least and the greatest value of `p`, if it is bounded. At most `classes` classes are replaced by both ends of
/// their ranges.
fn ends(e: &EGraph, p: &Polynomial, classes: u32) -> (Option<i128>, Option<i128>) {
    let apart = (least(e, p), greatest(e, p));
    let Some(fewer) = classes.checked_sub(1) else { return apart };
    let Some((f, (lo, hi))) = shared_factor(e, p) else { return apart };
    let at = |end: i64| p.substituted(f, &Polynomial::constant(end.into())).map(|p| ends(e, &p, fewer));
    let (Some(low), Some(high)) = (at(lo), at(hi)) else { return apart };
    // both bounds hold, so the closer one is taken
    let closer = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
        (Some(a), Some(b)) => Some(pick(a, b)),
        (a, b) => a.or(b),
    };
    let both = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| Some(pick(a?, b?));
    (
        closer(apart.0, both(low.0, high.0, i128::min), i128::max),
        closer(apart.1, both(low.1, high.1, i128::max), i128::min),
    )
}

/// The class that is a factor of most terms of `p`, with the ends of its range. It must be a factor of at least two
/// terms, and at most once in each.
fn shared_factor(e: &EGraph, p: &Polynomial) -> Option<(Id, (i64, i64))> {
    let mut factors: Vec<Id> = p.iter().flat_map(|(m, _)| m.iter().copied()).collect();
    factors.sort_unstable();
    let shared = factors.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
    let is_linear = |f: Id| p.iter().all(|(m, _)| m.iter().filter(|g| **g == f).count() <= 1);
    let bounded = shared.filter_map(|same| {
        let (f, terms) = (same[0], same.len());
        Some((terms, f, e.facts(f).interval.bounded()?))
    });
    let most = bounded.filter(|(_, f, _)| is_linear(*f)).max_by_key(|(terms, f, _)| (*terms, std::cmp::Reverse(*f)))?;
    Some((most.1, most.2))
}
