//! The costs of accesses as written, and of the optimum, compared with plain enumeration.

use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff_fronts::coalesce::{Access, Measure, Traffic, Warp, measure, search};
use std::collections::BTreeSet;

/// The traffic of one group of lanes, each of which accesses one element of 4 bytes.
fn of_group(addresses: &[i128]) -> Traffic {
    let steps = addresses.windows(2).map(|p| (p[1] - p[0]).unsigned_abs());
    let distinct = |by: i128| addresses.iter().map(|a| a.div_euclid(by)).collect::<BTreeSet<_>>().len() as u128;
    Traffic {
        gap: addresses.windows(2).filter(|p| p[1] != p[0] + 1).map(|p| (p[1] - p[0]).unsigned_abs()).sum(),
        distance: steps.sum(),
        sectors: distinct(8),
        lines: distinct(32),
        requests: u128::from(!addresses.is_empty()),
        fetches: 0,
    }
}

fn sum(all: impl Iterator<Item = Traffic>) -> Traffic {
    all.fold(Traffic::default(), |mut sum, t| {
        sum += t;
        sum
    })
}

/// Quasi-affine expressions over `t` and `block`.
fn index() -> impl Strategy<Value = Expr> {
    let leaf = prop::sample::select(vec![var("t"), var("block"), int(3), int(16)]);
    leaf.prop_recursive(3, 10, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), prop::sample::select(vec![-3, 2, 5, 32])).prop_map(|(a, k)| a * int(k)),
            (inner.clone(), prop::sample::select(vec![2, 3, 8])).prop_map(|(a, d)| a.floor_div(d)),
            (inner, prop::sample::select(vec![2, 5, 16])).prop_map(|(a, d)| a.floor_mod(d)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// The measurement evaluates only one block for each residue of the block index, but its result counts all blocks.
    /// Lanes whose gate is false cost nothing.
    #[test]
    fn costs_are_those_of_all_blocks(e in index(), lanes in 1..12_u32, blocks in 1..400_i64, limit in prop::option::of(0..40_i64)) {
        let domain = Domain::new().with("t", 0..24).with("block", 0..blocks);
        let gate = |limit: i64| (var("t") + var("block").floor_mod(3) * int(4)).lt(limit);
        let access = Access::new(e.clone(), 4).expect("an access");
        let access = limit.map_or(access.clone(), |limit| access.when(gate(limit)));
        let measured = measure(&access, "t", &domain, Warp::new(lanes).expect("a warp")).expect("small");
        let groups = (0..blocks).flat_map(|block| {
            let lanes = lanes as i64;
            (0..24).step_by(lanes as usize).map(move |first| (block, first, (first + lanes).min(24)))
        });
        let all = sum(groups.map(|(block, first, last)| {
            let at = |t: i64| move |name: &str| Some(if name == "t" { t } else { block });
            let active = (first..last).filter(|t| limit.is_none_or(|l| gate(l).eval(at(*t)) == Ok(1)));
            of_group(&active.map(|t| e.eval(at(t)).expect("a value")).collect::<Vec<_>>())
        }));
        prop_assert_eq!(measured.traffic, all, "{}", e);
        prop_assert!(measured.points <= blocks as u64);
    }

    /// For a few elements, no order has a lower gap cost than the sorted order, as the theorem in `docs/coalescing.md`
    /// states.
    #[test]
    fn no_bijection_is_better_than_sorting(values in prop::collection::vec(0..12_i64, 6), lanes in prop::sample::select(vec![2_u32, 3, 6])) {
        // an expression that has the values of the table
        let table = values.iter().zip(0..).fold(int(0), |e, (v, i)| e + var("i").equals(i) * int(*v));
        let access = Access::new(table, 4).expect("an access");
        let found = search(&[access], "i", 6, Warp::new(lanes).expect("a warp"), &Simplifier::default()).expect("small");
        let mut order: Vec<usize> = (0..6).collect();
        let mut least = u128::MAX;
        loop {
            let addresses: Vec<i128> = order.iter().map(|i| values[*i].into()).collect();
            least = least.min(sum(addresses.chunks(lanes as usize).map(of_group)).gap);
            // the next permutation
            let Some(at) = (1..6).rev().find(|k| order[k - 1] < order[*k]) else { break };
            let with = (at..6).rev().find(|k| order[*k] > order[at - 1]).expect("there is one");
            order.swap(at - 1, with);
            order[at..].reverse();
        }
        prop_assert_eq!(found.optimum().gap, least, "{:?}", values);
        prop_assert!(found.sorted_by(Measure::Gap).candidates()[0].traffic().gap >= least);
    }
}

#[test]
fn blocks_are_as_many_as_they_like() {
    let access = Access::new("block*4096 + t//32*1024 + t%32".parse().expect("valid"), 4).expect("an access");
    let domain = Domain::new().with("t", 0..256).with("block", 0..=1_000_000_007);
    let measured = measure(&access, "t", &domain, Warp::default()).expect("an answer");
    assert_eq!((measured.points, measured.traffic.sectors), (1, 1_000_000_008 * 8 * 4));
}

#[test]
fn weights_decide_between_accesses() {
    let access = |text: &str, weight: u32| {
        Access::new(text.parse().expect(text), 4).and_then(|a| a.with_weight(weight)).expect("an access")
    };
    let fewest = |read: u32, write: u32| {
        let accesses = [access("i%64*64 + i//64", read), access("i", write)];
        let found = search(&accesses, "i", 4096, Warp::default(), &Simplifier::default()).expect("an answer");
        assert_eq!(found.identity().sectors, u128::from(read) * 4096 + u128::from(write) * 512);
        let best = found.candidates().iter().min_by_key(|c| c.traffic().sectors).expect("not empty");
        assert!(best.traffic().sectors < found.identity().sectors);
        best.sigma().to_string()
    };
    assert_ne!(fewest(1, 100), fewest(100, 1));
}
