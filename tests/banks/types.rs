//! The bank rule of index types: the residues of static offsets alone decide about conflicts, for every dynamic part.
//! The tests check both directions of this rule.

use crate::simulator::simulate;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff_fronts::banks::copies_in_banks;
use quaff_fronts::index_type::{Idx, Types, check};

/// The largest number of elements in one bank, if all copies access `banks` banks at once and each bank is one element
/// wide.
fn simulated(elements: &[i64], banks: i64) -> u32 {
    let most = |bank: i64| {
        let mut own: Vec<i64> = elements.iter().copied().filter(|e| e.rem_euclid(banks) == bank).collect();
        own.sort_unstable();
        own.dedup();
        own.len() as u32
    };
    (0..banks).map(most).max().unwrap_or(0)
}

#[test]
fn residues_of_offsets_decide_at_every_dynamic_number() {
    for copies in 1..=8_i64 {
        let domain = Domain::new().with("x", -3..=5);
        let types = Types::new(&domain).expect("consistent");
        let types = types.with("i", Idx::unrolled(0, 3 * copies, copies).expect("divides"));
        for (factor, multiplier) in (0..=9).flat_map(|f| (0..=8).map(move |m| (f, m))) {
            let e = var("i") * factor + var("x") * multiplier + 3;
            let checked = check(&e, &types).expect("has a type");
            for banks in 1..=9_u32 {
                let used = copies_in_banks(&checked, banks).expect("together");
                let mut seen = Vec::new();
                for (first, x) in (0..3).flat_map(|d| (-3..=5).map(move |x| (d * copies, x))) {
                    let elements: Vec<i64> = (0..copies).map(|s| (first + s) * factor + x * multiplier + 3).collect();
                    assert_eq!(used.degree, simulated(&elements, banks.into()), "{e}, {banks} banks");
                    assert_eq!(used.conflict.is_none(), used.degree <= 1);
                    if let Some((a, b, _)) = used.conflict {
                        assert!((elements[a] - elements[b]) % i64::from(banks) == 0 && elements[a] != elements[b]);
                    }
                    let mut own: Vec<u32> = elements.iter().map(|e| e.rem_euclid(banks.into()) as u32).collect();
                    own.sort_unstable();
                    own.dedup();
                    seen.push(own);
                }
                seen.dedup();
                match used.banks {
                    Some(banks) => assert_eq!(seen, [banks], "{e}"),
                    None => assert!(!used.broadcast || factor == 0 || copies == 1),
                }
            }
        }
    }
}

/// In several dimensions, each combination of residues is one bank, so each dimension can be checked for conflicts
/// separately.
#[test]
fn several_dimensions_are_free_when_each_is() {
    let types = Types::new(&Domain::new().with("x", 0..7).with("y", 0..9)).expect("consistent");
    let types = types.with("i", Idx::unrolled(0, 8, 4).expect("divides"));
    let types = types.with("j", Idx::unrolled(0, 4, 2).expect("divides"));
    for (a, b) in (1..6).flat_map(|a| (1..6).map(move |b| (a, b))) {
        for (p, q) in [(2_u32, 2_u32), (4, 2), (4, 4), (3, 5)] {
            let row: Expr = var("i") * a + var("x");
            let col: Expr = var("j") * b + var("y") * 3;
            let free = |e: &Expr, banks| copies_in_banks(&check(e, &types).expect("a type"), banks).expect("together");
            let each = free(&row, p).degree <= 1 && free(&col, q).degree <= 1;
            let bank = row.floor_mod(int(p.into())) * i64::from(q) + col.floor_mod(int(q.into()));
            // whether all pairs of copies are in different banks, at every dynamic number
            let together = (0..7).flat_map(|x| (0..9).map(move |y| (x, y))).all(|(x, y)| {
                let mut banks = Vec::new();
                for (s, t) in (0..4).flat_map(|s| (0..2).map(move |t| (s, t))) {
                    let of = |n: &str| {
                        Some(match n {
                            "i" => s,
                            "j" => t,
                            "x" => x,
                            _ => y,
                        })
                    };
                    banks.push(bank.eval(of).expect("a number"));
                }
                banks.sort_unstable();
                banks.windows(2).all(|w| w[0] != w[1])
            });
            assert_eq!(each, together, "{a} {b} {p} {q}");
        }
    }
}

/// The bank rule of index types agrees with the conflicts of a warp if each word is one element and each lane is one
/// copy.
#[test]
fn types_and_warps_agree() {
    let types = Types::new(&Domain::new().with("x", 0..1000)).expect("consistent");
    let types = types.with("t", Idx::unrolled(0, 32, 32).expect("divides"));
    for e in ["t", "t*2 + x", "t*33 + x*5", "t%4*8 + t//4 + x*32", "t*32 + x", "(t ^ 5)*3 + x", "t//8 + x*7"] {
        let e: Expr = e.parse().expect("valid");
        let used = copies_in_banks(&check(&e, &types).expect("a type"), 32).expect("together");
        for x in [0, 1, 31, 500] {
            let address = |t| e.eval(|n| Some(if n == "t" { t } else { x })).expect("a number") as i64 * 4;
            let addresses: Vec<i64> = (0..32).map(address).collect();
            let simulated = simulate(&addresses, 4, 32, 4);
            assert_eq!((used.degree, used.broadcast), (simulated.degree, simulated.broadcast), "{e}");
        }
    }
}
