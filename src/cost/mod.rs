//! What an expression costs: models that price one operation at a time.
//!
//! A [`CostModel`] prices the operations of an extracted DAG; the extraction adds the prices up, every shared operation
//! once, over all roots together. A [`Cost`] counts tenths of a simple 32-bit instruction.
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

/// One operation as a cost model sees it: its shape and the ranges that decide its instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// A sum of `products` terms `c * x` with `|c| != 1` and `plain` others (a constant among them).
    Sum {
        /// Terms that need a multiplication.
        products: u32,
        /// Terms `x` or `-x`, and the constant.
        plain: u32,
        /// Whether the value, or a partial sum, needs more than 32 bits.
        wide: bool,
    },
    /// A product of `factors` unknowns.
    Product {
        /// At least 2.
        factors: u32,
        /// Whether the value needs more than 32 bits.
        wide: bool,
    },
    /// `x // y`.
    Div {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`; a point when it is a constant.
        divisor: Interval,
    },
    /// `x % y`.
    Mod {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`.
        divisor: Interval,
        /// Whether `x // y` is computed anyway.
        quotient: bool,
    },
    /// `truncdiv(x, y)`.
    TruncDiv {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`; a point when it is a constant.
        divisor: Interval,
    },
    /// `truncmod(x, y)`.
    TruncMod {
        /// Range of `x`.
        numerator: Interval,
        /// Range of `y`.
        divisor: Interval,
        /// Whether `truncdiv(x, y)` is computed anyway.
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
    /// A truth that is needed as a number: a term of a sum, or a side of a comparison. Priced once, whoever needs it.
    Number,
    /// `&`, `|`, `^` or a shift by a variable.
    Bits {
        /// Whether the value needs more than 32 bits.
        wide: bool,
    },
}

/// Prices operations.
///
/// An implementation must be a pure function of the operation: extraction calls it in any order and keeps the answers.
pub trait CostModel: Send + Sync {
    /// The price of one operation, its operands left out.
    fn price(&self, operation: &Operation) -> Cost;

    /// The price of several operations together, where the machine does them in fewer instructions than one by one; `None` where it
    /// does not, which is the default.
    fn fused(&self, operations: &Fused) -> Option<Cost> {
        let _ = operations;
        None
    }
}

/// The GPU model: instructions of the division-free lowering on a 32-bit machine.
///
/// Sums are fused (`a*c + b` is one instruction, three plain terms add in one), divisions cost what the form chosen
/// for their range costs ([`crate::lower::forms`]), 64-bit values cost what their 32-bit halves and carries cost.
/// Its prices are [`Prices::NVIDIA`]; those of another machine are a cost model, too.
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
            // each term is a product of its own then, and the constant is added for nothing
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
        // `p` multiplies absorb one addend each; what is left adds two at a time
        Operation::Sum { products, plain, wide: false } => terms(simple, products, simple, plain >> 1),
        Operation::Product { factors, wide } => {
            by_width(wide, simple, mul_add64).saturating_mul(factors.saturating_sub(1))
        }
        Operation::Div { numerator, divisor } => match divisor.as_point() {
            // of two ways to write it, the one without a negative divisor
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

/// `a` terms of price `x` and `b` of price `y`; at most `u32::MAX`.
#[inline]
fn terms(x: u32, a: u32, y: u32, b: u32) -> u32 {
    x.saturating_mul(a).saturating_add(y.saturating_mul(b))
}

/// The price of dividing by what is no constant: that of an unsigned division, and more for signs and 64 bits.
fn by_variable(numerator: Interval, divisor: Interval, prices: &Prices, division: u32) -> u32 {
    let fits = |i: Interval| i.within(i32::MIN as i128, u32::MAX as i128);
    if !fits(numerator) || !fits(divisor) {
        return division.saturating_mul(5);
    }
    // a sign is worked around with three more instructions
    let signs = if numerator.is_nonneg() && divisor.is_nonneg() { 0 } else { prices.simple.saturating_mul(3) };
    division.saturating_add(signs)
}

/// The same rounded towards zero; where floor division is no different, that costs a little less.
fn truncated_by_variable(numerator: Interval, divisor: Interval, prices: &Prices, division: u32) -> u32 {
    let is_floor = numerator.is_nonneg() && divisor.is_nonneg();
    by_variable(numerator, divisor, prices, division).saturating_add(u32::from(is_floor))
}

/// Counts operations as a textbook would: every `+ - * // %`, comparison, selection and bit operation is 1.
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
