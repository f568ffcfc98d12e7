//! Expressions whose normal forms, price computations or texts would be much larger than the expressions, if nothing bounded them.
#![allow(dead_code)] // each program that includes this file uses only a part of it

use super::Shape;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, select, var};

/// The shapes for which the work must be linear, even for thousands of operations.
pub(crate) const LARGE: [Shape; 9] = [
    ("remainders of a remainder", remainders),
    ("product of sums", product_of_sums),
    ("sum of quotients", sum_of_quotients),
    ("conjunction", conjunction),
    ("nested negations", negations),
    ("nested selections", selections),
    ("nested minima", minima),
    ("doubled sums", doubled),
    ("sums in sums", prefixes),
];

fn plane() -> Domain {
    Domain::new().with("x", 0..1_000_000).with("y", 0..1_000_000)
}

/// `x%7%7...`. If remainders are written as sums with quotients, the n-th remainder has n terms.
pub(crate) fn remainders(n: usize) -> (Expr, Domain) {
    ((0..n).fold(var("x"), |e, _| e % int(7)), plane())
}

/// `(x + y + 1)*(x + 2*y + 1)*...`, which is large if it is multiplied out.
pub(crate) fn product_of_sums(n: usize) -> (Expr, Domain) {
    let sum = |k: usize| var("x") + var("y") * k as i64 + 1;
    ((1..n).fold(sum(0), |e, k| e * sum(k)), Domain::new().with("x", 0..2).with("y", 0..2))
}

/// A sum of n quotients without common parts, whose values exceed 32 bits.
pub(crate) fn sum_of_quotients(n: usize) -> (Expr, Domain) {
    let quotient = |k: i64| (var("x") * (3 * k + 1) + var("y") + k) / int(k % 97 + 3);
    ((1..n as i64).fold(quotient(0), |e, k| e + quotient(k)), plane())
}

/// A mask of n clauses over the same two variables.
pub(crate) fn conjunction(n: usize) -> (Expr, Domain) {
    let clause = |k: i64| (var("x") + var("y") * k).lt(int(5 * k + 3));
    ((1..n as i64).fold(clause(0), |e, k| e.and(clause(k))), plane())
}

/// `not not ... (x < 5)`.
pub(crate) fn negations(n: usize) -> (Expr, Domain) {
    ((0..n).fold(var("x").lt(int(5)), |e, _| e.not()), plane())
}

/// `where(x < 3, y//2, where(x < 10, y//3, ...))`.
pub(crate) fn selections(n: usize) -> (Expr, Domain) {
    let one = |e, k: i64| select(var("x").lt(int(7 * k + 3)), var("y") / int(k + 2), e);
    ((0..n as i64).rev().fold(int(0), one), plane())
}

/// `min(x//2, max(x//3, min(...)))`.
pub(crate) fn minima(n: usize) -> (Expr, Domain) {
    let one = |e: Expr, k: i64| {
        let x = var("x") / int(k + 2);
        if k & 1 == 0 { x.min(e) } else { x.max(e) }
    };
    ((0..n as i64).rev().fold(var("y"), one), plane())
}

/// n values in chains. Each value is the previous value added to itself, so a chain of k values has 2^k terms as a tree. A chain of more
/// than 60 values would exceed 64 bits, so each chain has 40 values.
pub(crate) fn doubled(n: usize) -> (Expr, Domain) {
    let chain = |k: i64| (0..40).fold(var("x") / int(k + 2), |e, _| &e + &e) / int(1 << 20);
    ((1..n.div_ceil(40) as i64).fold(chain(0), |e, k| e.max(chain(k))), plane())
}

/// n sums, each of which has one more term than the previous sum. All sums are used, so they have about n*n terms together.
pub(crate) fn prefixes(n: usize) -> (Expr, Domain) {
    let (mut sum, mut all) = (var("x"), int(0));
    for k in 0..n as i64 {
        sum = sum + var("y") / int(k + 2);
        all = all.max(&sum / int(7));
    }
    (all, plane())
}
