//! Counts and limits work, so that time and memory grow nearly linearly with the size of the two expressions that are
//! compared. The count is the same on every machine.

use std::cell::Cell;
use std::rc::Rc;

/// The number of operators whose periods are found for the cost of one step. Finding them takes about as long as a
/// step.
const OPERATORS_PER_STEP: usize = 2;

/// The steps that one comparison of two expressions may still take. All [pieces](super::piece) of the comparison share
/// them. One step is one term of a polynomial that is read, written or kept, so the budget also bounds memory.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    all: u64,
    /// The remaining steps. `None` after a request for more steps than remained.
    left: Rc<Cell<Option<u64>>>,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Budget {
        Budget { all: steps, left: Rc::new(Cell::new(Some(steps))) }
    }

    /// Takes steps from the budget. If fewer steps remain, this request and all later ones return `None`.
    pub(super) fn spend(&self, steps: usize) -> Option<()> {
        self.left.set(self.left.get().and_then(|left| left.checked_sub(steps as u64)));
        self.left.get().map(|_| ())
    }

    /// Takes the cost of finding the periods of `operators` operators.
    pub(super) fn spend_on_periods(&self, operators: usize) -> Option<()> {
        self.spend(operators.div_ceil(OPERATORS_PER_STEP))
    }

    /// The number of remaining steps.
    pub(super) fn left(&self) -> u64 {
        self.left.get().unwrap_or(0)
    }

    /// The number of steps taken. After a request for too many steps, it is the whole budget.
    pub(super) fn spent(&self) -> u64 {
        self.all - self.left()
    }

    /// Whether more steps were requested than remained.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get().is_none()
    }
}
