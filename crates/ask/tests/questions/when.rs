//! The weakest conditions on sizes.

use crate::support::{domain, index, points, value};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_ask::when;

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

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

/// The conditions that suffice, with `!` behind those that are necessary.
fn found(condition: &str, sizes: &[&str], domain: &str) -> Vec<String> {
    let found = when(&Simplifier::default(), &condition.parse().unwrap(), sizes, &domain.parse().unwrap()).unwrap();
    let text = |when: &quaff_ask::When| {
        let all: Vec<String> = when.conditions.iter().map(ToString::to_string).collect();
        format!("{}{}", all.join(" and "), if when.necessary == Some(true) { "!" } else { "" })
    };
    found.iter().map(text).collect()
}

#[test]
fn conditions_of_masks_vectors_and_widths() {
    for (condition, sizes, domain, wanted) in [
        // the mask of a tiled loop vanishes
        ("i*32 + l < n", &["n"][..], "n=1..64, i=0..(n+31)//32-1, l=0..31", &["n%32 == 0!"][..]),
        // rows of vectors
        ("(row*ld + t*4)%4 == 0", &["ld"], "row=0..9, t=0..7, ld=1..16", &["ld%4 == 0!"]),
        ("(row*ld + s*k)%8 == 0", &["ld", "s"], "row=0..9, k=0..9, ld=1..16, s=1..16", &["ld%8 == 0 and s%8 == 0!"]),
        // 16 bits hold each value
        ("row*ld + t < 32768", &["ld"], "row=0..999, t=0..31, ld=1..64", &["ld <= 32!"]),
        ("n*m - 1 < 65536", &["n", "m"], "n=1..300, m=1..300", &["n*m <= 65536!"]),
        // two accesses do not meet
        ("t != u + d", &["d"], "t=0..31, u=0..31, d=1..99", &["32 <= d!"]),
        ("t < n", &["n"], "t=0..31, n=32..99", &["!"]),
        ("t*t%7 != 3", &["n"], "t=0..31, n=1..2", &[]),
    ] {
        assert_eq!(found(condition, sizes, domain), wanted, "{condition}");
    }
}

#[test]
fn sizes_are_variables() {
    let unknown = when(&Simplifier::default(), &"t < 3".parse().unwrap(), &["n"], &"t=0..9".parse().unwrap());
    assert_eq!(unknown.unwrap_err().to_string(), "the domain has no variable `n`");
}
