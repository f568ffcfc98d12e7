//! Measures the times of a rule set and of the base rule set in alternating calls.

use super::corpus::{Case, Corpus};
use super::run::answered;
use super::times::{Pair, Times};
use quaff::Simplifier;
use rayon::prelude::*;

/// Simplifies every case once with each simplifier to warm up, and then `rounds` times with both in turn. Every second
/// round begins with `own`. The calls run on all threads of the pool.
pub(super) fn measured(base: &Simplifier, own: &Simplifier, corpus: &Corpus, rounds: u32) -> Times {
    let one = |case: &Case| -> Vec<Pair> {
        let time = |simplifier: &Simplifier| {
            let (_, time) = answered(simplifier, case);
            u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
        };
        let _ = (time(base), time(own));
        let round = |r: u32| match r % 2 {
            0 => [time(base), time(own)],
            _ => {
                let own = time(own);
                [time(base), own]
            }
        };
        (0..rounds).map(round).collect()
    };
    let cases: Vec<Vec<Pair>> = corpus.cases().par_iter().map(one).collect();
    Times::of(&cases)
}
