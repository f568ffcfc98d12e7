//! The cost of an expression, by models that price one operation at a time.
//!
//! A [`CostModel`] prices the operations of an extracted DAG. Extraction adds up the prices over all expressions of a
//! call, and counts each shared operation once. A [`Cost`] counts tenths of a simple 32-bit instruction.
//!
//! ```
//! use quaff::cost::{Cost, CostModel, Gpu, Operation};
//! use quaff::domain::Interval;
//!
//! let x = Interval::new(0, 1000).unwrap();
//! // one shift; one multiply-high
//! assert_eq!(Gpu.price(&Operation::Div { numerator: x, divisor: Interval::point(8) }), Cost::from_tenths(10));
//! assert!(Gpu.price(&Operation::Div { numerator: x, divisor: Interval::point(7) }) > Cost::from_tenths(10));
//! // 24*a + 6*b + c: two multiply-adds
//! assert_eq!(Gpu.price(&Operation::Sum { products: 2, plain: 1, wide: false }), Cost::from_tenths(20));
//! ```

pub(crate) mod fused;
pub(crate) mod loop_nest;
mod narrow;
mod price;
mod shared_subsums;
mod sums;
mod truncating;

pub use crate::instructions::Cost;
pub use fused::Fused;
pub(crate) use narrow::Narrow;
pub use price::price;
pub(crate) use price::{price_in_loops, price_of_kernel};
pub use truncating::Truncating;

use crate::domain::Interval;
use crate::lower::Prices;
use crate::lower::forms::{form_by, remainder_by};
use crate::lower::fused_division::{ScaledNumerator, pays};
use crate::lower::truncation::{truncated_by, truncated_remainder_by};

/// One operation as a cost model prices it: its shape and the ranges that determine its instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// A sum of `products` terms `c * x` with `|c| != 1` and of `plain` other terms. A constant counts as a plain term.
    Sum {
        /// The number of terms that need a multiplication.
        products: u32,
        /// The number of terms `x` or `-x`, plus 1 for a constant.
        plain: u32,
        /// Whether the value, or a partial sum, needs more than 32 bits.
        wide: bool,
    },
    /// A product of `factors` unknowns.
    Product {
        /// The number of factors, at least 2.
        factors: u32,
        /// Whether the value needs more than 32 bits.
        wide: bool,
    },
    /// `x // y`.
    Div {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`. A single point if it is a constant.
        divisor: Interval,
    },
    /// `x % y`.
    Mod {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`.
        divisor: Interval,
        /// Whether another operation already computes `x // y`.
        quotient: bool,
    },
    /// `truncdiv(x, y)`.
    TruncDiv {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`. A single point if it is a constant.
        divisor: Interval,
    },
    /// `truncmod(x, y)`.
    TruncMod {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`.
        divisor: Interval,
        /// Whether another operation already computes `truncdiv(x, y)`.
        quotient: bool,
    },
    /// A comparison of two values.
    Compare {
        /// Whether 64 bits are compared.
        wide: bool,
    },
    /// `min` or `max` of two values.
    Extremum {
        /// Whether 64 bits are compared.
        wide: bool,
    },
    /// `where(c, a, b)`.
    Select {
        /// Whether the value needs more than 32 bits.
        wide: bool,
    },
    /// `and`, `or` or `not` of conditions.
    Logic,
    /// The conversion of a truth value to a number, for a term of a sum or a side of a comparison. The conversion is
    /// priced once, even if its result has several users.
    Number,
    /// `&`, `|`, `^` or a shift by a variable.
    Bits {
        /// Whether the value needs more than 32 bits.
        wide: bool,
    },
}

/// Prices operations.
///
/// An implementation must be a pure function of the operation, because extraction calls it in any order and caches the
/// results.
pub trait CostModel: Send + Sync {
    /// The price of one operation without its operands.
    fn price(&self, operation: &Operation) -> Cost;

    /// The price of several operations together, if the machine can do them in fewer instructions than one by one.
    /// Otherwise `None`, which is the default.
    fn fused(&self, operations: &Fused) -> Option<Cost> {
        let _ = operations;
        None
    }
}

/// The GPU model: instructions of the division-free lowering on a 32-bit machine.
///
/// Sums are fused: `a*c + b` is one instruction, and one instruction adds three plain terms. The price of a division is
/// the price of the form that is chosen for its range ([`crate::lower::forms`]). The price of a 64-bit operation is the
/// price of its 32-bit halves and carries. The prices are [`Prices::NVIDIA`]. A table of [`Prices`] for another machine
/// is a cost model as well.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gpu;

impl CostModel for Gpu {
    fn price(&self, operation: &Operation) -> Cost {
        Prices::NVIDIA.price(operation)
    }

    fn fused(&self, operations: &Fused) -> Option<Cost> {
        Prices::NVIDIA.fused(operations)
    }
}

impl CostModel for Prices {
    #[inline]
    fn price(&self, operation: &Operation) -> Cost {
        Cost::from_tenths(tenths(self, operation).into())
    }

    #[inline]
    fn fused(&self, operations: &Fused) -> Option<Cost> {
        fused_tenths(self, operations).map(|tenths| Cost::from_tenths(tenths.into()))
    }
}

/// The price of several operations together, in tenths.
#[inline]
fn fused_tenths(prices: &Prices, operations: &Fused) -> Option<u32> {
    match *operations {
        Fused::ClearedBits { numerator } => numerator.fits_i32().then_some(prices.simple),
        Fused::QuotientOfSum { divisor: ..2, .. } => None,
        Fused::QuotientOfSum { terms, range, factor, constant, divisor } => {
            let numerator = range.scaled(factor).plus(Interval::point(constant));
            let form = form_by(numerator, divisor, prices);
            let pays = pays(form.kind, factor, constant, numerator.is_nonneg());
            let (lo, hi) = range.bounded().filter(|_| pays && !form.wide)?;
            // each term takes one multiplication, and the constant needs no further instruction
            let sum = prices.simple.saturating_mul(terms);
            ScaledNumerator { factor, constant, divisor, lo, hi }.form().map(|_| sum.saturating_add(prices.mulhi))
        }
    }
}

/// The price of `operation`, in tenths.
#[inline]
fn tenths(prices: &Prices, operation: &Operation) -> u32 {
    let Prices { simple, simple64, mul_add64, compare64, variable_division, .. } = *prices;
    let by_width = |wide: bool, narrow: u32, of_64: u32| if wide { of_64 } else { narrow };
    match *operation {
        Operation::Sum { products, plain, wide: true } => terms(mul_add64, products, simple64, plain),
        // each of the `p` multiplications also adds one term. The other plain terms are added two at a time
        Operation::Sum { products, plain, wide: false } => terms(simple, products, simple, plain >> 1),
        Operation::Product { factors, wide } => {
            by_width(wide, simple, mul_add64).saturating_mul(factors.saturating_sub(1))
        }
        Operation::Div { numerator, divisor } => match divisor.as_point() {
            // a negative divisor costs a little more, so that the form without it is chosen
            Some(c) if c != 0 => form_by(numerator, c, prices).tenths(prices).saturating_add(u32::from(c < 0)),
            _ => by_variable(numerator, divisor, prices, variable_division),
        },
        Operation::Mod { numerator, divisor, quotient } => match divisor.as_point() {
            Some(c) if c != 0 => {
                remainder_by(numerator, c, quotient, prices).tenths(prices).saturating_add(u32::from(c < 0))
            }
            _ if quotient => simple,
            _ => by_variable(numerator, divisor, prices, variable_division.saturating_sub(simple)),
        },
        Operation::TruncDiv { numerator, divisor } => match divisor.as_point() {
            Some(c) if c != 0 => truncated_by(numerator, c, prices).tenths(prices).saturating_add(u32::from(c < 0)),
            _ => truncated_by_variable(numerator, divisor, prices, variable_division),
        },
        Operation::TruncMod { numerator, divisor, quotient } => match divisor.as_point() {
            Some(c) if c != 0 => truncated_remainder_by(numerator, c, quotient, prices).tenths(prices),
            _ if quotient => simple,
            _ => truncated_by_variable(numerator, divisor, prices, variable_division.saturating_sub(simple)),
        },
        Operation::Compare { wide } | Operation::Extremum { wide } => by_width(wide, simple, compare64),
        Operation::Select { wide } | Operation::Bits { wide } => by_width(wide, simple, simple64),
        Operation::Logic => 0,
        Operation::Number => prices.number,
    }
}

/// The price of `a` terms of price `x` and `b` terms of price `y`, at most `u32::MAX`.
#[inline]
fn terms(x: u32, a: u32, y: u32, b: u32) -> u32 {
    x.saturating_mul(a).saturating_add(y.saturating_mul(b))
}

/// The price of a division by a divisor that is not constant: the price of an unsigned division, and more for signs and
/// 64 bits.
fn by_variable(numerator: Interval, divisor: Interval, prices: &Prices, division: u32) -> u32 {
    let fits = |i: Interval| i.within(i32::MIN as i128, u32::MAX as i128);
    if !fits(numerator) || !fits(divisor) {
        return division.saturating_mul(5);
    }
    // signs need three more instructions
    let signs = if numerator.is_nonneg() && divisor.is_nonneg() { 0 } else { prices.simple.saturating_mul(3) };
    division.saturating_add(signs)
}

/// The price of a truncating division by a divisor that is not constant. If floor division gives the same result,
/// truncation costs a little more, so that floor division is chosen.
fn truncated_by_variable(numerator: Interval, divisor: Interval, prices: &Prices, division: u32) -> u32 {
    let is_floor = numerator.is_nonneg() && divisor.is_nonneg();
    by_variable(numerator, divisor, prices, division).saturating_add(u32::from(is_floor))
}

/// Counts operations as in a textbook: every `+ - * // %`, comparison, selection and bit operation costs 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpCount;

impl CostModel for OpCount {
    fn price(&self, operation: &Operation) -> Cost {
        let tenths = match *operation {
            Operation::Sum { products, plain, .. } => {
                terms(10, products, 10, products.saturating_add(plain).saturating_sub(1))
            }
            Operation::Product { factors, .. } => factors.saturating_sub(1).saturating_mul(10),
            Operation::Number => 0,
            _ => 10,
        };
        Cost::from_tenths(tenths.into())
    }
}
