//! A schedule: the element that each lane takes.

use super::digits::Digits;
use super::pieces::Pieces;
use quaff::expr::Expr;
use quaff::expr::substitute::substituted;

/// The name of an internal variable. It has a blank, so no variable of a caller has this name.
const LANE: &str = " lane";

/// The element that each lane `u` takes, with `u` counted over all lanes and steps. It is a bijection onto the
/// elements. If there are more lanes than elements, the lanes in excess get numbers above the last element and do
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Schedule {
    /// A permutation of digits.
    Digits(Digits),
    /// Sums of quotients, each for a range of lanes.
    Pieces(Pieces),
    /// A composition of digit permutations: the first permutation applied to the result of the second permutation.
    Composed(Digits, Digits),
}

impl Schedule {
    /// The number of lanes over all steps.
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

    /// Writes the elements of the lanes from `from` on into `out`.
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

    /// The element as an expression over `variable`, whose range is `0..extent`. It is not simplified.
    pub fn expr(&self, variable: &str) -> Expr {
        match self {
            Schedule::Digits(digits) => digits.expr(variable),
            Schedule::Pieces(pieces) => pieces.expr(variable),
            // no variable can have the name `LANE`
            Schedule::Composed(first, second) => substituted(&first.expr(LANE), LANE, &second.expr(variable)),
        }
    }

    /// The schedule as a chain of view movements of a row of elements (see [`Digits::chain_text`]). `None` if it cannot
    /// be written in this way.
    pub fn chain_text(&self) -> Option<String> {
        match self {
            Schedule::Digits(digits) => Some(digits.chain_text()),
            Schedule::Composed(first, second) => {
                // the second chain is applied to the result of the first chain
                let second = second.chain_text();
                let movements = second.find(')').and_then(|end| second.get(end + 1..)).unwrap_or_default();
                Some(first.chain_text() + movements)
            }
            Schedule::Pieces(_) => None,
        }
    }

    /// The element of the lane whose number is the expression `lane`, which may have any variables.
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
