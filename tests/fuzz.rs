//! A short fuzz campaign on every run; `examples/fuzz.rs` is the long one.

#[path = "../fuzz/campaign/mod.rs"]
mod campaign;

use campaign::{BYTES, Case, Checked};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;

/// The same 5,000 cases on every run; `PROPTEST_CASES` asks for so many random ones.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, max_shrink_iters: 2_000, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 5_000, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

#[test]
fn random_calls_are_answered_rightly() {
    let config = config();
    let cases = u64::from(config.cases);
    let all = Cell::new(Checked::default());
    let bytes = prop::collection::vec(any::<u8>(), BYTES);
    let outcome = TestRunner::new(config).run(&bytes, |bytes| {
        let Some(case) = Case::from_bytes(&bytes) else { return Ok(()) };
        let checked = case.check(40).map_err(TestCaseError::fail)?;
        all.set(all.get().plus(checked));
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
    // it reaches what it is for
    let all = all.get();
    assert!(all.answers * 10 > cases * 8 && all.evaluations > cases * 20 && all.decided * 2 > cases, "{all:?}");
}
