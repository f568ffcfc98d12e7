//! Indices that are split into sums of parts, each over a set of variables.

use crate::support::{domain, index, points, value};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Interval;
use quaff::expr::{Expr, int};
use quaff_ask::{base_and_immediate, parts};

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn parts_add_up(e in index()) {
        let found = parts(&Simplifier::default(), &e, &[&["t"], &["p"]], &domain()).unwrap();
        let has = |e: &Expr, name: &str| e.variables().iter().any(|v| **v == *name);
        prop_assert!(!has(&found.parts[0], "p") && !has(&found.parts[1], "t"), "{e}: {found:?}");
        prop_assert!(!has(&found.shared, "p") && !has(&found.shared, "t"), "{e}: {found:?}");
        for at in points() {
            let all = found.parts.iter().chain([&found.shared]).chain(&found.mixed);
            prop_assert_eq!(all.map(|part| value(part, at)).sum::<i64>(), value(&e, at), "{}: {:?} at {:?}", &e, &found, at);
        }
    }

    #[test]
    fn immediates_are_in_their_range(c: i64, low in -5000i64..5000, length in 1i64..5000) {
        let range = Interval::new(low, low + length - 1).unwrap();
        let found = base_and_immediate(&int(c), range);
        prop_assert!(found.is_some() || c.checked_sub(low).is_none() || c.abs() > i64::MAX - 20_000);
        if let Some((base, immediate)) = found {
            prop_assert!(range.contains(immediate));
            prop_assert_eq!(base.as_const().map(|base| i128::from(base) + i128::from(immediate)), Some(c.into()));
        }
    }
}

/// The part of the index for each set of variables, then the terms without these variables, and then the terms that do
/// not split.
fn found(index: &str, sets: &[&[&str]], domain: &str) -> String {
    let found = parts(&Simplifier::default(), &index.parse().unwrap(), sets, &domain.parse().unwrap()).unwrap();
    let text = |all: &[Expr]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ");
    format!("{} & {} & {}", text(&found.parts), found.shared, text(&found.mixed))
}

#[test]
fn uniform_and_lane_parts() {
    let wave = "wg=0..1023, k=0..63, t=0..255, K=8..8192 step 8";
    for (index, sets, domain, wanted) in [
        (
            "(wg*32 + t//8)*K + k*64 + t%8*8 + 5",
            &[&["wg", "k"][..], &["t"]][..],
            wave,
            "k*64 + wg*K*32 | K*(t//8) + t%8*8 & 5 & ",
        ),
        // the quotient splits, because the blocks are whole rows
        ("(wg*256 + t)//16*100 + (wg*256 + t)%16", &[&["wg"], &["t"]], wave, "wg*1600 | t + t//16*84 & 0 & "),
        // this quotient does not split
        ("(wg*3 + t)//16 + t*2", &[&["wg"], &["t"]], wave, "0 | t*2 & 0 & (wg*3 + t)//16"),
        ("wg*t + k", &[&["wg"], &["t"]], wave, "0 | 0 & k & wg*t"),
        ("wg + 1", &[&["t"]], wave, "0 & wg + 1 & "),
    ] {
        assert_eq!(found(index, sets, domain), wanted, "{index}");
    }
    let twice = parts(&Simplifier::default(), &int(1), &[&["t"], &["p", "t"]], &domain());
    assert_eq!(twice.unwrap_err().to_string(), "`t` is given twice");
}
