//! Questions about maps from `t` and `p`.

use super::Found;
use super::case::{Case, Draw, Point, Values};
use crate::maps::output;
use quaff::expr::{Expr, Program, int};
use quaff_ask::{Answer, Inverse, disjoint, injective, inverse, surjective};
use std::collections::{BTreeMap, BTreeSet, HashMap};

const INPUTS: [&str; 2] = ["t", "p"];

/// The largest number of output tuples at which the condition of an inverse is evaluated.
const MOST_PLACES: i64 = 5000;

/// A map. Its `points` have, for each `n` and each output, an input that leads to this output.
struct Map {
    outputs: Vec<Expr>,
    points: HashMap<(i64, Vec<i64>), Point>,
    is_injective: bool,
    /// One more than the largest value of each output, at least 1.
    extents: Vec<i64>,
}

impl Map {
    fn drawn(draw: &mut Draw, case: &Case) -> Map {
        let outputs = draw.of(proptest::collection::vec(output(), 1..3));
        let values = Values::of(&outputs);
        let mut extents = vec![1; outputs.len()];
        let mut points = HashMap::new();
        for &at in &case.points {
            let own = values.at(at);
            extents.iter_mut().zip(&own).for_each(|(end, value)| *end = (*end).max(value + 1));
            points.insert((at[2], own), at);
        }
        Map { is_injective: points.len() == case.points.len(), outputs, points, extents }
    }

    /// All places: the tuples of numbers that are at least 0 and below the extents.
    fn places(&self) -> Vec<Vec<i64>> {
        self.extents.iter().fold(vec![vec![]], |all: Vec<Vec<i64>>, &end| {
            all.iter().flat_map(|place| (0..end).map(move |i| [&place[..], &[i]].concat())).collect()
        })
    }

    fn number_of_places(&self) -> i64 {
        self.extents.iter().product()
    }
}

pub(super) fn is_injective(draw: &mut Draw, case: &Case) -> Found {
    let map = Map::drawn(draw, case);
    let found = injective(&draw.simplifier, &map.outputs, &INPUTS, &case.domain).expect("an answer");
    let is_right = match found {
        Answer::Yes => map.is_injective,
        Answer::No(_) => !map.is_injective,
        Answer::NotProved => true,
    };
    assert!(is_right, "{:?}: {found:?} over {:?}", map.outputs, case.domain);
    Found::of(map.is_injective, found.is_yes())
}

pub(super) fn is_surjective(draw: &mut Draw, case: &Case) -> Found {
    let map = Map::drawn(draw, case);
    let sizes = case.sizes();
    let own = |n: i64| map.points.keys().filter(move |(size, _)| *size == n).map(|(_, place)| place);
    // negative outputs are no places, so they do not matter for surjectivity
    let inside = |n: i64| own(n).filter(|place| place.iter().all(|value| *value >= 0)).count() as i64;
    let is_so = sizes.iter().all(|&n| inside(n) == map.number_of_places());
    let extents: Vec<Expr> = map.extents.iter().map(|&end| int(end)).collect();
    let found = surjective(&draw.simplifier, &map.outputs, &extents, &INPUTS, &case.domain).expect("an answer");
    match &found {
        Answer::Yes => assert!(is_so, "{:?} over {case:?}", map.outputs),
        Answer::No(place) => {
            let is_output = |n: &i64| map.points.contains_key(&(*n, place.clone()));
            assert!(!sizes.iter().all(is_output), "{:?}: {place:?} over {case:?}", map.outputs);
        }
        Answer::NotProved => {}
    }
    Found::of(is_so, found.is_yes())
}

pub(super) fn has_inverse(draw: &mut Draw, case: &Case) -> Found {
    let map = Map::drawn(draw, case);
    let places: Vec<(&str, Expr)> = ["a", "b"].into_iter().zip(map.extents.iter().map(|&end| int(end))).collect();
    let found = inverse(&draw.simplifier, &map.outputs, &places, &INPUTS, &case.domain).expect("an answer");
    if let Some(found) = &found {
        let about = || format!("{:?}: {found:?} over {:?}", map.outputs, case.domain);
        assert!(map.is_injective, "{}", about());
        check(&map, found, &case.sizes(), &about);
    }
    Found::of(map.is_injective, found.is_some())
}

/// Panics unless the inverse maps each output back to its input, and its condition holds exactly at outputs.
fn check(map: &Map, found: &Inverse, sizes: &[i64], about: &dyn Fn() -> String) {
    let names = [&["a", "b"][..map.outputs.len()], &["n"]].concat();
    let all: Vec<Expr> = found.inputs.iter().chain(&found.inside).cloned().collect();
    let program = Program::new(&all, &names).unwrap_or_else(|e| panic!("{e:?}: {}", about()));
    let at = |n: i64, place: &[i64]| {
        let point: Vec<i128> = place.iter().chain([&n]).map(|&value| value.into()).collect();
        program.eval(&point).into_iter().map(|value| value.ok()).collect::<Vec<_>>()
    };
    // an output with a negative number is not a place
    let is_place = |place: &[i64]| place.iter().zip(&map.extents).all(|(value, end)| (0..*end).contains(value));
    for ((n, place), [t, p, _]) in map.points.iter().filter(|((_, place), _)| is_place(place)) {
        let values = at(*n, place);
        assert_eq!(values[..2], [Some((*t).into()), Some((*p).into())], "{} at {place:?}", about());
        assert!(values.get(2).is_none_or(|inside| *inside != Some(0)), "{} at {place:?}", about());
    }
    if map.number_of_places() > MOST_PLACES {
        return;
    }
    for place in map.places() {
        for &n in sizes.iter().filter(|n| !map.points.contains_key(&(**n, place.clone()))) {
            assert_eq!(at(n, &place).get(2), Some(&Some(0)), "{} at {place:?}, n={n}", about());
        }
    }
}

pub(super) fn are_disjoint(draw: &mut Draw, case: &Case) -> Found {
    let (a, b) = (draw.of(output()), draw.of(output()));
    // half of the second accesses are moved by the last address of the first access
    let last = case.values(&a).into_iter().max().unwrap_or(0);
    let b = b + draw.one(&[0, 0, 1, 1]) * (last + draw.of(0i64..2)) + draw.of(0i64..2);
    let mut addresses: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for (at, value) in case.points.iter().zip(case.values(&a)) {
        addresses.entry(at[2]).or_default().insert(value);
    }
    let meets = case.points.iter().zip(case.values(&b)).any(|(at, value)| addresses[&at[2]].contains(&value));
    let found = disjoint(&draw.simplifier, &a, &b, &INPUTS, &case.domain).expect("an answer");
    let is_right = match &found {
        Answer::Yes => !meets,
        Answer::No(_) => meets,
        Answer::NotProved => true,
    };
    assert!(is_right, "{a} and {b}: {found:?} over {:?}", case.domain);
    Found::of(!meets, found.is_yes())
}
