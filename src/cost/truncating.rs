//! A cost model for *hosts*: languages in which the text is printed and whose division operators round towards zero.

use super::{Cost, CostModel, OpCount, Operation};
use crate::domain::Interval;

/// The prices for a host that prints `//` and `%` as operators that round towards zero, as C and Triton do.
///
/// Every operation of the text is one instruction, except divisions. A division by a power of 2 is a shift. A division
/// by another constant takes a few instructions, and a division by a variable is a call. If the numerator is never
/// negative, both kinds of rounding give the same result. If the numerator may be negative, the host tests the
/// remainder and the sign and corrects the result, even for a power of 2. So answers keep numerators non-negative where
/// possible.
///
/// ```
/// use quaff::cost::{CostModel, Operation, Truncating};
/// use quaff::domain::Interval;
/// use quaff::{Simplifier, domain::Domain, expr::Expr};
///
/// let quotient = |lo, hi| Operation::Div { numerator: Interval::new(lo, hi).unwrap(), divisor: Interval::point(8) };
/// assert!(Truncating.price(&quotient(-1, 99)) > Truncating.price(&quotient(0, 99)));
///
/// // on a GPU a shift is a floor division by a power of 2, whatever the sign
/// let input: Expr = "(q*6 + r)%8 - (q*6 + r)//8%9".parse()?;
/// let domain = Domain::new().with("q", 0..12).with("r", 0..6);
/// let answer = Simplifier::default().simplify(&input, &domain)?;
/// assert_eq!(answer.expr().to_string(), "r - q*3 - (r - q*2)//8*9");
/// let answer = Simplifier::default().with_cost_model(Truncating).simplify(&input, &domain)?;
/// assert_eq!(answer.expr().to_string(), "(q*6 + r)%8 - (q*6 + r)//8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Truncating;

/// The price of a multiply-high, a shift and the correction for signed types.
const BY_CONSTANT: u32 = 50;
/// The price of a machine division.
const BY_VARIABLE: u32 = 300;
/// The price of tests of the remainder and of two signs, a selection, a subtraction, and a product for the remainder.
const CORRECTION: u32 = 80;

impl CostModel for Truncating {
    fn price(&self, operation: &Operation) -> Cost {
        match *operation {
            Operation::Div { numerator, divisor } | Operation::Mod { numerator, divisor, .. } => {
                let same_sign = numerator.is_nonneg() && divisor.is_nonneg();
                Cost::from_tenths((truncated(divisor) + if same_sign { 0 } else { CORRECTION }).into())
            }
            Operation::TruncDiv { divisor, .. } | Operation::TruncMod { divisor, .. } => {
                Cost::from_tenths(truncated(divisor).into())
            }
            _ => OpCount.price(operation),
        }
    }
}

/// The price of a division operator of the language, in tenths.
fn truncated(divisor: Interval) -> u32 {
    match divisor.as_point() {
        Some(c) if c > 0 && c & (c - 1) == 0 => 10,
        Some(_) => BY_CONSTANT,
        None => BY_VARIABLE,
    }
}
