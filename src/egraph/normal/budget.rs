//! Limits the work of the prover in one call. The prover (`prover/mod.rs`) replaces *goals*, claims that a polynomial
//! is at least 0, by simpler goals. The work is counted in goals.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The work that is charged for one goal. With half of this value, the answers of all corpora have the same cost but
/// take longer.
const WORK_OF_A_GOAL: u64 = 128;
/// The maximum number of proofs for one e-graph. After that, only the other methods of proof are used.
pub(super) const MAX_PROOFS: u32 = 600;

/// The remaining work for the goals of all proofs in one call.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<AtomicU64>);

impl Budget {
    pub(crate) fn new(work: u64) -> Budget {
        Budget(Arc::new(AtomicU64::new(work)))
    }

    /// Subtracts the work of `goals` goals, at most the remaining work.
    pub(crate) fn spend(&self, goals: u64) {
        // no other thread changes the counter between load and store, because one call runs on one thread
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(goals.saturating_mul(WORK_OF_A_GOAL)), Ordering::Relaxed);
    }

    /// Whether no work is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_draw_from_one_budget() {
        let budget = Budget::new(5 * WORK_OF_A_GOAL);
        let copy = budget.clone();
        budget.spend(3);
        copy.spend(1);
        assert!(!budget.is_spent());
        copy.spend(2);
        assert!(budget.is_spent());
    }
}
