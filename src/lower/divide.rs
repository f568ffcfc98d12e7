//! Emits the operations of divisions: by constants in the forms of [`forms`](super::forms), and by variables.

use super::build::Builder;
use super::forms::{DivForm, DivKind, ModForm, ModKind, form_by};
use super::graph::{Instr, Type};
use super::plan::{How, is_narrow, negated};
use crate::domain::Interval;
use crate::expr::Compare;

/// An operand: its position and its range.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) id: u32,
    pub(super) range: Interval,
}

/// How an exact value in `range` is computed.
pub(super) fn exact(range: Interval) -> How {
    if is_narrow(range) { How::Exact32 } else { How::Exact64 }
}

/// The interval `lo..=hi`, for ends of any size that are computed from 64-bit values.
fn interval(lo: i128, hi: i128) -> Interval {
    Interval::from_wide(lo, hi)
}

impl Builder {
    fn unsigned(&mut self, id: u32) -> u32 {
        self.cast(id, Type::Unsigned)
    }

    /// The exact value `-x`.
    pub(super) fn negate(&mut self, x: Operand) -> Operand {
        let range = negated(x.range);
        let id = self.ring(Instr::Neg, &[x.id], exact(range), range);
        Operand { id, range }
    }

    /// The value `x >> by`, if `x` has the natural type of its range. The result has the natural type of its own range.
    fn shift_down(&mut self, x: Operand, by: u32) -> Operand {
        let ty = self.ty(x.id);
        let amount = self.int(by as i64);
        let id = self.emit(Instr::Shr, ty, &[x.id, amount]);
        let range = x.range.shift_right(Interval::point(by as i64));
        Operand { id: self.settle(id, range), range }
    }

    /// The value `__umulhi(x, multiplier) >> shift` for an `unsigned` value.
    fn mulhi(&mut self, x: u32, multiplier: u32, shift: u32) -> u32 {
        let m = self.typed(multiplier as i64, Type::Unsigned);
        let high = self.emit(Instr::MulHi, Type::Unsigned, &[x, m]);
        let amount = self.int(shift as i64);
        self.emit(Instr::Shr, Type::Unsigned, &[high, amount])
    }

    fn mulhi64(&mut self, x: u32, multiplier: u64, shift: u32) -> u32 {
        let m = self.typed(multiplier as i64, Type::UnsignedLong);
        let high = self.emit(Instr::MulHi, Type::UnsignedLong, &[x, m]);
        let amount = self.int(shift as i64);
        self.emit(Instr::Shr, Type::UnsignedLong, &[high, amount])
    }

    /// The value `x // d` for a constant `d`. The quotient lies in the interval `out`. `x` must be exact, unless the
    /// form [takes wrapped numerators](DivForm::takes_wrapped).
    pub(super) fn divide(&mut self, x: Operand, d: i64, out: Interval) -> u32 {
        self.divide_by(x, d, form_by(x.range, d, &self.target.prices), out)
    }

    /// The value `x // d` by the given form, which must be correct for the range of `x`.
    pub(super) fn divide_by(&mut self, x: Operand, d: i64, form: DivForm, out: Interval) -> u32 {
        let id = match form.kind {
            DivKind::Constant(q) => return self.int(q),
            DivKind::BiasedMulHi { offset, base, multiplier, shift } => {
                self.biased(x, form, (offset, base), (multiplier, shift), d)
            }
            _ => {
                let mut x = if form.negate { self.negate(x) } else { x };
                // a value gets 64 bits if the form needs them, and otherwise its natural type
                x.id = if form.wide { self.cast(x.id, Type::Long) } else { self.settle(x.id, x.range) };
                if form.pre_shift > 0 {
                    x = self.shift_down(x, form.pre_shift);
                }
                match self.scaled_by(x, d, form) {
                    Some(quotient) => quotient,
                    None => self.quotient(x, form),
                }
            }
        };
        self.settle(id, out)
    }

    fn quotient(&mut self, x: Operand, form: DivForm) -> u32 {
        match form.kind {
            DivKind::Constant(q) => self.int(q),
            DivKind::Identity | DivKind::BiasedMulHi { .. } => x.id,
            DivKind::Shift(k) => self.shift_down(x, k).id,
            DivKind::SignBit => self.sign(x.id),
            DivKind::AtLeast { threshold, base } => {
                let t = self.int(threshold);
                let above = self.compare(Compare::Ge, x.id, t, x.range);
                let base_id = self.int(base);
                let range = interval(base as i128, base as i128 + 1);
                self.ring(Instr::Add, &[above, base_id], exact(range), range)
            }
            DivKind::MulHi { multiplier, shift } => {
                let x = self.unsigned(x.id);
                self.mulhi(x, multiplier, shift)
            }
            DivKind::MulHiAdd { multiplier, shift } => {
                let x = self.unsigned(x.id);
                let t = self.mulhi(x, multiplier, 0);
                let one = self.int(1);
                let shift = self.int(shift as i64);
                let rest = self.emit(Instr::Sub, Type::Unsigned, &[x, t]);
                let half = self.emit(Instr::Shr, Type::Unsigned, &[rest, one]);
                let sum = self.emit(Instr::Add, Type::Unsigned, &[half, t]);
                self.emit(Instr::Shr, Type::Unsigned, &[sum, shift])
            }
            DivKind::SignedMulHi(m) => self.emit(Instr::SignedMulHi(m), Type::Int, &[x.id]),
            DivKind::SignXor { multiplier, shift } => self.fold_sign(x.id, |b, x| b.mulhi(x, multiplier, shift)),
            DivKind::MulHi64 { multiplier, shift } => {
                let x = self.cast(x.id, Type::UnsignedLong);
                self.mulhi64(x, multiplier, shift)
            }
            DivKind::SignXor64 { multiplier, shift } => self.fold_sign(x.id, |b, x| b.mulhi64(x, multiplier, shift)),
        }
    }

    fn biased(&mut self, x: Operand, form: DivForm, start: (i64, i64), magic: (u32, u32), d: i64) -> u32 {
        let (offset, base) = start;
        let mut u = self.unsigned(x.id);
        if form.negate {
            u = self.emit(Instr::Neg, Type::Unsigned, &[u]);
        }
        // wraps to a number in [0, 2^32), because the exact difference lies there
        let offset_id = self.int(offset);
        u = self.ring(Instr::Sub, &[u, offset_id], How::Low32, Interval::ALL);
        let q = self.mulhi(u, magic.0, magic.1);
        let dividends = if form.negate { negated(x.range) } else { x.range };
        let all = dividends.floor_div(Interval::point(d).scaled(if form.negate { -1 } else { 1 }));
        let all = all.unwrap_or(Interval::ALL);
        let above = all.plus(Interval::point(base).scaled(-1));
        let q = self.settle(q, above);
        let base = self.int(base);
        self.ring(Instr::Add, &[q, base], exact(all), all)
    }

    /// The value -1 if `x` is negative, and otherwise 0.
    pub(super) fn sign(&mut self, x: u32) -> u32 {
        let ty = self.ty(x);
        let last = self.int(if ty.is_wide() { 63 } else { 31 });
        self.emit(Instr::Shr, ty, &[x, last])
    }

    /// The value `divide(x ^ s) ^ s`, with `s` all ones for a negative `x` and 0 otherwise. For negative `x`, `x ^ s`
    /// is `-1 - x`, and the second exclusive or maps the quotient back to the floor. The divisor is positive, and `x`
    /// is an `int` or `long long`.
    fn fold_sign(&mut self, x: u32, divide: impl FnOnce(&mut Builder, u32) -> u32) -> u32 {
        let signed = self.ty(x);
        let unsigned = if signed.is_wide() { Type::UnsignedLong } else { Type::Unsigned };
        let s = self.sign(x);
        let folded = self.emit(Instr::Xor, signed, &[x, s]);
        let folded = self.cast(folded, unsigned);
        let q = divide(self, folded);
        let q = self.cast(q, signed);
        self.emit(Instr::Xor, signed, &[q, s])
    }

    /// The value `x % d` for a constant `d`. The remainder lies in the interval `out`. `x` may be wrapped (known only
    /// modulo its width) if the form permits it.
    pub(super) fn remainder(&mut self, x: Operand, d: i64, form: ModForm, out: Interval) -> u32 {
        let c = d.unsigned_abs();
        let how = exact(out);
        let low = if form.wide { Type::UnsignedLong } else { Type::Unsigned };
        let id = match form.kind {
            ModKind::Zero => self.int(0),
            ModKind::Offset(offset) => {
                let offset = self.int(offset);
                self.ring(Instr::Sub, &[x.id, offset], how, out)
            }
            ModKind::Mask(mask) => {
                let mask_id = self.int(mask);
                if !form.negate {
                    return self.ring(Instr::And, &[x.id, mask_id], how, out);
                }
                let x = self.low_negated(x.id, low);
                let mask_id = self.cast(mask_id, low);
                let masked = self.emit(Instr::And, low, &[x, mask_id]);
                self.negated_remainder(masked, c, how, out)
            }
            ModKind::UnsignedMin { bucket } => {
                let u = if form.negate { self.low_negated(x.id, low) } else { self.cast(x.id, low) };
                let step = |b: &mut Builder, n: i128| {
                    // the constant is taken modulo 2^64, and the cast takes it modulo the width
                    let amount = b.int(n.unsigned_abs() as i64);
                    let amount = b.cast(amount, low);
                    let instr = if n < 0 { Instr::Add } else { Instr::Sub };
                    b.emit(instr, low, &[u, amount])
                };
                let t = step(self, bucket as i128 * c as i128);
                let less = step(self, (bucket as i128 + 1) * c as i128);
                let least = self.emit(Instr::Min, low, &[t, less]);
                if !form.negate {
                    return self.settle(least, out);
                }
                self.negated_remainder(least, c, how, out)
            }
            ModKind::SharedQuotient | ModKind::Quotient(_) => {
                let quotients = x.range.floor_div(Interval::point(d)).unwrap_or(Interval::ALL);
                let q = self.divide(x, d, quotients);
                let by = Operand { id: self.int(d), range: Interval::point(d) };
                self.minus_product(x.id, Operand { id: q, range: quotients }, by, how, out)
            }
        };
        self.settle(id, out)
    }

    fn low_negated(&mut self, x: u32, low: Type) -> u32 {
        let u = self.cast(x, low);
        self.emit(Instr::Neg, low, &[u])
    }

    fn negated_remainder(&mut self, remainder: u32, c: u64, how: How, out: Interval) -> u32 {
        let settled = self.settle(remainder, interval(0, c as i128 - 1));
        let id = self.ring(Instr::Neg, &[settled], how, out);
        self.settle(id, out)
    }

    /// The value `x - q*y`.
    pub(super) fn minus_product(&mut self, x: u32, q: Operand, y: Operand, how: How, out: Interval) -> u32 {
        let range = q.range.times(y.range);
        let product = match how {
            How::Exact32 if is_narrow(range) => How::Exact32,
            How::Exact32 => How::Low32,
            _ if range.bounded().is_some() => How::Exact64,
            _ => How::Low64,
        };
        let product = self.ring(Instr::Mul, &[q.id, y.id], product, range);
        self.ring(Instr::Sub, &[x, product], how, out)
    }

    /// The value `x // y` or `x % y` for exact operands and a divisor that is never 0. If the host prepares the
    /// divisor, `fast` has its multiplier, its shift, and whether it may be 1.
    pub(super) fn divide_variable(
        &mut self,
        x: Operand,
        y: Operand,
        fast: Option<(u32, u32, bool)>,
        want: Want,
        out: Interval,
    ) -> u32 {
        let (mut n, mut m) = (x, y);
        if y.range.hi().is_some_and(|h| h < 0) {
            (n, m) = (self.negate(x), self.negate(y));
        }
        let wide = !is_narrow(n.range) || !is_narrow(m.range);
        let (signed, unsigned) = if wide { (Type::Long, Type::UnsignedLong) } else { (Type::Int, Type::Unsigned) };
        let divisor = self.cast(m.id, unsigned);
        let nonneg = n.range.is_nonneg();
        if want == Want::Remainder && nonneg && fast.is_none() {
            let dividend = self.cast(n.id, unsigned);
            let r = self.emit(Instr::Mod, unsigned, &[dividend, divisor]);
            // for a negative divisor, the remainder is the negated remainder of the negated operands
            let how = exact(out);
            let limit = m.range.hi().unwrap_or(i64::MAX) as i128 - 1;
            let r = self.settle(r, interval(0, limit));
            return if m.id == y.id { self.settle(r, out) } else { self.ring(Instr::Neg, &[r], how, out) };
        }
        let divide = |b: &mut Builder, dividend: u32| match fast {
            None => b.emit(Instr::Div, unsigned, &[dividend, divisor]),
            Some((multiplier, shift, may_be_one)) => {
                let mut high = b.emit(Instr::MulHi, Type::Unsigned, &[dividend, multiplier]);
                if may_be_one {
                    high = b.emit(Instr::Add, Type::Unsigned, &[high, dividend]);
                }
                b.emit(Instr::Shr, Type::Unsigned, &[high, shift])
            }
        };
        let quotients = n.range.floor_div(m.range).unwrap_or(Interval::ALL);
        let q = if nonneg {
            let dividend = self.cast(n.id, unsigned);
            divide(self, dividend)
        } else {
            let dividend = self.cast(n.id, signed);
            self.fold_sign(dividend, divide)
        };
        let q = self.settle(q, quotients);
        if want == Want::Quotient {
            return self.settle(q, out);
        }
        let id = self.minus_product(x.id, Operand { id: q, range: quotients }, y, exact(out), out);
        self.settle(id, out)
    }
}

/// The result of a division that is wanted: the quotient or the remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Quotient,
    Remainder,
}
