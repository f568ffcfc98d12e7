//! No public function of the libraries panics, for any arguments. Each function is called with hostile arguments, in a
//! build with overflow checks. `coverage.rs` fails if a public function is not called.

mod banks;
mod coalescing;
mod coverage;
mod engine;
mod exchange;
mod expressions;
mod hostile;
mod index_types;
mod layouts;
mod numbers;
mod parts;
mod programs;
mod questions;
mod research;
mod views;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases on every run. If `PROPTEST_CASES` is set, it is the number of random cases.
fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases, rng_seed: RngSeed::Fixed(15), ..default },
    }
}

/// Prints a value in both debug formats, which must work for every value.
fn show<T: std::fmt::Debug>(value: &T) {
    let _ = format!("{value:?} {value:#?}");
}

/// Without overflow checks, these tests would not notice an overflow. The library is built with the same profile as
/// this test.
#[test]
fn the_build_checks_overflows() {
    let next = |x: i64| std::panic::catch_unwind(move || x + 1);
    assert!(next(std::hint::black_box(i64::MAX)).is_err());
}
