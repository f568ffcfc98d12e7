//! A cost model that avoids 64-bit operations wherever possible.

use super::{Cost, CostModel, Fused, Operation};
use crate::domain::Interval;
use std::sync::Arc;

/// A surcharge above the cost that the rest of any answer may have.
const WIDE: Cost = Cost::from_tenths(1_000_000);

/// A model that makes 64-bit operations so expensive that they are chosen only if nothing else is possible.
pub(crate) struct Narrow(pub(crate) Arc<dyn CostModel>);

impl CostModel for Narrow {
    fn price(&self, operation: &Operation) -> Cost {
        let leaves = |x: Interval| !x.fits_i32();
        let wide = match *operation {
            Operation::Sum { wide, .. }
            | Operation::Product { wide, .. }
            | Operation::Compare { wide }
            | Operation::Extremum { wide }
            | Operation::Select { wide }
            | Operation::Bits { wide } => wide,
            Operation::Div { numerator, divisor }
            | Operation::Mod { numerator, divisor, .. }
            | Operation::TruncDiv { numerator, divisor }
            | Operation::TruncMod { numerator, divisor, .. } => leaves(numerator) || leaves(divisor),
            Operation::Logic | Operation::Number => false,
        };
        self.0.price(operation) + if wide { WIDE } else { Cost::ZERO }
    }

    fn fused(&self, operations: &Fused) -> Option<Cost> {
        let numerator = match *operations {
            Fused::ClearedBits { numerator } => numerator,
            Fused::QuotientOfSum { range, factor, constant, .. } => {
                range.scaled(factor).plus(Interval::point(constant))
            }
        };
        self.0.fused(operations).filter(|_| numerator.fits_i32())
    }
}
