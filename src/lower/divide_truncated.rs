//! Emits the operations of divisions that round towards zero. They use the forms of [`truncation`](super::truncation),
//! and C's own `/` and `%`.

use super::build::Builder;
use super::divide::{Operand, Want, exact};
use super::graph::{Instr, Type};
use super::translator::Translator;
use super::truncation::{TruncDivForm, TruncDivKind, TruncModForm, truncated_by, truncated_remainder_by};
use crate::domain::Interval;
use crate::expr::Compare;

impl Translator<'_> {
    /// The value `truncdiv(x, y)` or `truncmod(x, y)`. The result lies in the interval `out`.
    pub(super) fn truncated(&mut self, args: [u32; 3], want: Want, out: Interval) -> u32 {
        let (x, y) = (self.operand(args[0]), self.operand(args[1]));
        let shared = self.plan.has_truncated(args[0], args[1]);
        match (y.range.as_point(), want) {
            (Some(d), Want::Quotient) => self.builder.divide_truncated(x, d, out),
            (Some(d), Want::Remainder) => self.builder.truncated_remainder(x, d, shared, out),
            (None, _) if x.range.is_nonneg() && y.range.is_nonneg() => self.divide_variable(args, want, out),
            (None, Want::Remainder) if shared => {
                let quotient = self.builder.language_division(x, y, Want::Quotient);
                self.builder.less_product(x, quotient, y, out)
            }
            (None, _) => {
                let result = self.builder.language_division(x, y, want);
                self.builder.settle(result.id, out)
            }
        }
    }
}

impl Builder {
    /// The value `truncdiv(x, d)` for a nonzero constant `d`. The quotient lies in the interval `out`.
    fn divide_truncated(&mut self, x: Operand, d: i64, out: Interval) -> u32 {
        let form = truncated_by(x.range, d, &self.target.prices);
        let x = if form.negate { self.negate(x) } else { x };
        let id = match form.kind {
            TruncDivKind::Floor(floor) => self.divide_by(x, d, floor, out),
            TruncDivKind::Ceiling { offset, floor } => {
                let (by, range) = (self.int(offset), x.range.plus(Interval::point(offset)));
                let id = self.ring(Instr::Add, &[x.id, by], exact(range), range);
                self.divide_by(Operand { id, range }, d, floor, out)
            }
            _ => self.signed_quotient(x, form, d.saturating_abs(), out),
        };
        self.settle(id, out)
    }

    /// The quotient of a numerator that may have either sign, by a positive divisor.
    fn signed_quotient(&mut self, x: Operand, form: TruncDivForm, d: i64, out: Interval) -> u32 {
        let (signed, unsigned, bits) = match form.wide {
            true => (Type::Long, Type::UnsignedLong, 64),
            false => (Type::Int, Type::Unsigned, 32),
        };
        let id = self.cast(x.id, signed);
        let top_bit = |b: &mut Builder| {
            let (x, last) = (b.cast(id, unsigned), b.int(bits - 1));
            b.emit(Instr::Shr, unsigned, &[x, last])
        };
        match form.kind {
            TruncDivKind::Shift(k) => {
                let bias = match k {
                    1 => top_bit(self),
                    _ => {
                        let sign = self.sign(id);
                        let (sign, rest) = (self.cast(sign, unsigned), self.int(bits - i64::from(k)));
                        self.emit(Instr::Shr, unsigned, &[sign, rest])
                    }
                };
                // the sum of a negative value and the bias is below 2^k - 1
                let biased = x.range.hull(Interval::point((1 << k) - 2));
                let sum = self.ring(Instr::Add, &[id, bias], exact(biased), biased);
                let (sum, by) = (self.cast(sum, signed), self.int(k.into()));
                self.emit(Instr::Shr, signed, &[sum, by])
            }
            TruncDivKind::SignedMulHi(m) => {
                let below = self.emit(Instr::SignedMulHi(m), Type::Int, &[id]);
                let is_negative = top_bit(self);
                self.ring(Instr::Add, &[below, is_negative], exact(out), out)
            }
            _ => {
                let zero = self.int(0);
                let is_negative = self.compare(Compare::Lt, id, zero, x.range);
                let plain = self.cast(id, unsigned);
                let opposite = self.emit(Instr::Neg, unsigned, &[plain]);
                let size = self.emit(Instr::Select, unsigned, &[is_negative, opposite, plain]);
                let sizes = x.range.hull(x.range.scaled(-1)).meet(Interval::from_wide(0, i128::MAX));
                let range = sizes.unwrap_or(Interval::ALL);
                let size = Operand { id: self.settle(size, range), range };
                let quotients = range.floor_div(Interval::point(d)).unwrap_or(Interval::ALL);
                let q = self.divide(size, d, quotients);
                let minus = self.negate(Operand { id: q, range: quotients });
                self.ring(Instr::Select, &[is_negative, minus.id, q], exact(out), out)
            }
        }
    }

    /// The value `truncmod(x, d)` for a nonzero constant `d`. The remainder lies in the interval `out`. `shared` says
    /// whether other code already computes the quotient.
    fn truncated_remainder(&mut self, x: Operand, d: i64, shared: bool, out: Interval) -> u32 {
        let by = match truncated_remainder_by(x.range, d, shared, &self.target.prices) {
            TruncModForm::Floor { by, form } => return self.remainder(x, by, form, out),
            TruncModForm::SharedQuotient { .. } => d,
            TruncModForm::Quotient { by, .. } => by,
        };
        let range = x.range.trunc_div(Interval::point(by)).unwrap_or(Interval::ALL);
        let q = Operand { id: self.divide_truncated(x, by, range), range };
        let by = Operand { id: self.int(by), range: Interval::point(by) };
        self.less_product(x, q, by, out)
    }

    /// The value `x - q*y`, which lies in `out`, in the natural type of its range.
    fn less_product(&mut self, x: Operand, q: Operand, y: Operand, out: Interval) -> u32 {
        let id = self.minus_product(x.id, q, y, exact(out), out);
        self.settle(id, out)
    }

    /// C's own `/` or `%` for signed numbers.
    fn language_division(&mut self, x: Operand, y: Operand, want: Want) -> Operand {
        let quotients = x.range.trunc_div(y.range).unwrap_or(Interval::ALL);
        let narrow = [x.range, y.range, quotients].into_iter().all(Interval::fits_i32);
        let ty = if narrow { Type::Int } else { Type::Long };
        let operands = [self.cast(x.id, ty), self.cast(y.id, ty)];
        let (instr, range) = match want {
            Want::Quotient => (Instr::TruncDiv, quotients),
            Want::Remainder => (Instr::TruncMod, x.range.trunc_mod(y.range).unwrap_or(Interval::ALL)),
        };
        let id = self.emit(instr, ty, &operands);
        Operand { id: self.settle(id, range), range }
    }
}
