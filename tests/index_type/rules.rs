//! The rules of `idx` types: a result type denotes exactly the set of possible results, at every dynamic number of the
//! operands.

use crate::{have_a_type, small_types};
use quaff::expr::{Expr, var};
use quaff::integer::{floor_div, floor_mod};
use quaff_fronts::index_type::{Idx, IndexError, Typed};
use std::collections::{BTreeSet, HashMap};

/// The number of cases in which a rule applied, and the number of cases in which a type exists but no rule applied.
#[derive(Debug, Default, PartialEq)]
struct Count {
    exact: usize,
    missed: usize,
}

fn dynamic(value: &Expr, d: i128, e: i128) -> i128 {
    value.eval(|n| i64::try_from(if n == "d" { d } else { e }).ok()).expect("a number")
}

/// Compares the type of a result with the sets that `image` computes from the sets of the operands.
fn compare(
    count: &mut Count,
    (a, b): (&Idx, &Idx),
    result: Result<Typed, IndexError>,
    image: impl Fn(i128, i128) -> i128,
) {
    let set = |d: i128, e: i128| -> BTreeSet<i128> {
        let right: Vec<i128> = b.set(e).expect("inside").collect();
        a.set(d).expect("inside").flat_map(|x| right.iter().map(|y| image(x, *y)).collect::<Vec<_>>()).collect()
    };
    let points: Vec<(i128, i128)> = a.dynamics().flat_map(|d| b.dynamics().map(move |e| (d, e))).collect();
    match result {
        Ok(typed) => {
            count.exact += 1;
            for (d, e) in points {
                let denoted = typed.ty().set(dynamic(typed.value(), d, e));
                let denoted = denoted.unwrap_or_else(|| panic!("{a} {b}: {} is not of {}", typed.value(), typed.ty()));
                assert!(denoted.eq(set(d, e)), "{a}, {b}: {} {}", typed.ty(), typed.value());
            }
        }
        Err(IndexError::Inexact { .. }) => {
            let sets: Vec<_> = points.into_iter().map(|(d, e)| set(d, e)).collect();
            count.missed += usize::from(have_a_type(&sets));
        }
        Err(other) => panic!("{a}, {b}: {other}"),
    }
}

fn typed(ty: &Idx, name: &str) -> Typed {
    Typed::new(*ty, var(name))
}

#[test]
fn sums_and_differences_are_exact_and_none_is_missed() {
    let types = small_types(3);
    let mut count = Count::default();
    for a in &types {
        for b in types.iter().filter(|b| b.dynamics().start < 0 || b.copies() == 1) {
            compare(&mut count, (a, b), typed(a, "d").plus(&typed(b, "e")), |x, y| x + y);
            compare(&mut count, (a, b), typed(a, "d").minus(&typed(b, "e")), |x, y| x - y);
        }
    }
    assert!(count.exact > 40_000 && count.missed == 0, "{count:?}");
}

#[test]
fn products_are_exact() {
    let types = small_types(3);
    let mut count = Count::default();
    for a in &types {
        for b in types.iter().filter(|b| b.copies() == 1) {
            compare(&mut count, (a, b), typed(a, "d").times(&typed(b, "e")), |x, y| x * y);
        }
    }
    // the product of two static sets may be an interval by chance, such as {0, 1} times {1}
    assert!(count.exact > 10_000 && count.missed * 100 < count.exact, "{count:?}");
}

#[test]
fn constants_are_added_subtracted_multiplied_and_divided_by_exactly() {
    let mut count: HashMap<&str, Count> = HashMap::new();
    let one = Idx::constant(0).expect("small");
    for a in &small_types(8) {
        for c in -9..=9 {
            let constant = Typed::constant(c).expect("small");
            let (i, wide) = (typed(a, "d"), i128::from(c));
            let mut case = |name, result, image: &dyn Fn(i128, i128) -> i128| {
                compare(count.entry(name).or_default(), (a, &one), result, image);
            };
            case("+", i.plus(&constant), &|x, _| x + wide);
            case("-", i.minus(&constant), &|x, _| x - wide);
            case("c-", constant.minus(&i), &|x, _| wide - x);
            case("*", i.times(&constant), &|x, _| x * wide);
            if c == 0 {
                assert_eq!(i.floor_div(c), Err(IndexError::ZeroDivisor));
                assert_eq!(i.floor_mod(c), Err(IndexError::ZeroDivisor));
                continue;
            }
            case("//", i.floor_div(c), &|x, _| floor_div(x, wide));
            case("%", i.floor_mod(c), &|x, _| floor_mod(x, wide));
        }
    }
    // for each operator, a rule applies whenever a type exists
    assert!(count.values().all(|c| c.exact > 5_000 && c.missed == 0), "{count:?}");
}

#[test]
fn the_run_time_value_is_the_documented_one() {
    let i = Typed::new(Idx::new(0..8, 0..64).expect("small"), var("d"));
    let shown =
        |t: Result<Typed, IndexError>| t.map(|t| format!("{} {}", t.ty(), t.value())).map_err(|e| e.to_string());
    let five = Typed::constant(5).expect("small");
    assert_eq!(shown(i.plus(&five)), Ok("idx<5..13, 0..64> d".into()));
    assert_eq!(shown(five.minus(&i)), Ok("idx<-2..6, -63..1> -d".into()));
    assert_eq!(shown(i.floor_div(4)), Ok("idx<0..2, 0..64> d".into()));
    assert_eq!(shown(i.floor_div(32)), Ok("idx<0..1, 0..16> d//4".into()));
    assert_eq!(shown(i.floor_mod(4)), Ok("idx<0..4, 0..1> 0".into()));
    assert_eq!(shown(i.floor_mod(32)), Ok("idx<0..8, 0..4> d%4".into()));
    let lost = "`%` has no exact index type: remainders of a set are not consecutive";
    assert_eq!(shown(i.floor_mod(12)), Err(lost.into()));
}

#[test]
fn loops_need_a_factor_of_their_trips_only() {
    for (low, high) in (-9..=9).flat_map(|l| (l + 1..=l + 24).map(move |h| (l, h))) {
        for factor in 1..=12 {
            let ty = Idx::unrolled(low, high, factor);
            if (high - low) % factor != 0 {
                assert!(matches!(ty, Err(IndexError::Unroll { .. })));
                continue;
            }
            let ty = ty.expect("divides");
            assert_eq!((ty.values(), ty.copies()), (low.into()..high.into(), factor as u128));
            let visited: Vec<i128> = ty.dynamics().flat_map(|d| ty.set(d).expect("inside")).collect();
            assert!(visited.into_iter().eq(i128::from(low)..i128::from(high)), "{ty}");
        }
    }
}

#[test]
fn canonical_forms_are_unique() {
    let mut by_family: HashMap<Vec<(i128, i128)>, Idx> = HashMap::new();
    let mut forms = HashMap::new();
    for ty in small_types(5) {
        let canonical = ty.canonical();
        assert!((0..canonical.copies() as i128).contains(&canonical.statics().start));
        assert_eq!((canonical, canonical.canonical().to_string()), (ty, canonical.to_string()));
        let family = ty.dynamics().map(|d| ty.set(d).map(|s| (s.start, s.end)).expect("inside")).collect();
        let other = by_family.entry(family).or_insert(ty);
        assert_eq!(*other, ty);
        assert_eq!(forms.entry(canonical.to_string()).or_insert(*other), other);
    }
    assert_eq!(by_family.len(), forms.len());
}

#[test]
fn enormous_types_are_not_enumerated() {
    let huge = Idx::new(0..1_i128 << 64, 0..1).expect("2^64 copies");
    assert_eq!(huge.copies(), 1 << 64);
    let i = Typed::new(huge, var("d"));
    assert!(i.floor_mod(7).is_ok() && i.floor_div(3).is_ok());
    assert_eq!(i.plus(&i), Err(IndexError::Overflow));
    assert!(matches!(quaff_fronts::index_type::General::from_idx(&huge), Err(IndexError::TooManyCopies { .. })));
    assert_eq!(Idx::new(i128::MIN..i128::MAX, 0..1), Err(IndexError::Overflow));
    assert_eq!(Idx::new(0..1, 0..(1_i128 << 64) + 2), Err(IndexError::Overflow));
    // unsigned integers of 64 bits have a type, and products beyond 64 bits are refused
    let word = Typed::new(Idx::integer(0..1_i128 << 64).expect("64 bits"), var("d"));
    assert_eq!(word.ty().to_string(), "idx<0..1, 0..18446744073709551616>");
    assert_eq!(word.times(&word), Err(IndexError::Overflow));
    assert_eq!(word.times(&Typed::constant(i64::MAX).expect("64 bits")), Err(IndexError::Overflow));
    assert!(word.floor_div(8).is_ok_and(|t| t.ty().values() == (0..1 << 61)));
    assert!(matches!(Idx::new(3..3, 0..1), Err(IndexError::Empty { which: "static", .. })));
}
