//! A short fuzz campaign. `examples/fuzz.rs` is the long campaign.

#[path = "../fuzz/campaign/mod.rs"]
mod campaign;

use campaign::{BYTES, Case, Checked};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::cell::Cell;

/// The same 5,000 cases on every run. If `PROPTEST_CASES` is set, it is the number of random cases.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, max_shrink_iters: 2_000, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 5_000, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

#[test]
#[ignore = "a campaign"]
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
    // the campaign must reach enough answers, evaluations and texts
    let all = all.get();
    assert!(all.answers * 10 > cases * 7 && all.evaluations > cases * 20 && all.decided * 2 > cases, "{all:?}");
    assert!(all.texts > cases && all.runs > cases * 30, "{all:?}");
    // numbers near the end of 64 bits must occur, and must be refused where they do not fit
    assert!(all.beyond_reach > cases / 100 && all.too_wide > cases / 50, "{all:?}");
}

#[test]
fn random_calls_about_sizes_are_answered_rightly() {
    use campaign::sizes;
    const CASES: u64 = 600;
    let mut all = Checked::default();
    for case in many(CASES, 5).filter_map(|bytes| sizes::Case::from_bytes(&bytes)) {
        all = all.plus(case.check(40).unwrap_or_else(|wrong| panic!("{wrong}")));
    }
    assert!(all.answers * 2 > CASES && all.evaluations > CASES * 10 && all.texts > CASES, "{all:?}");
}

/// `count` sequences of bytes, which are the same on every run.
fn many(count: u64, of: u64) -> impl Iterator<Item = Vec<u8>> {
    (0..count).map(move |i| {
        let mut random = campaign::host::Random(of << 32 | i);
        (0..BYTES / 8).flat_map(|_| random.next().to_le_bytes()).collect()
    })
}

#[test]
#[ignore = "a campaign"]
fn hostile_names_are_kept_apart() {
    use campaign::{host::Host, names};
    const CASES: u64 = 200;
    let cases = many(CASES, 2).filter_map(|bytes| names::Case::from_bytes(&bytes));
    let printed: Vec<_> = cases.filter_map(|c| c.check(12).unwrap_or_else(|wrong| panic!("{wrong}")).1).collect();
    assert!(printed.len() as u64 * 10 > CASES * 8, "{}", printed.len());
    for host in [Host::C, Host::Cpp, Host::Python, Host::Rust] {
        if !host.is_there() {
            println!("skipped: {host:?}");
            continue;
        }
        let compared = names::compiled(host, &printed).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(compared > 8 * CASES, "{host:?}: {compared}");
    }
}

#[test]
fn random_kernels_record_what_their_programs_say() {
    use campaign::{host::Host, programs};
    const CASES: u64 = 150;
    let (mut cases, mut evaluations, mut refused) = (vec![], 0, 0);
    for bytes in many(CASES, 3) {
        match programs::Case::from_bytes(&bytes, cases.len()) {
            Ok(case) => {
                evaluations += case.check(30).unwrap_or_else(|wrong| panic!("{wrong}")).evaluations;
                cases.push(case);
            }
            Err(programs::Refused::Name) => refused += 1,
            Err(programs::Refused::Bytes) => {}
            Err(programs::Refused::Wrong(why)) => panic!("{why}"),
        }
    }
    assert!(
        cases.len() as u64 * 2 > CASES && refused > 2 && evaluations > CASES * 30,
        "{} {refused} {evaluations}",
        cases.len()
    );
    if !Host::Cpp.is_there() {
        println!("skipped: no C++ compiler");
        return;
    }
    let compared = programs::compiled(&cases).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(compared > 20 * CASES, "{compared}");
}
