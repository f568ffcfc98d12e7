//! A schedule: which element each lane takes.

use super::digits::Digits;
use super::pieces::Pieces;
use quaff::expr::Expr;
use quaff::expr::substitute::substituted;

/// Which element the lane `u` takes, `u` counted over all lanes and steps: a bijection onto the elements or, where there are more
/// lanes than elements, onto these and some numbers above.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schedule {
    /// Digits in another order.
    Digits(Digits),
    /// Sums of quotients, each for some of the lanes.
    Pieces(Pieces),
}

impl Schedule {
    /// How many lanes there are, over all steps.
    pub fn extent(&self) -> i64 {
        match self {
            Schedule::Digits(digits) => digits.extent(),
            Schedule::Pieces(pieces) => pieces.extent(),
        }
    }

    /// The element of lane `u` in `0..extent`.
    pub fn value(&self, u: i64) -> i64 {
        match self {
            Schedule::Digits(digits) => digits.value(u),
            Schedule::Pieces(pieces) => pieces.value(u),
        }
    }

    /// The elements of the lanes from `from` on.
    pub(super) fn fill(&self, from: i64, out: &mut [i64]) {
        match self {
            Schedule::Digits(digits) => digits.fill(from, out),
            Schedule::Pieces(pieces) => out.iter_mut().zip(from..).for_each(|(slot, u)| *slot = pieces.value(u)),
        }
    }

    /// The element as an expression over `variable`, which lies in `0..extent`. Not simplified.
    pub fn expr(&self, variable: &str) -> Expr {
        match self {
            Schedule::Digits(digits) => digits.expr(variable),
            Schedule::Pieces(pieces) => pieces.expr(variable),
        }
    }

    /// The element of the lane that `lane` says, an expression over any variables.
    ///
    /// ```
    /// use quaff_fronts::coalesce::{Digits, Schedule};
    ///
    /// let schedule = Schedule::Digits(Digits::new(&[8, 32], &[1, 0], &[false, false]).unwrap());
    /// let lane = "step*32 + threadIdx".parse()?;
    /// assert_eq!(schedule.at(&lane).to_string(), "(step*32 + threadIdx)%32*8 + (step*32 + threadIdx)//32");
    /// # Ok::<(), quaff::expr::ParseError>(())
    /// ```
    pub fn at(&self, lane: &Expr) -> Expr {
        // a name that no variable has
        const LANE: &str = " lane";
        substituted(&self.expr(LANE), LANE, lane)
    }
}
