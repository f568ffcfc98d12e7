//! The weakest conditions on sizes.

use crate::support::{domain, index, points, value};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::expr::{Expr, var};
use quaff::integer::floor_mod;
use quaff_ask::{AskError, When, when, when_disjoint, when_vector};
use quaff_dialects::Dialect;
use std::collections::BTreeSet;

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn conditions_suffice(e in index(), m in prop::sample::select(vec![2i64, 3, 4, 8, 16]), bound in -20i64..200, is_mask: bool) {
        let condition = if is_mask { e.lt(bound) } else { e.floor_mod(m).equals(0) };
        for when in when(&Simplifier::default(), &condition, &["n"], &domain()).unwrap() {
            let holds = |e: &Expr, at| value(e, at) != 0;
            let chosen = |at| when.conditions.iter().all(|one| holds(one, at));
            prop_assert!(points().all(|at| !chosen(at) || holds(&condition, at)), "{condition}: {when:?}");
            let others = [4i64, 8, 12, 16].iter().all(|&n| {
                chosen([0, 0, n]) || points().any(|at| at[2] == n && !holds(&condition, at))
            });
            prop_assert_eq!(when.necessary, Some(others), "{}: {:?}", &condition, &when);
        }
    }
}

/// The found conditions on `sizes` that suffice for `condition`. A `!` follows those that are also necessary.
fn found(condition: &str, sizes: &[&str], domain: &str) -> Vec<String> {
    let found = when(&Simplifier::default(), &condition.parse().unwrap(), sizes, &domain.parse().unwrap()).unwrap();
    let text = |when: &When| {
        let all: Vec<String> = when.conditions.iter().map(ToString::to_string).collect();
        format!("{}{}", all.join(" and "), if when.necessary == Some(true) { "!" } else { "" })
    };
    found.iter().map(text).collect()
}

#[test]
fn conditions_of_masks_vectors_and_widths() {
    for (condition, sizes, domain, wanted) in [
        // the mask of a tiled loop is always true
        ("i*32 + l < n", &["n"][..], "n=1..64, i=0..(n+31)//32-1, l=0..31", &["n%32 == 0!"][..]),
        // vector accesses to rows
        ("(row*ld + t*4)%4 == 0", &["ld"], "row=0..9, t=0..7, ld=1..16", &["ld%4 == 0!"]),
        ("(row*ld + s*k)%8 == 0", &["ld", "s"], "row=0..9, k=0..9, ld=1..16, s=1..16", &["ld%8 == 0 and s%8 == 0!"]),
        // each value fits 16 bits
        ("row*ld + t < 32768", &["ld"], "row=0..999, t=0..31, ld=1..64", &["ld <= 32!"]),
        ("n*m - 1 < 65536", &["n", "m"], "n=1..300, m=1..300", &["n*m <= 65536!"]),
        // two accesses are disjoint
        ("t != u + d", &["d"], "t=0..31, u=0..31, d=1..99", &["32 <= d!"]),
        ("t < n", &["n"], "t=0..31, n=32..99", &["!"]),
        ("t*t%7 != 3", &["n"], "t=0..31, n=1..2", &["!"]),
        ("t*t%7 != 3", &["n"], "t=0..199999, n=1..2", &[]),
        // no proof is found, but the domain has few points, so all points are evaluated
        ("0 < t*n", &["n"], "t=0..3, p=0..2, n=4..5, assume t + p >= 3", &["!"]),
        ("(t*t + t*n)%3 != 2", &["n"], "t=0..9, n=1..9", &["n%3 == 0!"]),
    ] {
        assert_eq!(found(condition, sizes, domain), wanted, "{condition}");
    }
}

#[test]
fn sizes_are_variables() {
    let unknown = when(&Simplifier::default(), &"t < 3".parse().unwrap(), &["n"], &"t=0..9".parse().unwrap());
    assert_eq!(unknown.unwrap_err().to_string(), "the domain has no variable `n`");
}

/// Checks found conditions at all `sizes`. `right` says whether the statement holds for a size, and `chosen` says
/// whether the conditions allow this size.
fn compared(whens: &[When], sizes: &[i64], right: impl Fn(i64) -> bool) {
    for when in whens {
        let chosen = |n: i64| when.conditions.iter().all(|e| value(e, [0, 0, n]) != 0);
        assert!(sizes.iter().all(|&n| !chosen(n) || right(n)), "{when:?}");
        let others = sizes.iter().all(|&n| chosen(n) || !right(n));
        assert_eq!(when.necessary, Some(others), "{when:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn vectors_are_right(e in index(), mask in index(), width in prop::sample::select(vec![2i64, 4, 8]), bound in 0i64..40) {
        let mask = mask.lt(bound);
        let found = when_vector(&Simplifier::default(), &e, Some(&mask), ("t", width), &["n"], &domain()).unwrap();
        compared(&found, &[4, 8, 12, 16], |n| {
            points().filter(|point| point[2] == n).all(|[t, p, n]| {
                let offset = floor_mod(t.into(), width.into()) as i64;
                let [own, first] = [[t, p, n], [t - offset, p, n]];
                value(&e, own) == value(&e, first) + offset
                    && floor_mod(value(&e, first).into(), width.into()) == 0
                    && value(&mask, own) == value(&mask, first)
            })
        });
    }

    #[test]
    fn accesses_are_disjoint(a in index(), b in index(), distance in 0i64..3) {
        let b = b + var("n")*(distance*16);
        let found = when_disjoint(&Simplifier::default(), &a, &b, &["t"], &["n"], &domain()).unwrap();
        compared(&found, &[4, 8, 12, 16], |n| {
            (0..5).all(|p| {
                let all = |e: &Expr| (0..32).map(|t| value(e, [t, p, n])).collect::<BTreeSet<i64>>();
                all(&a).is_disjoint(&all(&b))
            })
        });
    }
}

/// The conditions of each answer. A `!` follows those that are necessary.
fn texts(found: &[When]) -> Vec<String> {
    found.iter().map(|w| format!("{}{}", w.test(), if w.necessary == Some(true) { "!" } else { "" })).collect()
}

#[test]
fn conditions_of_vectors() {
    for (index, mask, width, sizes, domain, wanted) in [
        // rows, some with a mask at their end
        ("row*ld + t", None, 4, &["ld"][..], "row=0..9, t=0..31, ld=1..64", &["ld%4 == 0!"][..]),
        (
            "row*ld + t",
            Some("t < n"),
            4,
            &["ld", "n"],
            "row=0..9, t=0..31, ld=1..64, n=1..40",
            &["ld%4 == 0 and n%4 == 0"],
        ),
        (
            "a*r + b*s + c*u + t",
            None,
            2,
            &["a", "b", "c"],
            "r=0..3, s=0..3, u=0..3, t=0..3, a=1..4, b=1..4, c=1..4",
            &["a%2 == 0 and b%2 == 0 and c%2 == 0!"],
        ),
        // a tile that wraps around
        ("(p*32 + t)%m", None, 8, &["m"], "p=0..9, t=0..31, m=1..64", &["m%8 == 0!"]),
        ("t*s", None, 4, &["s"], "t=0..31, s=0..4", &[]),
        ("t*4", None, 4, &["s"], "t=0..31, s=0..4", &[]),
        ("t + s*0", None, 4, &["s"], "t=0..31, s=0..4", &["1!"]),
    ] {
        let parsed = |text: &str| -> Expr { text.parse().unwrap() };
        let (index, mask, domain) = (parsed(index), mask.map(parsed), domain.parse().unwrap());
        let found = when_vector(&Simplifier::default(), &index, mask.as_ref(), ("t", width), sizes, &domain).unwrap();
        assert_eq!(texts(&found), wanted, "{index}");
    }
}

#[test]
fn conditions_of_disjoint_accesses() {
    for (a, b, inputs, sizes, domain, wanted) in [
        ("t", "t + d", &["t"][..], &["d"][..], "t=0..31, d=0..99", &["32 <= d!"][..]),
        // one buffer begins at `o`, behind the end of another buffer
        ("t", "o + u", &["t", "u"], &["n", "o"], "n=1..6, o=0..9, t=0..n-1, u=0..3", &["n <= o!"]),
        // one access has multiples of `s`, and the other has such multiples plus 1
        ("x*s", "y*s + 1", &["x", "y"], &["s"], "x=0..9, y=0..9, s=1..16", &["2 <= s!"]),
    ] {
        let [a, b] = [a, b].map(|text| text.parse::<Expr>().unwrap());
        let found = when_disjoint(&Simplifier::default(), &a, &b, inputs, sizes, &domain.parse().unwrap()).unwrap();
        assert_eq!(texts(&found), wanted, "{a}, {b}");
    }
}

#[test]
fn vectors_divide_the_lanes_and_inputs_are_no_sizes() {
    let domain = "t=0..30, n=1..9".parse().unwrap();
    let e: Expr = "t + n".parse().unwrap();
    let vector =
        |lane, width| when_vector(&Simplifier::default(), &e, None, (lane, width), &["n"], &domain).unwrap_err();
    assert_eq!(vector("t", 4).to_string(), "31 lanes do not come apart into vectors of 4");
    assert_eq!(vector("t", 0).to_string(), "31 lanes do not come apart into vectors of 0");
    assert!(matches!(vector("n", 4), AskError::Lane { .. }));
    let apart = |input| when_disjoint(&Simplifier::default(), &e, &e, &[input], &["n"], &domain).unwrap_err();
    assert_eq!(apart("n").to_string(), "`n` is given twice");
    assert_eq!(apart("x").to_string(), "the domain has no variable `x`");
}

#[test]
fn tests_of_the_host() {
    let domain = "m=1..100000, n=-8..100000".parse().unwrap();
    let all = ["n%8 == 0", "m*m <= 1000000", "32 <= m"].map(|text| text.parse().unwrap());
    let when = When { conditions: all.to_vec(), necessary: None };
    let text = |dialect| when.code(dialect, &domain).unwrap().text;
    assert_eq!(text(Dialect::C), "(n & 7) == 0 && (long long)m * m <= 1000000 && 32 <= m");
    assert_eq!(text(Dialect::Python), "n%8 == 0 and m*m <= 1000000 and 32 <= m");
    assert!(when.code(Dialect::Mlir, &domain).is_err());
    let always = When { conditions: vec![], necessary: Some(true) };
    assert_eq!(always.code(Dialect::C, &domain).unwrap().text, "1");
}
