//! What bounds the proofs of a call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Work of one goal. With half as much, the answers of all corpora cost the same and take longer.
const WORK_OF_A_GOAL: u64 = 128;
/// Proofs for one e-graph. From then on the other ways of proving must do.
pub(super) const MAX_PROOFS: u32 = 600;

/// Work that is left for the goals of all proofs in one call.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<AtomicU64>);

impl Budget {
    pub(crate) fn new(work: u64) -> Budget {
        Budget(Arc::new(AtomicU64::new(work)))
    }

    /// Takes away the work of so many goals, or all that is left.
    pub(crate) fn spend(&self, goals: u64) {
        // one call runs on one thread
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(goals.saturating_mul(WORK_OF_A_GOAL)), Ordering::Relaxed);
    }

    /// Whether there is none left.
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
