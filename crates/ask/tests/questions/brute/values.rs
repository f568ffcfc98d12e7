//! Questions about values: conditions, ranges, lanes, parts.

use super::Found;
use super::case::{Case, Draw, Point, Values};
use crate::strides::rebuilt;
use crate::support::index;
use quaff::expr::{Expr, int};
use quaff::integer::{floor_mod, gcd};
use quaff_ask::{Lanes, Strides, lanes, parts, strides, widest_vector};

/// A condition that compares an expression with a number near its values. So the condition often holds at all points.
pub(super) fn some_condition(draw: &mut Draw, case: &Case) -> Expr {
    let (a, b) = (draw.of(index()), draw.of(index()));
    let near = |values: &[i64], at: usize| values[at.min(values.len() - 1)] + 1;
    let (mut values, at) = (case.values(&a), draw.one(&[0usize, usize::MAX]));
    values.sort_unstable();
    match draw.of(0..5) {
        0 => a.lt(b),
        1 => a.lt(near(&values, at)),
        2 => a.ge(values[0] - draw.of(0i64..3)),
        3 => a.floor_mod(draw.one(&[2i64, 3, 4, 8])).equals(draw.of(0i64..3)),
        _ => a.equals(b).not(),
    }
}

pub(super) fn condition(draw: &mut Draw, case: &Case) -> Found {
    let condition = some_condition(draw, case);
    let values = case.values(&condition);
    let truth = match values.iter().filter(|value| **value != 0).count() {
        0 => Some(false),
        count if count == values.len() => Some(true),
        _ => None,
    };
    let found = draw.simplifier.facts(&case.domain).prove(&condition).expect("an answer");
    assert!(found.is_none() || found == truth, "{condition} is said to be {found:?} over {case:?}");
    Found::of(truth.is_some(), found.is_some())
}

pub(super) fn equality(draw: &mut Draw, case: &Case) -> Found {
    let (a, b) = (draw.of(index()), draw.of(index()));
    let (c, d) = (draw.one(&[2i64, 3, 4, 8]), draw.one(&[2i64, 4, 5]));
    let (left, right) = match draw.of(0..7) {
        0 => (a.floor_div(c) * c + a.floor_mod(c), a),
        1 => ((&a * c + b.floor_mod(c)).floor_div(c), a),
        2 => ((&a + &b * c).floor_mod(c), a.floor_mod(c)),
        3 => ((&a + &b * c).floor_div(c), a.floor_div(c) + b),
        4 => (a.floor_div(c).floor_div(d), a.floor_div(c * d)),
        5 => (a.floor_mod(c * d).floor_div(c), a.floor_div(c).floor_mod(d)),
        _ => (a, b),
    };
    let truth = case.values(&left) == case.values(&right);
    let found = draw.simplifier.facts(&case.domain).equal(&left, &right).expect("an answer");
    assert!(found != Some(true) || truth, "{left} is no {right} over {case:?}");
    if found == Some(false) {
        assert!(case.values(&left.equals(&right)).iter().all(|value| *value == 0), "{left}, {right} over {case:?}");
    }
    Found::of(truth, found == Some(true))
}

pub(super) fn bounds(draw: &mut Draw, case: &Case) -> Found {
    let e = draw.of(index());
    let values = case.values(&e);
    let ends = values.iter().min().copied().zip(values.iter().max().copied());
    let found = draw.simplifier.facts(&case.domain).bounds(&e).expect("an answer");
    assert!(values.iter().all(|value| found.contains(*value)), "{e} is in {found} over {case:?}");
    Found::of(true, found.bounded() == ends)
}

pub(super) fn congruence(draw: &mut Draw, case: &Case) -> Found {
    let e = draw.of(index());
    let values = case.values(&e);
    let modulus = values.iter().fold(0, |all, value| gcd(all, i128::from(value - values[0])));
    let found = draw.simplifier.facts(&case.domain).congruence(&e).expect("an answer");
    assert!(values.iter().all(|value| found.contains(*value)), "{e} is {found:?} over {case:?}");
    Found::of(modulus != 1, i128::from(found.modulus()) == modulus)
}

/// An index along the lane `t`, and the answer to the question about its contiguity and divisibility.
struct Along<'c> {
    case: &'c Case,
    index: Expr,
    values: Values,
    found: Lanes,
}

impl Along<'_> {
    fn drawn<'c>(draw: &mut Draw, case: &'c Case) -> Along<'c> {
        let index = draw.of(index());
        Along::of(draw, index, case)
    }

    fn of<'c>(draw: &Draw, index: Expr, case: &'c Case) -> Along<'c> {
        let all = std::slice::from_ref(&index);
        let mut found = lanes(&draw.simplifier, all, "t", &case.domain).expect("an answer");
        Along { case, values: Values::of(all), found: found.swap_remove(0), index }
    }

    /// The greatest length of groups in which `holds` is true for the value of each lane, the value of the first lane,
    /// and the offset in the group.
    fn longest(&self, holds: impl Fn(i64, i64, i64) -> bool) -> i64 {
        let count = self.case.lanes;
        let is_right = |length: i64| {
            self.case.points.iter().all(|&[t, p, n]| {
                let offset = floor_mod(t.into(), length.into()) as i64;
                holds(self.values.at([t, p, n])[0], self.values.at([t - offset, p, n])[0], offset)
            })
        };
        let powers = (0..6).map(|k| 1i64 << k).filter(|power| floor_mod(count.into(), (*power).into()) == 0);
        powers.chain([count]).take_while(|length| is_right(*length)).last().unwrap_or(1)
    }

    fn compared(&self, found: i64, longest: i64) -> Found {
        let is_possible = floor_mod(longest.into(), found.into()) == 0;
        assert!(is_possible, "{}: {:?} but {longest} over {:?}", self.index, self.found, self.case);
        Found::of(longest > 1, found == longest)
    }

    /// The values at the first lanes of all groups that contain a point.
    fn firsts(&self, length: i64) -> impl Iterator<Item = i64> {
        let first = move |[t, p, n]: Point| [t - floor_mod(t.into(), length.into()) as i64, p, n];
        self.case.points.iter().map(move |&at| self.values.at(first(at))[0])
    }
}

pub(super) fn contiguity(draw: &mut Draw, case: &Case) -> Found {
    let along = Along::drawn(draw, case);
    along.compared(along.found.contiguity, along.longest(|own, first, offset| own == first + offset))
}

pub(super) fn constancy(draw: &mut Draw, case: &Case) -> Found {
    let along = Along::drawn(draw, case);
    along.compared(along.found.constancy, along.longest(|own, first, _| own == first))
}

pub(super) fn divisibility(draw: &mut Draw, case: &Case) -> Found {
    let along = Along::drawn(draw, case);
    let Lanes { contiguity, first, .. } = along.found;
    assert!(along.firsts(contiguity).all(|value| first.contains(value)), "{}: {first:?} over {case:?}", along.index);
    let truth = along.firsts(contiguity).fold(0, |all, value| gcd(all, value.into()));
    Found::of(truth != 1, i128::from(along.found.divisibility()) == truth)
}

pub(super) fn vector(draw: &mut Draw, case: &Case) -> Found {
    let mask = draw.of(index()).lt(draw.one(&[4i64, 8, 16, 100]));
    let (index, mask) = (Along::drawn(draw, case), Along::of(draw, mask, case));
    let is_right = |width: &i64| {
        case.points.iter().all(|&[t, p, n]| {
            let offset = floor_mod(t.into(), (*width).into()) as i64;
            let at = |values: &Values| (values.at([t, p, n])[0], values.at([t - offset, p, n])[0]);
            let ((own, first), (gate, of_first)) = (at(&index.values), at(&mask.values));
            own == first + offset && gate == of_first && floor_mod(first.into(), (*width).into()) == 0
        })
    };
    let truth = [1i64, 2, 4, 8, 16].into_iter().filter(|width| floor_mod(case.lanes.into(), (*width).into()) == 0);
    let truth = truth.filter(is_right).max().unwrap_or(1);
    let found = widest_vector(&index.found, Some(&mask.found), 16);
    assert!(is_right(&found), "{} where {}: {found} over {case:?}", index.index, mask.index);
    Found::of(truth > 1, found == truth)
}

pub(super) fn comes_apart(draw: &mut Draw, case: &Case) -> Found {
    let e = draw.of(index());
    let found = parts(&draw.simplifier, &e, &[&["t"], &["p"]], &case.domain).expect("an answer");
    let all = found.parts.iter().chain([&found.shared]).chain(&found.mixed);
    let sum = all.cloned().reduce(|sum, part| sum + part).unwrap_or_else(|| int(0));
    assert_eq!(case.values(&sum), case.values(&e), "{e}: {found:?} over {case:?}");
    let has = |e: &Expr, name: &str| e.variables().iter().any(|v| **v == *name);
    assert!(!has(&found.parts[0], "p") && !has(&found.parts[1], "t"), "{e}: {found:?}");
    let values = Values::of(std::slice::from_ref(&e));
    let is_so = case.points.iter().all(|&[t, p, n]| {
        let [own, row, column, origin] = [[t, p, n], [t, 0, n], [0, p, n], [0, 0, n]].map(|at| values.at(at)[0]);
        own - row - column + origin == 0
    });
    Found::of(is_so, found.is_whole())
}

pub(super) fn is_strided(draw: &mut Draw, case: &Case) -> Found {
    let e = draw.of(index());
    let found = strides(&draw.simplifier, &e, &["t", "p"], &case.domain).expect("an answer");
    if let Strides::Strided(found) = &found {
        let values = case.values(&e);
        for (&at, value) in case.points.iter().zip(values) {
            assert_eq!(rebuilt(found, at), value, "{e}: {found:?} at {at:?} over {case:?}");
        }
    }
    let values = Values::of(std::slice::from_ref(&e));
    let is_affine = case.points.iter().all(|&[t, p, n]| {
        let [own, lane, inner, origin] = [[t, p, n], [1, 0, n], [0, 1, n], [0, 0, n]].map(|at| values.at(at)[0]);
        own - origin == t * (lane - origin) + p * (inner - origin)
    });
    Found::of(is_affine, matches!(found, Strides::Strided(_)))
}
