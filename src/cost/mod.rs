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

mod common;
pub(crate) mod fused;
mod narrow;
mod price;
mod sums;
pub(crate) mod times;
mod truncating;

pub use crate::instructions::Cost;
pub use fused::Fused;
pub(crate) use narrow::Narrow;
pub use price::price;
pub(crate) use price::{price_in_loops, price_of_kernel};
pub use truncating::Truncating;

use crate::domain::Interval;
use crate::lower::forms::{DivKind, MULHI, SIMPLE, form_by, remainder_by};
use crate::lower::scale::{ScaledNumerator, pays};

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
    /// `sum >= 0` or `sum == 0`; one plain term or the constant moves to the other side.
    Compare {
        /// Terms that need a multiplication.
        products: u32,
        /// The other terms, and the constant.
        plain: u32,
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
/// Measured on sm_80, sm_90 and sm_100.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gpu;

/// Instructions of an unsigned division by a divisor that is not constant; the remainder is one less.
const VARIABLE_DIVISION: u32 = 180;

impl CostModel for Gpu {
    fn price(&self, operation: &Operation) -> Cost {
        Cost::from_tenths(gpu(operation).into())
    }

    fn fused(&self, operations: &Fused) -> Option<Cost> {
        gpu_fused(operations).map(|tenths| Cost::from_tenths(tenths.into()))
    }
}

/// The price of several operations together under [`Gpu`], in tenths.
fn gpu_fused(operations: &Fused) -> Option<u32> {
    match *operations {
        Fused::ClearedBits { numerator } => numerator.within(i32::MIN as i128, i32::MAX as i128).then_some(SIMPLE),
        Fused::QuotientOfSum { divisor: ..2, .. } => None,
        Fused::QuotientOfSum { terms, range, factor, constant, divisor } => {
            let numerator = range.scaled(factor).plus(Interval::point(constant));
            let form = form_by(numerator, divisor);
            let pays = pays(form.kind, factor, constant, numerator.is_nonneg());
            let (lo, hi) = range.bounded().filter(|_| pays && !form.wide)?;
            // each term is a product of its own then, and the constant is added for nothing
            let sum = SIMPLE.saturating_mul(terms);
            ScaledNumerator { factor, constant, divisor, lo, hi }.form().map(|_| sum.saturating_add(flattened(MULHI)))
        }
    }
}

/// The price of `operation` under [`Gpu`], in tenths.
fn gpu(operation: &Operation) -> u32 {
    let width = |wide: bool, narrow: u32, factor: u32| if wide { narrow.saturating_mul(factor) } else { narrow };
    match *operation {
        Operation::Sum { products, plain, wide } => {
            // `p` multiplies absorb one addend each; what is left adds two at a time
            if wide { terms(40, products, 20, plain) } else { terms(10, products, 10, plain >> 1) }
        }
        Operation::Product { factors, wide } => width(wide, factors.saturating_sub(1).saturating_mul(10), 4),
        Operation::Div { numerator, divisor } => match divisor.as_point() {
            // a little more than a comparison as a number, which says the same
            Some(c) if c != 0 && form_by(numerator, c).kind == DivKind::SignBit => SIMPLE + 3,
            // of two ways to write it, the one without a negative divisor
            Some(c) if c != 0 => flattened(form_by(numerator, c).tenths()) + u32::from(c < 0),
            _ => variable_division(numerator, divisor, VARIABLE_DIVISION),
        },
        Operation::Mod { numerator, divisor, quotient } => match divisor.as_point() {
            Some(c) if c != 0 => flattened(remainder_by(numerator, c, quotient).tenths()) + u32::from(c < 0),
            _ if quotient => 10,
            _ => variable_division(numerator, divisor, VARIABLE_DIVISION - 10),
        },
        Operation::Compare { products, plain, wide } => {
            let plain = plain.saturating_sub(1);
            if wide {
                terms(40, products, 20, plain).saturating_add(40)
            } else {
                terms(10, products, 10, plain >> 1).saturating_add(10)
            }
        }
        Operation::Extremum { wide } => width(wide, 10, 4),
        Operation::Select { wide } => width(wide, 10, 2),
        Operation::Logic => 0,
        // a predicate becomes a selection, or a condition of the addition
        Operation::Number => 2,
        Operation::Bits { wide } => width(wide, 10, 2),
    }
}

/// `a` terms of price `x` and `b` of price `y`; at most `u32::MAX`.
#[inline]
fn terms(x: u32, a: u32, y: u32, b: u32) -> u32 {
    x.saturating_mul(a).saturating_add(y.saturating_mul(b))
}

/// A multiply-high is one instruction in two issue slots; index code is bound by instruction count more than by
/// that pipe, so the second slot counts as a tie-break only.
fn flattened(cost: u32) -> u32 {
    match cost {
        18 => 11,
        28 => 21,
        other => other,
    }
}

fn variable_division(numerator: Interval, divisor: Interval, price: u32) -> u32 {
    let fits = |i: Interval| i.within(i32::MIN as i128, u32::MAX as i128);
    if fits(numerator) && fits(divisor) {
        // a sign is worked around with three more instructions
        if numerator.is_nonneg() && divisor.is_nonneg() { price } else { price + 30 }
    } else {
        5 * price
    }
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
            Operation::Compare { products, plain, .. } => {
                terms(10, products, 10, products.saturating_add(plain).saturating_sub(2)).saturating_add(10)
            }
            Operation::Number => 0,
            _ => 10,
        };
        Cost::from_tenths(tenths.into())
    }
}
