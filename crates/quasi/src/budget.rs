//! Counted work: what keeps time and memory near linear in the size of a question, the same on every machine.

use std::cell::Cell;
use std::rc::Rc;

/// Operators whose periods take about as long as one term of a polynomial.
const OPERATORS_PER_STEP: usize = 2;

/// Steps that the pieces of one question may still take together. One step is one term of a polynomial that is read,
/// written or kept; so this bounds memory, too.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    all: u64,
    /// `None` once more was asked for than there was.
    left: Rc<Cell<Option<u64>>>,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Budget {
        Budget { all: steps, left: Rc::new(Cell::new(Some(steps))) }
    }

    /// Takes steps; `None` when there are not so many, and from then on.
    pub(super) fn spend(&self, steps: usize) -> Option<()> {
        self.left.set(self.left.get().and_then(|left| left.checked_sub(steps as u64)));
        self.left.get().map(|_| ())
    }

    /// Takes what finding the periods of so many operators costs.
    pub(super) fn spend_on_periods(&self, operators: usize) -> Option<()> {
        self.spend(operators.div_ceil(OPERATORS_PER_STEP))
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> u64 {
        self.left.get().unwrap_or(0)
    }

    /// The steps taken; all of them once more was asked for.
    pub(super) fn spent(&self) -> u64 {
        self.all - self.left()
    }

    /// Whether more was asked for than there was.
    pub(super) fn is_spent(&self) -> bool {
        self.left.get().is_none()
    }
}
