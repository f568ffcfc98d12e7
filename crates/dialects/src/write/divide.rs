//! Writes floor divisions in languages whose division truncates, and truncating divisions in languages whose division
//! rounds down.

use super::error::Refusal;
use super::form::{Id, Kind};
use super::lower::{Division, Lowering};
use quaff_expr::domain::Interval;
use quaff_expr::expr::Op;

/// The way to divide two operands with the operations of the language.
enum Way {
    /// Use `/` and `%` of the language, because the quotient is not negative or because they round down.
    Own,
    /// Divide the negated operands, because the divisor is negative.
    Negated,
    /// Use a shift for the quotient and a mask for the remainder, because the divisor is two to this power.
    Bits(i64),
    /// Add `by` to the numerator and subtract `quotient` from the result. The number `by` is `quotient` times the
    /// divisor, and it makes the numerator not negative.
    Raised { by: i64, quotient: i64 },
    /// Use the operations of the language, and correct the result.
    Corrected,
}

impl Lowering<'_> {
    /// The operations that the division operators of the language compute.
    fn own(&self) -> [Op; 2] {
        match self.language.division {
            Division::Truncated => [Op::TruncDiv, Op::TruncMod],
            _ => [Op::FloorDiv, Op::FloorMod],
        }
    }

    pub(super) fn floor_div(&mut self, a: Id, b: Id, range: Interval) -> Result<Id, Refusal> {
        match self.way(a, b) {
            Way::Own => self.make(&self.own()[0], &[a, b], range),
            Way::Negated => {
                let [a, b] = self.negated(a, b)?;
                self.floor_div(a, b, range)
            }
            Way::Bits(bits) => {
                let bits = self.number(bits);
                self.shift(&Op::Shr, a, bits, range)
            }
            Way::Raised { by, quotient } => {
                let [by, quotient] = [by, quotient].map(|value| self.number(value));
                let raised = self.derive(&Op::Add, &[a, by])?;
                let raised = self.derive(&Op::TruncDiv, &[raised, b])?;
                self.make(&Op::Sub, &[raised, quotient], range)
            }
            Way::Corrected => match self.language.division {
                Division::FloorByPositive => self.by_sign(&Op::FloorDiv, a, b, range),
                _ => self.corrected(a, b, range),
            },
        }
    }

    pub(super) fn floor_mod(&mut self, a: Id, b: Id, range: Interval) -> Result<Id, Refusal> {
        match self.way(a, b) {
            Way::Own => self.make(&self.own()[1], &[a, b], range),
            Way::Negated => {
                let [a, b] = self.negated(a, b)?;
                let positive = self.floor_mod(a, b, range.scaled(-1))?;
                self.make(&Op::Neg, &[positive], range)
            }
            Way::Bits(bits) => {
                let mask = self.number((1 << bits) - 1);
                self.make(&Op::BitAnd, &[a, mask], range)
            }
            Way::Raised { by, .. } => {
                let by = self.number(by);
                let raised = self.derive(&Op::Add, &[a, by])?;
                self.make(&Op::TruncMod, &[raised, b], range)
            }
            Way::Corrected => match self.language.division {
                Division::FloorByPositive => self.by_sign(&Op::FloorMod, a, b, range),
                // the divisor may have either sign: `a % b + b` has the sign of `b`, or is 0
                _ => {
                    let remainder = self.derive(&Op::TruncMod, &[a, b])?;
                    let shifted = self.derive(&Op::Add, &[remainder, b])?;
                    self.make(&Op::TruncMod, &[shifted, b], range)
                }
            },
        }
    }

    fn way(&self, a: Id, b: Id) -> Way {
        let (numerator, divisor) = (self.range(a), self.range(b));
        let (is_positive, is_negative) = (divisor.lo() > Some(0), divisor.hi().is_some_and(|hi| hi < 0));
        match self.language.division {
            Division::Floor => return Way::Own,
            Division::FloorByPositive if is_positive => return Way::Own,
            Division::FloorByPositive if is_negative => return Way::Negated,
            Division::FloorByPositive => return Way::Corrected,
            Division::Truncated => {}
        }
        let both_negative = is_negative && numerator.hi().is_some_and(|hi| hi <= 0);
        if is_positive && numerator.is_nonneg() || both_negative {
            return Way::Own;
        }
        match self.form(b).constant() {
            Some(c) if c < 0 && c != i64::MIN => Way::Negated,
            Some(c) if c > 0 && c.count_ones() == 1 => Way::Bits(c.trailing_zeros().into()),
            Some(c) if c > 0 => self.raised(a, c).unwrap_or(Way::Corrected),
            _ => Way::Corrected,
        }
    }

    /// The multiple of `c` that makes `a` not negative when it is added. `None` if the sum needs more bits than `a`.
    fn raised(&self, a: Id, c: i64) -> Option<Way> {
        let (lo, hi) = self.range(a).bounded()?;
        let quotient = -quaff_expr::integer::floor_div(lo.into(), c.into());
        let by = quotient.checked_mul(c.into())?;
        let most = if self.form(a).kind == Kind::Wide { i64::MAX } else { i32::MAX.into() };
        let fits = by < most.into() && i128::from(hi) + by < most.into();
        fits.then_some(Way::Raised { by: by as i64, quotient: quotient as i64 })
    }

    fn negated(&mut self, a: Id, b: Id) -> Result<[Id; 2], Refusal> {
        Ok([self.derive(&Op::Neg, &[a])?, self.derive(&Op::Neg, &[b])?])
    }

    /// The truncated quotient, minus 1 if truncation rounds it up.
    fn corrected(&mut self, a: Id, b: Id, range: Interval) -> Result<Id, Refusal> {
        let quotient = self.derive(&Op::TruncDiv, &[a, b])?;
        let remainder = self.derive(&Op::TruncMod, &[a, b])?;
        let zero = self.number(0);
        let is_up = if self.range(b).lo() > Some(0) {
            self.derive(&Op::Lt, &[remainder, zero])?
        } else {
            let bits = self.derive(&Op::BitXor, &[remainder, b])?;
            let signs_differ = self.derive(&Op::Lt, &[bits, zero])?;
            let is_inexact = self.derive(&Op::Ne, &[remainder, zero])?;
            self.derive(&Op::And, &[is_inexact, signs_differ])?
        };
        self.make(&Op::Sub, &[quotient, is_up], range)
    }

    /// Divides the operands if the divisor is positive, and the negated operands otherwise.
    fn by_sign(&mut self, op: &Op, a: Id, b: Id, range: Interval) -> Result<Id, Refusal> {
        let (zero, [minus_a, minus_b]) = (self.number(0), self.negated(a, b)?);
        let is_positive = self.derive(&Op::Gt, &[b, zero])?;
        let by_positive = self.make(op, &[a, b], range)?;
        let by_negative = match op {
            Op::FloorDiv => self.make(op, &[minus_a, minus_b], range)?,
            _ => {
                let remainder = self.make(op, &[minus_a, minus_b], range.scaled(-1))?;
                self.make(&Op::Neg, &[remainder], range)?
            }
        };
        self.make(&Op::Select, &[is_positive, by_positive, by_negative], range)
    }

    /// Writes `truncdiv` or `truncmod`.
    pub(super) fn truncated(&mut self, op: &Op, a: Id, b: Id, range: Interval) -> Result<Id, Refusal> {
        if self.language.truncates {
            return self.make(op, &[a, b], range);
        }
        if let Some(special) = (self.language.special)(self, op, &[a, b], range)? {
            return Ok(special);
        }
        let is_quotient = *op == Op::TruncDiv;
        let (divisor, zero) = (self.range(b), self.number(0));
        if divisor.lo() > Some(0) {
            return self.by_size(op, a, b, range);
        }
        let minus_b = self.derive(&Op::Neg, &[b])?;
        if divisor.hi().is_some_and(|hi| hi < 0) {
            // the remainder does not depend on the sign of the divisor
            let by_positive = self.truncated(op, a, minus_b, if is_quotient { range.scaled(-1) } else { range })?;
            return if is_quotient { self.make(&Op::Neg, &[by_positive], range) } else { Ok(by_positive) };
        }
        let size_of_b = self.derive(&Op::Max, &[b, minus_b])?;
        if !is_quotient {
            return self.by_size(op, a, size_of_b, range);
        }
        let is_positive = self.derive(&Op::Gt, &[b, zero])?;
        let by_size = self.by_size(op, a, size_of_b, range.hull(range.scaled(-1)))?;
        let opposite = self.derive(&Op::Neg, &[by_size])?;
        self.make(&Op::Select, &[is_positive, by_size, opposite], range)
    }

    /// Writes `truncdiv` or `truncmod` with a divisor that is not negative. It may be 0 only at points without a value.
    fn by_size(&mut self, op: &Op, a: Id, size: Id, range: Interval) -> Result<Id, Refusal> {
        let op = if *op == Op::TruncDiv { Op::FloorDiv } else { Op::FloorMod };
        let numerator = self.range(a);
        if numerator.is_nonneg() {
            return self.make(&op, &[a, size], range);
        }
        let minus_a = self.derive(&Op::Neg, &[a])?;
        let opposite = self.derive(&op, &[minus_a, size])?;
        let below = self.derive(&Op::Neg, &[opposite])?;
        if numerator.hi().is_some_and(|hi| hi <= 0) {
            return Ok(below);
        }
        let (zero, above) = (self.number(0), self.derive(&op, &[a, size])?);
        let is_above = self.derive(&Op::Ge, &[a, zero])?;
        self.make(&Op::Select, &[is_above, above, below], range)
    }
}
