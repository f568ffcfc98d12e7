//! Questions about sizes: for which values of `n` does a statement always hold?

use super::Found;
use super::case::{Case, Draw, Values};
use super::values::some_condition;
use crate::support::index;
use quaff::expr::{Expr, var};
use quaff::integer::floor_mod;
use quaff_ask::{When, when, when_disjoint, when_vector};
use std::collections::BTreeSet;

/// Compares the conditions found with the sizes for which the statement holds. The result is `Missed` if no conditions
/// are found, although a bound or a multiple would be a correct condition.
fn compared(found: &[When], case: &Case, about: &str, is_right: impl Fn(i64) -> bool) -> Found {
    let sizes = case.sizes();
    let right: BTreeSet<i64> = sizes.iter().copied().filter(|&n| is_right(n)).collect();
    for when in found {
        let test = Values::of(&[when.test()]);
        let chosen: BTreeSet<i64> = sizes.iter().copied().filter(|&n| test.at([0, 0, n])[0] != 0).collect();
        assert!(chosen.is_subset(&right), "{about}: {when:?}, but {right:?} over {case:?}");
        assert!(
            when.necessary.is_none_or(|all| all == (chosen == right)),
            "{about}: {when:?}, {right:?} over {case:?}"
        );
    }
    Found::of(is_of_a_kind(&sizes, &right), !found.is_empty())
}

/// Whether all sizes are right, or at least two that simple conditions allow: the least sizes, the greatest ones, or all
/// multiples of one number.
fn is_of_a_kind(sizes: &[i64], right: &BTreeSet<i64>) -> bool {
    let are_right = |own: &[i64]| own.len() > 1 && own.iter().all(|n| right.contains(n));
    let multiples =
        |m: i64| sizes.iter().copied().filter(|&n| floor_mod(n.into(), m.into()) == 0).collect::<Vec<i64>>();
    let count = sizes.len();
    right.len() == count
        || are_right(&sizes[..count.min(2)])
        || are_right(&sizes[count.saturating_sub(2)..])
        || (2..=12).any(|m| are_right(&multiples(m)))
}

pub(super) fn of_condition(draw: &mut Draw, case: &Case) -> Found {
    let condition = some_condition(draw, case);
    let found = when(&draw.simplifier, &condition, &["n"], &case.domain).expect("an answer");
    let values = case.values(&condition);
    compared(&found, case, &condition.to_string(), |n| {
        case.points.iter().zip(&values).all(|(at, value)| at[2] != n || *value != 0)
    })
}

pub(super) fn of_vector(draw: &mut Draw, case: &Case) -> Found {
    let widths: &[i64] = if floor_mod(case.lanes.into(), 4) == 0 { &[2, 4] } else { &[2] };
    let width = widths[draw.of(0..widths.len())];
    let (index, mask) = (draw.of(index()), draw.of(index()).lt(draw.of(0i64..40)));
    let found = when_vector(&draw.simplifier, &index, Some(&mask), ("t", width), &["n"], &case.domain);
    let values = Values::of(&[index.clone(), mask.clone()]);
    let about = format!("{width} of {index} where {mask}");
    compared(&found.expect("an answer"), case, &about, |n| {
        case.points.iter().filter(|at| at[2] == n).all(|&[t, p, _]| {
            let offset = floor_mod(t.into(), width.into()) as i64;
            let (own, first) = (values.at([t, p, n]), values.at([t - offset, p, n]));
            own[0] == first[0] + offset && floor_mod(first[0].into(), width.into()) == 0 && own[1] == first[1]
        })
    })
}

pub(super) fn of_disjoint(draw: &mut Draw, case: &Case) -> Found {
    let (a, b) = (draw.of(index()), draw.of(index()) + var("n") * draw.one(&[0i64, 1, 8, 32]));
    let found = when_disjoint(&draw.simplifier, &a, &b, &["t"], &["n"], &case.domain).expect("an answer");
    let [of_a, of_b] = [&a, &b].map(|e: &Expr| case.values(e));
    compared(&found, case, &format!("{a} and {b}"), |n| {
        let own = |values: &[i64]| -> BTreeSet<(i64, i64)> {
            let points = case.points.iter().zip(values).filter(|(at, _)| at[2] == n);
            points.map(|(at, value)| (at[1], *value)).collect()
        };
        own(&of_a).is_disjoint(&own(&of_b))
    })
}
