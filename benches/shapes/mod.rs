//! Expressions of any size, for benchmarks, the growth example and the growth test.
#![allow(dead_code)] // each user takes its part

pub(crate) mod copies;
pub(crate) mod large;

use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use std::ops::RangeInclusive;

/// The number of terms or levels over which growth is measured: 2, 4, ... 256.
pub(crate) fn sizes() -> impl Iterator<Item = usize> {
    (1..=8).map(|k| 1 << k)
}

/// Makes an expression of a size.
pub(crate) type Make = fn(usize) -> (Expr, Domain);

/// A shape of expression: its name, and how to make one.
pub(crate) type Shape = (&'static str, Make);

/// The shapes whose cost must grow no faster than about n log n.
pub(crate) const GROWING: [Shape; 3] =
    [("tiled digits", tiled_digits), ("nested divisions", nested_divisions), ("shared quotient", shared_quotient)];

const TILE: i64 = 8;
const RANGE: RangeInclusive<i64> = 0..=63;

/// `n` indices, each split into tile and place in the tile, and put together again with strides: all tiling falls away.
pub(crate) fn tiled_digits(n: usize) -> (Expr, Domain) {
    let mut domain = Domain::new();
    let mut sum = int(0);
    for k in 0..n {
        let name = format!("x{k}");
        domain.add_bounds(name.as_str(), RANGE);
        let x = var(name);
        let digits = &x / TILE * TILE + &x % TILE;
        sum = sum + digits * (k as i64 + 1);
    }
    (sum, domain)
}

/// `((x + 1)//2 + 1)//2 ...`, `n` levels, with nothing known of x: one division, up to the width of constants.
pub(crate) fn nested_divisions(n: usize) -> (Expr, Domain) {
    let e = (0..n).fold(var("x"), |e, _| (e + 1) / int(2));
    (e, Domain::new().with("x", ..))
}

/// `n` digits of one index in different bases: nothing falls away, and every term has a quotient of its own.
pub(crate) fn shared_quotient(n: usize) -> (Expr, Domain) {
    let x = var("x");
    let e = (0..n as i64).fold(int(0), |e, k| e + &x / int(k + 3) % 7 * (k + 1));
    (e, Domain::new().with("x", 0..1_000_000))
}
