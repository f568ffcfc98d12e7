//! Work that a call may do beside running rules.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps that the searches of one call may still take, all of them together, beside the instructions of rules: goals of proofs, and
/// sums that are compared with one another. A step takes about as long as an instruction.
#[derive(Clone, Debug)]
pub(crate) struct Budget(Arc<AtomicU64>);

impl Budget {
    pub(crate) fn new(steps: u64) -> Budget {
        Budget(Arc::new(AtomicU64::new(steps)))
    }

    /// Takes `steps` away; answers whether there were as many.
    pub(crate) fn spend(&self, steps: u64) -> bool {
        // one call runs on one thread
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(steps), Ordering::Relaxed);
        left >= steps
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
        let budget = Budget::new(5);
        let copy = budget.clone();
        assert!(budget.spend(3) && copy.spend(1) && !budget.is_spent());
        assert!(!copy.spend(2) && budget.is_spent() && !budget.spend(1));
    }
}
