//! The rules of general index types, for all small static sets (sets of numbers that are added to a dynamic part).

use crate::{have_a_type, small_types};
use quaff::integer::{floor_div, floor_mod};
use quaff_fronts::index_type::{General, IndexError, Outcome, Typed};
use std::collections::{BTreeSet, HashMap};

/// All types whose static set is a subset of 0..6, with small multipliers and intervals.
fn small() -> Vec<General> {
    let mut types = Vec::new();
    for bits in 1_i64..64 {
        let statics: Vec<i64> = (0..6).filter(|s| bits >> s & 1 == 1).collect();
        for multiplier in [0, 1, 2, 3, 4, 6, 8] {
            for dynamics in [0..1, -1..3] {
                types.push(General::new(statics.clone(), multiplier, dynamics).expect("small"));
            }
        }
    }
    types
}

fn sets(ty: &General) -> Vec<BTreeSet<i128>> {
    ty.dynamics().map(|d| ty.set(d).expect("inside").into_iter().collect()).collect()
}

/// Checks each image (set of values) of an operation. It must be the set of the result type at some dynamic number, or
/// lie in the bounds of an inexact result. Returns whether the result is exact.
fn compare(images: &[BTreeSet<i128>], outcome: &Result<Outcome, IndexError>, what: &str) -> bool {
    match outcome.as_ref().expect("small") {
        Outcome::Exact(result) => {
            let denoted: BTreeSet<BTreeSet<i128>> = sets(result).into_iter().collect();
            images.iter().for_each(|i| assert!(denoted.contains(i), "{what}: {i:?} is not of {result}"));
            true
        }
        Outcome::Several(parts) => panic!("{what}: {parts} of types without copies of their own"),
        Outcome::Integers { bounds: (low, high), .. } => {
            assert!(images.iter().flatten().all(|x| (low..=high).contains(&x)), "{what}: {low}..={high}");
            false
        }
    }
}

#[test]
fn constants_are_exact() {
    let mut exact: HashMap<&str, [usize; 2]> = HashMap::new();
    for a in &small() {
        for c in -7_i64..=8 {
            let (constant, wide) = (General::constant(c).expect("small"), i128::from(c));
            let mut case = |name: &'static str, outcome, image: &dyn Fn(i128) -> i128| {
                let images: Vec<BTreeSet<i128>> =
                    sets(a).iter().map(|s| s.iter().map(|x| image(*x)).collect()).collect();
                let known = compare(&images, &outcome, &format!("{a} {name} {c}"));
                let counts = exact.entry(name).or_default();
                counts[0] += usize::from(known);
                counts[1] += usize::from(!known && have_a_type(&images));
            };
            case("+", a.plus(&constant), &|x| x + wide);
            case("-", a.minus(&constant), &|x| x - wide);
            case("c-", constant.minus(a), &|x| wide - x);
            case("*", a.times(&constant), &|x| x * wide);
            if c != 0 {
                case("//", a.floor_div(c), &|x| floor_div(x, wide));
                case("%", a.floor_mod(c), &|x| floor_mod(x, wide));
            }
        }
    }
    // if an `idx` type denotes the images, the general type has a rule in nearly all cases
    for (name, [known, missed]) in exact {
        let all = ["+", "-", "c-", "*"].contains(&name);
        assert!(known > 5_000 && if all { missed == 0 } else { missed * 20 < known }, "{name}: {known} {missed}");
    }
}

#[test]
fn sums_and_products_of_two_are_exact() {
    let types: Vec<General> = small().into_iter().step_by(7).collect();
    for a in &types {
        for b in &types {
            let pairs = |image: &dyn Fn(i128, i128) -> i128| -> Vec<BTreeSet<i128>> {
                let (left, right) = (sets(a), sets(b));
                let with = |x: &BTreeSet<i128>, y: &BTreeSet<i128>| {
                    x.iter().flat_map(|p| y.iter().map(|q| image(*p, *q)).collect::<Vec<_>>()).collect()
                };
                left.iter().flat_map(|x| right.iter().map(|y| with(x, y)).collect::<Vec<_>>()).collect()
            };
            assert!(compare(&pairs(&|x, y| x + y), &a.plus(b), &format!("{a} + {b}")));
            assert!(compare(&pairs(&|x, y| x - y), &a.minus(b), &format!("{a} - {b}")));
            compare(&pairs(&|x, y| x * y), &a.times(b), &format!("{a} * {b}"));
        }
    }
}

#[test]
fn every_idx_is_a_general_type_and_comes_back() {
    for ty in small_types(6) {
        let general = General::from_idx(&ty).expect("small");
        assert_eq!(general.to_idx(), Some(ty));
        let images: Vec<BTreeSet<i128>> = ty.dynamics().map(|d| ty.set(d).expect("inside").collect()).collect();
        assert_eq!(sets(&general), images);
    }
}

/// If a rule of `idx` types gives a result type, a rule of general types gives the same type.
#[test]
fn general_types_are_no_weaker() {
    for ty in small_types(6) {
        let (typed, general) = (Typed::new(ty, quaff::expr::var("d")), General::from_idx(&ty).expect("small"));
        for c in (-6..=6).filter(|c| *c != 0) {
            for (one, other) in [(typed.floor_div(c), general.floor_div(c)), (typed.floor_mod(c), general.floor_mod(c))]
            {
                if let Ok(one) = one {
                    let Ok(Outcome::Exact(other)) = other else { panic!("{ty} by {c}: {other:?} but {}", one.ty()) };
                    let idx = other.to_idx().unwrap_or_else(|| panic!("{ty} by {c}: {other} but {}", one.ty()));
                    assert_eq!(idx.copies(), one.ty().copies(), "{ty} by {c}");
                }
            }
        }
    }
}

#[test]
fn canonical_forms_are_unique() {
    let mut by_family: HashMap<Vec<BTreeSet<i128>>, General> = HashMap::new();
    for ty in small() {
        let other = by_family.entry(sets(&ty)).or_insert(ty.clone());
        assert_eq!(*other, ty);
    }
    let different: BTreeSet<String> = by_family.values().map(General::to_string).collect();
    assert_eq!(different.len(), by_family.len());
}

#[test]
fn the_sign_of_a_mirrored_interval_is_kept() {
    let a = General::new(vec![0, 1], 4, 0..3).expect("small");
    assert_eq!(a.bounds(), (0, 9));
    let Ok(Outcome::Exact(mirrored)) = a.times(&General::constant(-1).expect("small")) else { panic!() };
    assert_eq!((mirrored.bounds(), mirrored.multiplier()), ((-9, 0), 4));
    assert_eq!((mirrored.statics(), mirrored.to_string().as_str()), (&[3, 4][..], "{3, 4} + 4*(-3..0)"));
}
