//! Computes the quotient of a sum as the upper half of one product, after the sum is scaled. For example,
//! `(x*57 + 902)//9` becomes `__umulhi(x*16 + 253, 1700091221)`.
//!
//! A multiplication that adds a constant needs a register for this constant. An instruction that shifts by a constant
//! can also add a constant, at no cost. So the factor of a numerator is moved into the multiplier, and its constant
//! becomes the addend of a shift. The same form divides numerators of both signs without a 64-bit addend.

use super::build::Builder;
use super::divide::Operand;
use super::forms::{DivForm, DivKind, form_by};
use super::fused_division::{ScaledNumerator, pays};
use super::graph::{Instr, Type};
use super::magic::MulAdd;
use super::plan::How;
use super::translator::Translator;
use crate::domain::Interval;
use crate::expr::Op;
use crate::integer::{floor_div, gcd};

impl Builder {
    /// The value `t // divisor` for a numerator that may be negative. `None` when the quotient is one multiplication
    /// already.
    pub(super) fn scaled_by(&mut self, t: Operand, divisor: i64, form: DivForm) -> Option<u32> {
        let DivKind::SignedMulHi(m) = form.kind else { return None };
        if !self.target.scaled_quotients || form.pre_shift > 0 || form.negate || m.addend == 0 && m.bits == 32 {
            return None;
        }
        self.scaled(t, 1, 0, divisor)
    }

    /// The value `(factor*t + constant) // divisor` for an `int`.
    fn scaled(&mut self, t: Operand, factor: i64, constant: i64, divisor: i64) -> Option<u32> {
        let (lo, hi) = t.range.bounded().filter(|_| t.range.fits_i32())?;
        let found = ScaledNumerator { factor, constant, divisor, lo, hi }.form()?;
        let (power, addend) = (self.int(1 << found.shift), self.int(found.addend));
        let range = t.range.scaled(1 << found.shift);
        let product = self.ring(Instr::Mul, &[t.id, power], How::Exact32, range);
        let range = range.plus(Interval::point(found.addend));
        let sum = self.ring(Instr::Add, &[product, addend], How::Exact32, range);
        if found.is_signed {
            let m = MulAdd { multiplier: i32::try_from(found.multiplier).ok()?, addend: 0, bits: 32 };
            return Some(self.emit(Instr::SignedMulHi(m), Type::Int, &[sum]));
        }
        let sum = self.cast(sum, Type::Unsigned);
        let multiplier = self.typed(found.multiplier, Type::Unsigned);
        Some(self.emit(Instr::MulHi, Type::Unsigned, &[sum, multiplier]))
    }
}

impl Translator<'_> {
    /// The value `x // divisor`, if `x` is a sum without other users. The terms of the sum have a common factor, or a
    /// constant is added to them.
    pub(super) fn scaled_quotient(&mut self, x: u32, divisor: i64, out: Interval) -> Option<u32> {
        let range = self.plan.range(x);
        let alone = self.plan.uses[x as usize] == 1 && self.target.scaled_quotients && divisor > 1 && range.fits_i32();
        let is_sum = matches!(self.dag.nodes()[x as usize].op, Op::Add | Op::Sub);
        if !alone || !is_sum || !self.is_part(x) {
            return None;
        }
        let (mut terms, constant) = self.terms(x);
        let constant = i64::try_from(constant).ok()?;
        let first = terms.first()?;
        let sign = if terms.iter().all(|t| t.coefficient < 0) { -1 } else { 1 };
        let factor = terms.iter().fold(0, |g, t| gcd(g, t.coefficient.into()));
        let factor = i64::try_from(factor).ok()? * sign;
        let pays = pays(form_by(range, divisor, &self.target.prices).kind, factor, constant, range.is_nonneg());
        if !pays || terms.iter().any(|t| t.depth != first.depth) {
            return None;
        }
        for term in &mut terms {
            term.coefficient = i64::try_from(floor_div(term.coefficient.into(), factor.into())).ok()?;
        }
        // the range of the sum bounds `t` as well
        let of_terms = terms.iter().map(|t| self.plan.range(t.node).scaled(t.coefficient)).reduce(Interval::plus)?;
        let of_sum = range.plus(Interval::point(constant.checked_neg()?)).floor_div(Interval::point(factor))?;
        let t = of_terms.meet(of_sum).filter(|t| t.fits_i32())?;
        let sum = self.add_up(terms, 0)?;
        let sum = self.builder.settle(sum, t);
        let q = self.builder.scaled(Operand { id: sum, range: t }, factor, constant, divisor)?;
        Some(self.builder.settle(q, out))
    }
}
