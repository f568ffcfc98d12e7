//! Operations that stand for several of an expression.

use super::{Cost, CostModel};
use crate::domain::Interval;
use crate::integer::{floor_div, gcd};

/// Several operations of an expression that some machines do in fewer instructions than one by one.
///
/// A [`CostModel`] that has a price for one pays it where that is less than what the parts cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fused {
    /// `x // 2^k * 2^k`: the low bits of `x` are cleared. Its price is that of the whole; a sum adds it as a plain term.
    ClearedBits {
        /// Range of `x`.
        numerator: Interval,
    },
    /// `(factor * t + constant) // divisor`, where `t` is a sum that nothing else needs: its price is that of the sum and of the quotient.
    QuotientOfSum {
        /// Number of the terms of `t`, at least 1.
        terms: u32,
        /// Range of `t`.
        range: Interval,
        /// Not 0.
        factor: i64,
        /// What is added to the product.
        constant: i64,
        /// At least 2.
        divisor: i64,
    },
}

/// The price of `x // 2^k * 2^k` as one operation.
pub(crate) fn cleared_bits(model: &dyn CostModel, numerator: Interval) -> Option<Cost> {
    model.fused(&Fused::ClearedBits { numerator })
}

/// Whether `coefficient * (x // divisor)` is `x` with its low bits cleared, or its opposite.
#[inline]
pub(crate) fn clears_bits(coefficient: i128, divisor: i64) -> bool {
    divisor > 1 && divisor & (divisor - 1) == 0 && coefficient.unsigned_abs() == u128::from(divisor.unsigned_abs())
}

/// What is left of the constant of a sum in which terms with the coefficients `clearing` are numbers with their low bits cleared: a constant
/// that sets all of these bits is set in place of being added.
pub(crate) fn left_of_constant(mut clearing: impl Iterator<Item = i128>, constant: i128) -> i128 {
    let sets = clearing.any(|c| c.signum().checked_mul(constant) == Some(c.abs() - 1));
    if sets { 0 } else { constant }
}

/// The most that a quotient of one instruction costs, in tenths. With a sum it cannot take less than one instruction.
const ONE_INSTRUCTION: u64 = 14;

/// Whether a quotient that costs so much by itself may take less together with the sum that is divided: not if it is one instruction.
pub(crate) fn may_fuse(quotient: Cost) -> bool {
    quotient.tenths() > ONE_INSTRUCTION
}

/// The price of `(Σ terms + constant) // divisor`, the sum included and what its terms cost left out. `terms` are coefficients and ranges;
/// `numerator` is what is known of their sum with the constant.
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
    // nothing beside the terms could be computed together with the quotient
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
