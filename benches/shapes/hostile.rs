//! Pairs of equal expressions of any size that are hard to compare, for the benchmark and the tests of the exact procedure.
#![allow(dead_code)] // each program that includes this file uses only a part of it

use quaff::domain::Domain;
use quaff::expr::{Dag, Expr, Op, int, select, var};

/// Two expressions that are equal, and their domain.
pub(crate) type Pair = (Expr, Expr, Domain);

/// A class of pairs: its name, and a function that makes the pair of size `n`.
pub(crate) type Class = (&'static str, fn(usize) -> Pair);

/// Classes for which the work grows no faster than about n log n.
pub(crate) const CLASSES: [Class; 12] = [
    ("quotients", quotients),
    ("remainder of one divisor", |n| (0..n).fold(var("x"), |e, _| e % 7).pair()),
    ("remainders", |n| (0..n as i64).fold(var("x"), |e, k| e % (k * 37 % 101 + 2)).pair()),
    ("divisions", |n| (0..n as i64).fold(var("x"), |e, k| (e + var("y")) / int(k % 5 + 2)).pair()),
    ("clauses", |n| permuted(n, |k| clause(k, k % 7), |a, b| a.and(b))),
    ("alternatives", |n| permuted(n, |k| clause(k, k % 7), |a, b| a.or(b))),
    ("clauses over many variables", |n| permuted(n, |k| clause(k, k), |a, b| a.and(b))),
    ("selections", |n| {
        (0..n as i64).fold(int(0), |e, k| select((var("x") / (k + 2)).lt(k), var("x") % (k + 2), e)).pair()
    }),
    ("extrema", |n| (0..n as i64).fold(int(0), |e, k| (var("x") / (k + 2)).min(e)).pair()),
    ("negations", |n| (0..n).fold(var("x"), |e, _| e.not()).pair()),
    ("long sums", |n| permuted(n, |k| var(format!("v{k}")) * (k as i64 + 1), |a, b| a + b)),
    ("products", |n| permuted(n, |k| var(format!("v{k}")) * var(format!("v{}", (k * 7 + 1) % n)), |a, b| a + b)),
];

/// Classes for which a limit ends the procedure if the size is large.
pub(crate) const LIMITED: [Class; 3] = [
    ("nested sums", |n| (0..n).fold(var("x"), |e, k| (e + var(format!("v{k}"))) / int(2)).pair()),
    ("powers", |n| permuted(n, |k| var(format!("v{k}")), |a, b| a * b)),
    ("bits", |n| permuted(n, |k| var("x") + k as i64, |a, b| a ^ b)),
];

/// The sum of `(x + k)//(k + 2)` over all k, added from the first term to the last, and from the last to the first.
fn quotients(n: usize) -> Pair {
    permuted(n, |k| (var("x") + k as i64) / int(k as i64 + 2), |a, b| a + b)
}

fn clause(k: usize, variable: usize) -> Expr {
    (var(format!("v{variable}")) % (k as i64 * 37 % 101 + 2) + var("y")).lt(k as i64 + 7)
}

/// The parts joined from the first to the last, and from the last to the first.
fn permuted(n: usize, part: impl Fn(usize) -> Expr, join: impl Fn(Expr, Expr) -> Expr) -> Pair {
    let forth = (0..n).map(&part).reduce(&join).unwrap_or_else(|| int(0));
    let back = (0..n).rev().map(&part).reduce(&join).unwrap_or_else(|| int(0));
    (forth.clone(), back, domain(&forth))
}

trait Paired {
    fn pair(self) -> Pair;
}

impl Paired for Expr {
    /// The pair of this expression, and the sum of 0 and this expression.
    fn pair(self) -> Pair {
        (self.clone(), int(0) + &self, domain(&self))
    }
}

/// Wide ranges for all variables.
fn domain(e: &Expr) -> Domain {
    let mut domain = Domain::new();
    for node in Dag::new(std::slice::from_ref(e)).nodes() {
        if let Op::Var(name) = &node.op {
            domain.add_bounds(name.clone(), 0..1_000_000_000);
        }
    }
    domain
}
