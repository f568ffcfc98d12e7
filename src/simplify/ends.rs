//! Narrows the ends of the range of an expression by proofs: it guesses a tighter end `k` and proves `expr >= k`.

use super::error::SimplifyError;
use super::facts::{Facts, Place};
use crate::domain::Interval;
use crate::expr::{Expr, Program, int};
use std::slice::from_ref;

/// The range `known` of `expr`, with ends that were narrowed by proofs. Each proof is one search.
///
/// An end that the expression reaches at one of a few sample points is exact, and takes no proof. Any other end takes
/// two proofs if both fail. If one succeeds, the number of proofs grows with the logarithm of the change of the end.
pub(super) fn with_proved_ends(facts: &mut Facts, expr: &Expr, known: Interval) -> Result<Interval, SimplifyError> {
    let place = facts.place(from_ref(expr))?;
    let Some((least, greatest)) = values_seen(expr, &place) else { return Ok(known) };
    if !known.contains(least) || !known.contains(greatest) {
        // this happens only if a rule of the caller is wrong, and the comparison of the answer will report it
        return Ok(known);
    }
    let mut proves = |condition: Expr| matches!(facts.decide(&condition), Ok(Some(true)));
    let lo = closest(known.lo(), least, |k| proves(expr.ge(int(k))));
    let mirrored = |end: Option<i64>| end.and_then(i64::checked_neg);
    let hi = match (mirrored(known.hi()), mirrored(Some(greatest))) {
        (None, _) if known.hi().is_some() => known.hi(),
        (_, None) => known.hi(),
        (end, Some(seen)) => mirrored(closest(end, seen, |k| proves(expr.le(int(-k))))),
    };
    let open = |end: Option<i64>, open| end.unwrap_or(open);
    // the ends do not cross, because the values at the sample points lie between them
    Ok(Interval::new(open(lo, i64::MIN), open(hi, i64::MAX)).unwrap_or(known))
}

/// The least and the greatest value of `expr` at the points of `place`. `None` if there is no value.
fn values_seen(expr: &Expr, place: &Place) -> Option<(i64, i64)> {
    let names: Vec<&str> = place.domain.vars().collect();
    let program = Program::new(from_ref(expr), &names).ok()?;
    let value = |point: &Vec<i128>| program.eval(point).first()?.ok()?.try_into().ok();
    let values = place.points().iter().filter_map(value);
    values
        .fold(None, |seen, value| Some(seen.map_or((value, value), |(a, b): (i64, i64)| (a.min(value), b.max(value)))))
}

/// The greatest end up to `seen` for which `holds` is true. `known` is such an end, or open.
fn closest(known: Option<i64>, seen: i64, mut holds: impl FnMut(i64) -> bool) -> Option<i64> {
    if known == Some(seen) || holds(seen) {
        return Some(seen);
    }
    known.map(|known| farthest(known, |k| k < seen && holds(k)))
}

/// The greatest number found for which `holds` is true, starting from `known`. Steps are doubled while they succeed,
/// and halved after that.
pub(super) fn farthest(known: i64, mut holds: impl FnMut(i64) -> bool) -> i64 {
    let (mut end, mut step) = (known, 1i64);
    while let Some(next) = end.checked_add(step).filter(|next| holds(*next)) {
        end = next;
        let Some(doubled) = step.checked_mul(2) else { break };
        step = doubled;
    }
    while step > 1 {
        step >>= 1;
        if let Some(next) = end.checked_add(step).filter(|next| holds(*next)) {
            end = next;
        }
    }
    end
}
