//! Random index expressions with masks, such as padding, bounds checks and convolutions produce.
#![allow(dead_code)] // each test file uses its part

use proptest::prelude::*;
use quaff::expr::{Expr, Op, int, select, var};

/// The variables of these expressions.
pub(crate) const NAMES: [&str; 3] = ["x", "y", "z"];

fn name() -> impl Strategy<Value = Expr> {
    prop::sample::select(NAMES.to_vec()).prop_map(var)
}

/// `a*x + b*y + c` with small numbers.
fn linear() -> impl Strategy<Value = Expr> {
    let factor = || prop::sample::select(vec![-8_i64, -3, -2, -1, 1, 1, 1, 2, 3, 4, 8]);
    let second = prop::option::of((name(), factor()));
    (name(), factor(), second, -9..=9_i64).prop_map(|(x, a, second, c)| {
        let first = if a == 1 { x } else { x * a };
        let sum = second.into_iter().fold(first, |s, (y, b)| s + y * b);
        if c == 0 { sum } else { sum + c }
    })
}

fn divisor() -> impl Strategy<Value = i64> {
    prop::sample::select(vec![2_i64, 3, 4, 4, 5, 6, 8, 8, 16])
}

/// Quotients and remainders of linear forms, and linear forms of such terms.
fn term() -> impl Strategy<Value = Expr> {
    prop_oneof![
        3 => linear(),
        3 => (linear(), divisor()).prop_map(|(x, n)| x / n),
        3 => (linear(), divisor()).prop_map(|(x, n)| x % n),
        1 => (linear(), divisor(), divisor()).prop_map(|(x, m, n)| x % m / n),
        1 => (linear(), divisor(), linear(), divisor()).prop_map(|(x, m, y, n)| (x / m + y) % n),
        1 => (linear(), linear()).prop_map(|(x, y)| x.min(y)),
        1 => (linear(), linear()).prop_map(|(x, y)| x.max(y)),
        1 => (name(), name()).prop_map(|(x, y)| x * y),
    ]
}

fn comparison(left: impl Strategy<Value = Expr>) -> impl Strategy<Value = Expr> {
    let op = prop::sample::select(vec![Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Ge, Op::Lt, Op::Eq, Op::Ne]);
    (op, left, prop_oneof![3 => (-9..=17_i64).prop_map(int), 1 => linear()])
        .prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity"))
}

/// A condition: comparisons under `and`, `or` and `not`. Sometimes a number is used as a condition.
pub(crate) fn condition() -> impl Strategy<Value = Expr> {
    let clause = prop_oneof![6 => comparison(linear()), 3 => comparison(term()), 1 => linear()];
    clause.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            5 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            1 => inner.prop_map(|a| a.not()),
        ]
    })
}

/// Arithmetic on terms and selections, and conditions as numbers.
pub(crate) fn masked() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![5 => term(), 1 => condition()];
    leaf.prop_recursive(4, 14, 3, |inner| {
        let pair = || (inner.clone(), inner.clone());
        prop_oneof![
            6 => (condition(), inner.clone(), inner.clone()).prop_map(|(c, a, b)| select(c, a, b)),
            // `a` occurs in both branches and outside of the selection
            3 => (condition(), inner.clone(), inner.clone())
                .prop_map(|(c, a, b)| select(c, &a + b, &a * 2) + a),
            3 => pair().prop_map(|(a, b)| a + b),
            1 => (inner.clone(), divisor()).prop_map(|(a, n)| a / n),
            1 => (inner.clone(), divisor()).prop_map(|(a, n)| a % n),
            1 => pair().prop_map(|(a, b)| a.and(b)),
            1 => pair().prop_map(|(a, b)| a.lt(b)),
            1 => pair().prop_map(|(a, b)| a.min(b)),
        ]
    })
}

/// Ranges with few points.
pub(crate) fn ranges() -> impl Strategy<Value = [(i64, i64); 3]> {
    let range = || {
        prop_oneof![
            4 => prop::sample::select(vec![3_i64, 4, 7, 8, 15]).prop_map(|n| (0, n - 1)),
            1 => (-9..=3_i64, 0..=12_i64).prop_map(|(lo, n)| (lo, lo + n)),
        ]
    };
    [range(), range(), range()]
}
