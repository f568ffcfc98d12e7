//! Expressions with unrolled indices: the type contains every value, and each copy computes the right value.

use crate::samples::Random;
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff_fronts::index_type::{CheckError, Checked, Idx, Outcome, Types, check};
use std::collections::BTreeSet;

/// Types of the unrolled indices `i` (by 4) and `j` (by 2), of `r`, which is a multiple of 8, and of `x`.
fn types() -> (Types, [Idx; 2]) {
    let domain = Domain::new().with("r", -64..=64).stride("r", 8, 0).with("x", -3..=9);
    let unrolled = [Idx::unrolled(0, 16, 4).expect("divides"), Idx::unrolled(2, 6, 2).expect("divides")];
    (Types::new(&domain).expect("consistent").with("i", unrolled[0]).with("j", unrolled[1]), unrolled)
}

pub(crate) fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["i", "j", "r", "x"]).prop_map(var),
        1 => (-9_i64..=32).prop_map(int),
    ];
    leaf.prop_recursive(5, 20, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        let constant = prop::sample::select(vec![-8_i64, -3, 1, 2, 3, 4, 8, 16]);
        prop_oneof![
            3 => two.clone().prop_map(|(a, b)| a + b),
            2 => two.clone().prop_map(|(a, b)| a - b),
            2 => (inner.clone(), constant.clone()).prop_map(|(a, c)| a * c),
            2 => (inner.clone(), constant.clone()).prop_map(|(a, c)| a / c),
            2 => (inner.clone(), constant).prop_map(|(a, c)| a % c),
            1 => two.clone().prop_map(|(a, b)| a ^ b),
            1 => two.clone().prop_map(|(a, b)| a & b),
            1 => two.clone().prop_map(|(a, b)| a | b),
            1 => two.clone().prop_map(|(a, b)| a * b),
            1 => two.prop_map(|(a, b)| a.min(b)),
        ]
    })
}

/// Compares every copy with the expression at random points.
fn holds(e: &Expr, checked: &Checked, unrolled: [Idx; 2]) -> Result<(), TestCaseError> {
    let copies = checked.copies().expect("small constants");
    prop_assert_eq!(copies.len(), checked.len());
    let mut random = Random(7);
    for _ in 0..40 {
        let first: Vec<i128> = unrolled
            .iter()
            .map(|ty| {
                let d = ty.dynamics();
                ty.set(random.within((d.start as i64, d.end as i64 - 1))).expect("inside").start
            })
            .collect();
        let (r, x) = (random.within((-8, 8)) * 8, random.within((-3, 9)));
        let mut together = Vec::new();
        for (s, copy) in copies.iter().enumerate() {
            let number = |name: &str| checked.copy(s).iter().find(|(n, _)| &**n == name).map_or(0, |(_, s)| *s);
            let value = |name: &str, shifted: bool| {
                let by = if shifted { number(name) } else { 0 };
                let v = match name {
                    "i" => first[0] + by,
                    "j" => first[1] + by,
                    "r" => r,
                    _ => x,
                };
                i64::try_from(v).ok()
            };
            let expected = e.eval(|n| value(n, true)).expect("no divisor is 0");
            prop_assert_eq!(copy.eval(|n| value(n, false)), Ok(expected), "copy {} of {}: {}", s, e, copy);
            together.push(expected);
        }
        together.sort_unstable();
        together.dedup();
        match checked.ty() {
            Outcome::Exact(ty) => {
                prop_assert!(ty.dynamics().any(|d| ty.set(d).as_ref() == Some(&together)), "{e}: {ty} {together:?}");
            }
            Outcome::Several(parts) => {
                let (low, high) = parts.bounds();
                prop_assert!(together.iter().all(|v| (low..=high).contains(v)), "{e}: {low}..={high} {together:?}");
            }
            Outcome::Integers { bounds: (low, high), .. } => {
                prop_assert!(together.iter().all(|v| (low..=high).contains(&v)), "{e}: {low}..={high} {together:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn types_have_every_value_and_copies_compute_theirs(e in expression()) {
        let (types, unrolled) = types();
        match check(&e, &types) {
            Ok(checked) => holds(&e, &checked, unrolled)?,
            Err(CheckError::Refused { .. }) => {}
            Err(other) => prop_assert!(false, "{e}: {other}"),
        }
    }
}

fn texts(expr: &str, types: &Types) -> Vec<String> {
    let checked = check(&expr.parse().expect("valid"), types).expect("has a type");
    checked.copies().expect("small").iter().map(Expr::to_string).collect()
}

#[test]
fn a_swizzled_row_needs_one_xor_a_copy() {
    let domain = Domain::new().with("i11", 0..512).stride("i11", 8, 0).with("j", 0..64);
    let types = Types::new(&domain).expect("consistent").with("i", Idx::unrolled(0, 8, 8).expect("divides"));
    let copies = texts("(i11 + i)//4*32 + (j ^ (i11 + i)%4)*8", &types);
    assert_eq!(copies[0], "i11//4*32 + (j ^ 0)*8");
    assert_eq!(copies[7], "i11//4*32 + 32 + (j ^ 3)*8");
}

#[test]
fn a_dynamic_part_is_computed_once() {
    let domain = Domain::new().with("row", 0..4096).with("x", 0..9);
    let types = Types::new(&domain).expect("consistent").with("i", Idx::unrolled(0, 64, 4).expect("divides"));
    let e: Expr = "(i + i)*8 + row*x + 3".parse().expect("valid");
    let checked = check(&e, &types).expect("has a type");
    let (base, offsets) = checked.shared().expect("together");
    assert_eq!((base.to_string().as_str(), offsets), ("i*2*8 + row*x", &[3, 19, 35, 51][..]));
    assert!(checked.together().is_ok() && !checked.is_empty());
}

/// A product of unrolled indices has a type with several dynamic parts, and each copy has multiples of these parts.
#[test]
fn products_of_copies_have_several_parts() {
    let types = Types::new(&Domain::new().with("x", 0..10).with("row", 0..96).stride("row", 8, 0)).expect("consistent");
    let types = types.with("i", Idx::unrolled(0, 32, 8).expect("divides"));
    let types = types.with("j", Idx::unrolled(0, 16, 4).expect("divides"));
    let cases = [
        ("i*j", 3),
        ("i*x", 2),
        ("(i + x)*(j + 3) + 5", 5),
        ("i*j - j*3 + i*x*2", 5),
        ("i*j*x", 4),
        ("(row*i + i%4*16)//8", 2),
    ];
    for (text, parts) in cases {
        let checked = check(&text.parse().expect(text), &types).expect(text);
        let Outcome::Several(ty) = checked.ty() else { panic!("{text}: {}", checked.ty()) };
        assert!(ty.parts().len() <= parts, "{text}: {ty}");
        assert!(checked.together().is_err() && checked.shared().is_none(), "{text}");
        let copies = checked.copies().expect(text);
        let expr: Expr = text.parse().expect(text);
        for (copy, s) in copies.iter().zip(0..) {
            let own = checked.copy(s);
            for (i, j, x, row) in [(0, 0, 0, 0), (8, 4, 3, 8), (24, 12, 9, 88), (16, 0, 7, 40)] {
                let of = |name: &str, with: bool| {
                    let by = own.iter().find(|(n, _)| &**n == name).map_or(0, |(_, k)| *k as i64);
                    let first = match name {
                        "i" => i,
                        "j" => j,
                        "x" => x,
                        _ => row,
                    };
                    Some(first + if with { by } else { 0 })
                };
                let value = copy.eval(|n| of(n, false)).expect("a value");
                assert_eq!(Ok(value), expr.eval(|n| of(n, true)), "copy {s} of {text}: {copy}");
                let sum = ty.parts().iter().map(|p| p.factors()[s] * p.base().eval(|n| of(n, false)).expect("a value"));
                assert_eq!(value, ty.offsets()[s] + sum.sum::<i128>(), "{text}");
                assert!((ty.bounds().0..=ty.bounds().1).contains(&value), "{text}: {value}");
            }
        }
    }
    // if the divisor divides all parts, no dynamic part is left
    let checked = check(&"(i*8)*(j*x)%8".parse().expect("valid"), &types).expect("a type");
    assert_eq!(checked.ty().to_string(), "idx<0..1, 0..1>");
}

/// The type of a remainder is a fixed set exactly if the set of all copies is the same at all dynamic numbers.
#[test]
fn remainders_have_one_set_exactly_where_it_stays() {
    let (mut sets, mut lost) = (0, 0);
    for (copies, c, factor) in (1..=8).flat_map(|k| (2..=9).flat_map(move |c| (1..=4).map(move |f| (k, c, f)))) {
        let types = Types::new(&Domain::new()).expect("consistent");
        let types = types.with("i", Idx::unrolled(0, 12 * copies, copies).expect("divides"));
        let expr: Expr = format!("(i*{factor})%{c}*3 + 1").parse().expect("valid");
        let checked = check(&expr, &types).expect("a type");
        let set = |d: i64| -> BTreeSet<i128> {
            let own = |s: i64| expr.eval(|_| Some(d * copies + s)).expect("a value");
            (0..copies).map(own).collect()
        };
        let stays = (0..12).all(|d| set(d) == set(0));
        match checked.ty() {
            Outcome::Exact(ty) if ty.multiplier() == 0 => {
                assert!(ty.statics().iter().copied().eq(set(0)) && stays, "{expr}, {copies}: {ty}");
                sets += 1;
            }
            _ => {
                assert!(!stays, "{expr}, {copies}: {}", checked.ty());
                lost += 1;
            }
        }
    }
    assert!(sets > 50 && lost > 20, "{sets} {lost}");
}
