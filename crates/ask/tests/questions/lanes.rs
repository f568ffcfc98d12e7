//! Contiguity, constancy and divisibility along `t`.

use crate::support::{domain, index, points, value};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff::integer::floor_mod;
use quaff_ask::{AskError, lanes, widest_vector};

/// The greatest length, a power of two, of groups in which `holds` is true for each lane. Its arguments are the value of
/// the lane, the value of the first lane, and the offset in the group.
fn longest(e: &Expr, holds: impl Fn(i64, i64, i64) -> bool) -> i64 {
    let right = |length: &i64| {
        points().all(|[t, p, n]| {
            let offset = floor_mod(t.into(), (*length).into()) as i64;
            holds(value(e, [t, p, n]), value(e, [t - offset, p, n]), offset)
        })
    };
    [1, 2, 4, 8, 16, 32].into_iter().filter(right).max().unwrap_or(1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_claimed_that_is_not_so(e in index()) {
        let found = lanes(&Simplifier::default(), std::slice::from_ref(&e), "t", &domain()).unwrap();
        let found = &found[0];
        prop_assert!(found.contiguity <= longest(&e, |own, first, offset| own == first + offset), "{e}: {found:?}");
        prop_assert!(found.constancy <= longest(&e, |own, first, _| own == first), "{e}: {found:?}");
        for [t, p, n] in points().filter(|[t, ..]| floor_mod((*t).into(), found.contiguity.into()) == 0) {
            prop_assert!(found.first.contains(value(&e, [t, p, n])), "{e}: {found:?}");
        }
        let width = found.vector(16);
        for [t, p, n] in points().filter(|[t, ..]| floor_mod((*t).into(), width.into()) == 0) {
            let first = value(&e, [t, p, n]);
            prop_assert_eq!(floor_mod(first.into(), width.into()), 0);
            prop_assert!((0..width).all(|k| value(&e, [t + k, p, n]) == first + k));
        }
    }
}

/// The properties of `index` and `mask` along `t`: contiguity and divisibility of the index, constancy of the mask, and
/// the widest vector.
fn found(index: &str, mask: &str, domain: &str) -> (i64, i64, i64, i64) {
    let exprs = [index, mask].map(|text| text.parse().unwrap());
    let found = lanes(&Simplifier::default(), &exprs, "t", &domain.parse().unwrap()).unwrap();
    let width = widest_vector(&found[0], Some(&found[1]), 16);
    (found[0].contiguity, found[0].divisibility(), found[1].constancy, width)
}

#[test]
fn axes_of_blocks() {
    for (index, mask, domain, wanted) in [
        // a tile of a row, with a mask at its end
        ("p*128 + t", "p*128 + t < n", "t=0..127, p=0..65535, n=16..1000000 step 16", (128, 128, 16, 16)),
        ("p*128 + t", "p*128 + t < n", "t=0..127, p=0..65535, n=1..1000000", (128, 128, 1, 1)),
        // tiles that wrap around
        ("(p*128 + t)%m", "1", "t=0..127, p=0..99, m=128..8192 step 128", (128, 128, 128, 16)),
        ("(p*128 + t)%m", "1", "t=0..127, p=0..99, m=1..8192", (1, 1, 128, 1)),
        // rows of 48 elements: 16 is the greatest power of two that divides 48
        ("t//48*1000 + t%48", "t < 96", "t=0..95", (16, 8, 96, 8)),
        // both lanes of a pair have the same value
        ("t//2", "t//2 < 7", "t=0..31", (1, 1, 2, 1)),
        ("t*2 - t%4", "1", "t=0..31", (4, 8, 32, 4)),
        ("7", "t < 99", "t=0..31", (1, 7, 32, 1)),
    ] {
        assert_eq!(found(index, mask, domain), wanted, "{index}, {mask}, {domain}");
    }
}

#[test]
fn lanes_are_variables_from_0_on() {
    let ask = |lane: &str, domain: &str| {
        lanes(&Simplifier::default(), &["t".parse().unwrap()], lane, &domain.parse().unwrap()).unwrap_err().to_string()
    };
    assert_eq!(ask("u", "t=0..31"), "the domain has no variable `u`");
    assert!(ask("t", "t=1..31").contains("begin at 0"));
    assert!(ask("t", "t=0..").contains("have an end"));
    // the number of lanes depends on `n`, or the values of `t` have a step
    assert!(ask("t", "n=1..5, t=0..n").contains("have an end"));
    assert!(ask("t", "t=0..30 step 2").contains("2 apart"));
    let zero = lanes(&Simplifier::default(), &["5//t".parse().unwrap()], "t", &"t=0..31".parse().unwrap());
    assert!(matches!(zero, Err(AskError::Simplify(_))));
}

#[test]
fn values_beyond_64_bits_take_a_proof() {
    let index = "x*9223372036854775807*9223372036854775807";
    assert_eq!(found(index, "1", "t=0..3, x=-1..2").2, 4);
}

/// A condition that excludes lanes may exclude the first lane of one half of a group.
#[test]
fn conditions_on_lanes_leave_groups_out() {
    for (index, domain, contiguity) in [
        ("where(t == 0, 0, where(t == 31, 31, 100))", "t=0..31, assume t == 31", 1),
        ("where(t%8 == 0, 0, where(t%8 == 7, 7, 100))", "t=0..15, assume t%8 == 7", 1),
        ("where(t%8 < 6, 0, t%8)", "t=0..15, assume t%8 >= 6", 2),
        ("where(t == 0, 0, t)", "t=0..31, assume t >= 16", 32),
    ] {
        assert_eq!(found(index, "1", domain).0, contiguity, "{index}, {domain}");
    }
}
