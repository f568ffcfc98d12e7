//! Compositions of two digit permutations. They are needed for chains of reshapes whose sizes do not divide one
//! another.

use super::access::Table;
use super::climb::{Goal, Scorer, by_stride};
use super::digits::Digits;
use super::traffic::Warp;
use quaff::integer::{floor_div, floor_mod};

/// The most elements of a tile for which compositions are searched: 16,384.
const ELEMENTS: i64 = 1 << 14;
/// The largest number of first permutations that are combined with a second permutation.
const FIRST: usize = 12;
/// The number of splits into two digits that are tried for the second permutation.
const SPLITS: usize = 16;
/// The most digits of a first permutation. All of its orders are tried.
const FEW: usize = 3;

/// For each goal, the best composition `(first, second)`: lane `u` takes element `first(second(u))`. Empty if there are
/// too many elements.
pub(super) fn composed(
    systems: &[Vec<i64>],
    tables: &[Table],
    (n, warp, threads): (i64, Warp, Option<u32>),
    goals: &[Goal<'_>],
) -> Vec<(Digits, Digits)> {
    if !(2..=ELEMENTS).contains(&n) {
        return Vec::new();
    }
    let whole = systems.iter().filter(|radices| radices.iter().product::<i64>() == n && radices.len() <= FEW);
    let firsts: Vec<Digits> = whole.flat_map(|radices| orders(radices)).take(FIRST).collect();
    let splits: Vec<[i64; 2]> = divisors(n).into_iter().map(|d| [d, floor_div(n.into(), d.into()) as i64]).collect();
    let mut best: Vec<Option<([u128; 5], Digits, Digits)>> = vec![None; goals.len()];
    for first in firsts {
        let moved: Vec<Table> = tables.iter().map(|t| t.moved(&first)).collect();
        let mut scorer = Scorer::new(&moved, warp, threads);
        for split in &splits {
            // if the split is at a boundary of the first permutation, the composition is itself a permutation of digits
            if boundaries(first.radices()).contains(&split[0]) {
                continue;
            }
            let starts = moved.iter().map(|t| by_stride(split, t)).chain([Digits::identity(split)]);
            for start in starts {
                for (goal, best) in goals.iter().zip(&mut best) {
                    let second = scorer.climb(&start, *goal);
                    let key = goal.key(scorer.sampled(&second));
                    if best.as_ref().is_none_or(|(least, ..)| key < *least) {
                        *best = Some((key, first.clone(), second));
                    }
                }
            }
        }
    }
    best.into_iter().flatten().map(|(_, first, second)| (first, second)).collect()
}

/// The digits of `radices` in all orders except their own.
fn orders(radices: &[i64]) -> Vec<Digits> {
    let count = radices.len();
    let all: Vec<Vec<usize>> = match count {
        2 => vec![vec![1, 0]],
        3 => vec![vec![2, 1, 0], vec![1, 0, 2], vec![0, 2, 1], vec![1, 2, 0], vec![2, 0, 1]],
        _ => Vec::new(),
    };
    all.iter().filter_map(|order| Digits::new(radices, order, &vec![false; count])).collect()
}

/// The products of the first `k` radices, for each `k`.
fn boundaries(radices: &[i64]) -> Vec<i64> {
    let products = radices.iter().scan(1, |product: &mut i64, radix| {
        *product = product.saturating_mul(*radix);
        Some(*product)
    });
    products.collect()
}

/// The divisors of `n` between 1 and `n`, sorted by their distance from its square root.
fn divisors(n: i64) -> Vec<i64> {
    let mut all: Vec<i64> = (2..n).filter(|d| floor_mod(n.into(), (*d).into()) == 0).collect();
    all.sort_by_key(|d| (d - floor_div(n.into(), (*d).into()) as i64).abs());
    all.truncate(SPLITS);
    all
}
