//! Expressions of any size, for benchmarks, the growth example and the growth test.
#![allow(dead_code)] // each program that includes this file uses only a part of it

pub(crate) mod copies;
pub(crate) mod large;

use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use std::ops::RangeInclusive;

/// The number of terms or levels over which growth is measured: 2, 4, ... 256.
pub(crate) fn sizes() -> impl Iterator<Item = usize> {
    (1..=8).map(|k| 1 << k)
}

/// A function that makes an expression of a given size.
pub(crate) type Make = fn(usize) -> (Expr, Domain);

/// A shape of expressions: its name, and a function that makes an expression.
pub(crate) type Shape = (&'static str, Make);

/// The shapes whose cost must grow no faster than about n log n.
pub(crate) const GROWING: [Shape; 3] =
    [("tiled digits", tiled_digits), ("nested divisions", nested_divisions), ("shared quotient", shared_quotient)];

const TILE: i64 = 8;
const RANGE: RangeInclusive<i64> = 0..=63;

/// `n` indices, each of which is split into a tile and a place in the tile, and joined again with strides. All tiles disappear in the
/// simplified form.
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

/// `((x + 1)//2 + 1)//2 ...` with `n` levels, and x without a range. It simplifies to one division, if the constants fit their width.
pub(crate) fn nested_divisions(n: usize) -> (Expr, Domain) {
    let e = (0..n).fold(var("x"), |e, _| (e + 1) / int(2));
    (e, Domain::new().with("x", ..))
}

/// `n` digits of one index in different bases. Nothing simplifies, and each term has a different quotient.
pub(crate) fn shared_quotient(n: usize) -> (Expr, Domain) {
    let x = var("x");
    let e = (0..n as i64).fold(int(0), |e, k| e + &x / int(k + 3) % 7 * (k + 1));
    (e, Domain::new().with("x", 0..1_000_000))
}
