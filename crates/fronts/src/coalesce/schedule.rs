//! A schedule: which element each lane takes.

use super::digits::Digits;
use super::pieces::Pieces;
use quaff::expr::Expr;
use quaff::expr::substitute::substituted;

/// A name that no variable has.
const LANE: &str = " lane";

/// Which element the lane `u` takes, `u` counted over all lanes and steps: a bijection onto the elements or, where there are more
/// lanes than elements, onto these and some numbers above.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schedule {
    /// Digits in another order.
    Digits(Digits),
    /// Sums of quotients, each for some of the lanes.
    Pieces(Pieces),
    /// Digits of digits: the first permutation of what the second one gives.
    Composed(Digits, Digits),
}

impl Schedule {
    /// How many lanes there are, over all steps.
    pub fn extent(&self) -> i64 {
        match self {
            Schedule::Digits(digits) => digits.extent(),
            Schedule::Pieces(pieces) => pieces.extent(),
            Schedule::Composed(first, _) => first.extent(),
        }
    }

    /// The element of lane `u` in `0..extent`.
    pub fn value(&self, u: i64) -> i64 {
        match self {
            Schedule::Digits(digits) => digits.value(u),
            Schedule::Pieces(pieces) => pieces.value(u),
            Schedule::Composed(first, second) => first.value(second.value(u)),
        }
    }

    /// The elements of the lanes from `from` on.
    pub(super) fn fill(&self, from: i64, out: &mut [i64]) {
        match self {
            Schedule::Digits(digits) => digits.fill(from, out),
            Schedule::Pieces(pieces) => out.iter_mut().zip(from..).for_each(|(slot, u)| *slot = pieces.value(u)),
            Schedule::Composed(first, second) => {
                second.fill(from, out);
                out.iter_mut().for_each(|slot| *slot = first.value(*slot));
            }
        }
    }

    /// The element as an expression over `variable`, which lies in `0..extent`. Not simplified.
    pub fn expr(&self, variable: &str) -> Expr {
        match self {
            Schedule::Digits(digits) => digits.expr(variable),
            Schedule::Pieces(pieces) => pieces.expr(variable),
            // a name that no variable has
            Schedule::Composed(first, second) => substituted(&first.expr(LANE), LANE, &second.expr(variable)),
        }
    }

    /// The schedule as movements of a row of elements, as [`Digits::chain_text`]; `None` where it is none.
    pub fn chain_text(&self) -> Option<String> {
        match self {
            Schedule::Digits(digits) => Some(digits.chain_text()),
            Schedule::Composed(first, second) => {
                // the row that the first movements give is moved again
                let second = second.chain_text();
                let movements = second.find(')').and_then(|end| second.get(end + 1..)).unwrap_or_default();
                Some(first.chain_text() + movements)
            }
            Schedule::Pieces(_) => None,
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
        substituted(&self.expr(LANE), LANE, lane)
    }
}
