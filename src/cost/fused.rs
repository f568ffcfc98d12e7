//! Fused operations: single operations that replace several operations of an expression.

use super::{Cost, CostModel};
use crate::domain::Interval;
use crate::integer::{floor_div, gcd};

/// Several operations of an expression that some machines do together, in fewer instructions than one after the other.
///
/// A [`CostModel`] may have a price for the fused operation. The fused operation is chosen if this price is lower than
/// the prices of its parts together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fused {
    /// `x // 2^k * 2^k`: `x` with its low `k` bits cleared. The price covers the division and the multiplication. A sum
    /// adds the result as a plain term.
    ClearedBits {
        /// Range of `x`.
        numerator: Interval,
    },
    /// `(factor * t + constant) // divisor` for a sum `t` that has no other use. The price covers the sum and the
    /// quotient.
    QuotientOfSum {
        /// Number of the terms of `t`, at least 1.
        terms: u32,
        /// Range of `t`.
        range: Interval,
        /// The factor of the sum, which is not 0.
        factor: i64,
        /// The constant that is added to the product.
        constant: i64,
        /// The divisor, which is at least 2.
        divisor: i64,
    },
}

/// The price of `x // 2^k * 2^k` as one operation.
pub(crate) fn cleared_bits(model: &dyn CostModel, numerator: Interval) -> Option<Cost> {
    model.fused(&Fused::ClearedBits { numerator })
}

/// Whether `coefficient * (x // divisor)` equals `x` with its low bits cleared, or the negation of that number.
#[inline]
pub(crate) fn clears_bits(coefficient: i128, divisor: i64) -> bool {
    divisor > 1 && divisor & (divisor - 1) == 0 && coefficient.unsigned_abs() == u128::from(divisor.unsigned_abs())
}

/// The constant that is still added to a sum in which the terms with coefficients `clearing` are numbers with their low
/// bits cleared. In `x//8*8 + 7`, the constant sets all bits that were cleared. This is one operation, `x | 7`, and the
/// constant that remains is 0.
pub(crate) fn left_of_constant(mut clearing: impl Iterator<Item = i128>, constant: i128) -> i128 {
    let sets = clearing.any(|c| c.signum().checked_mul(constant) == Some(c.abs() - 1));
    if sets { 0 } else { constant }
}

/// The highest price of a quotient of one instruction, in tenths. Such a quotient is not fused with a sum, because the
/// fused operation also takes at least one instruction.
const ONE_INSTRUCTION: u64 = 14;

/// Whether a quotient of this price may become cheaper if it is fused with the sum that it divides. A quotient of one
/// instruction cannot become cheaper.
pub(crate) fn may_fuse(quotient: Cost) -> bool {
    quotient.tenths() > ONE_INSTRUCTION
}

/// The price of `(Σ terms + constant) // divisor`, including the sum but not its terms. `terms` are coefficients and
/// ranges. `numerator` is the range of the whole sum.
pub(crate) fn quotient_of_sum(
    model: &dyn CostModel,
    terms: &[(i64, Interval)],
    constant: i64,
    numerator: Interval,
    divisor: i64,
) -> Option<Cost> {
    if divisor < 2 || terms.is_empty() {
        return None;
    }
    let sign = if terms.iter().all(|t| t.0 < 0) { -1 } else { 1 };
    let factor = terms.iter().fold(0, |g, t| gcd(g, t.0.into()));
    // without a factor and a constant, the numerator is only a sum of terms, and the fused form saves nothing
    if factor == 1 && constant == 0 {
        return None;
    }
    let factor = i64::try_from(factor).ok().filter(|f| *f != 0)? * sign;
    let of_terms = terms.iter().map(|(c, range)| {
        let quotient = floor_div((*c).into(), factor.into());
        Some(range.scaled(i64::try_from(quotient).ok()?))
    });
    let of_terms = of_terms.reduce(|a, b| Some(a?.plus(b?)))??;
    let of_sum = numerator.plus(Interval::point(constant.checked_neg()?)).floor_div(Interval::point(factor))?;
    let range = of_terms.meet(of_sum)?;
    let terms = u32::try_from(terms.len()).ok()?;
    model.fused(&Fused::QuotientOfSum { terms, range, factor, constant, divisor })
}
