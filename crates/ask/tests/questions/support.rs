//! Random indices over a few variables, and their values at all points.

use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};

/// The number of random cases. The environment variable `QUAFF_ASK_CASES` multiplies it.
pub(crate) fn cases(count: usize) -> usize {
    let times = std::env::var("QUAFF_ASK_CASES").ok().and_then(|times| times.parse().ok());
    count * times.unwrap_or(1usize)
}

/// The facts about the variables. For example, `n` is a multiple of 4.
pub(crate) fn domain() -> Domain {
    let domain = Domain::new().with("t", 0..32).with("p", 0..5).with("n", 4..=16);
    domain.stride("n", 4, 0)
}

/// The points of [`domain`].
pub(crate) fn points() -> impl Iterator<Item = [i64; 3]> {
    (0..32).flat_map(|t| (0..5).flat_map(move |p| (1..=4).map(move |n| [t, p, n * 4])))
}

/// The value of `e` at a point.
pub(crate) fn value(e: &Expr, [t, p, n]: [i64; 3]) -> i64 {
    let at = |name: &str| match name {
        "t" => Some(t),
        "p" => Some(p),
        "n" => Some(n),
        _ => None,
    };
    i64::try_from(e.eval(at).expect("a value")).expect("a small one")
}

/// Random indices.
pub(crate) fn index() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        4 => Just(var("t")),
        2 => Just(var("p")),
        1 => Just(var("n")),
        1 => prop::sample::select(vec![0i64, 1, 2, 3, 4, 7, 8, 16]).prop_map(int),
    ];
    let number = || prop::sample::select(vec![1i64, 2, 3, 4, 8, 16]);
    leaf.prop_recursive(4, 12, 2, move |inner| {
        prop_oneof![
            3 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a - b),
            2 => (inner.clone(), number()).prop_map(|(a, c)| a * c),
            2 => (inner.clone(), number()).prop_map(|(a, c)| a.floor_div(c)),
            2 => (inner.clone(), number()).prop_map(|(a, c)| a.floor_mod(c)),
            1 => inner.clone().prop_map(|a| a * var("n")),
            1 => inner.clone().prop_map(|a| a.floor_mod(var("n"))),
            1 => (inner.clone(), inner).prop_map(|(a, b)| a.lt(b)),
        ]
    })
}
