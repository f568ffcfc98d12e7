//! Computes sums by bit operations, if only a comparison with 0 or a mask uses the sum.

use super::conditions::Clause;
use super::forms::{ModForm, ModKind};
use super::graph::{Instr, Type};
use super::plan::How;
use super::translator::Translator;
use crate::domain::Interval;
use crate::expr::Compare;

impl Translator<'_> {
    /// Computes a comparison such as `a*3 + b >= 1`, whose terms are never negative, as `(a | b) != 0`. The negated
    /// comparison becomes `(a | b) == 0`. One instruction computes the or and compares it with 0. The factors of the
    /// terms are dropped, because a term is 0 exactly if its operand is 0.
    pub(super) fn any_bit(&mut self, clause: Clause) -> Option<u32> {
        let Clause { op, x, y } = if self.plan.point(clause.x).is_some() { clause.swapped() } else { clause };
        if !self.target.bits_for_sums || self.plan.uses[x as usize] != 1 || !self.is_part(x) {
            return None;
        }
        let bound = self.plan.point(y)?;
        let (terms, least) = self.terms(x);
        let above_least = i128::from(bound).checked_sub(least)?;
        let op = match (op, above_least) {
            (Compare::Gt | Compare::Ne, 0) | (Compare::Ge, 1) => Compare::Ne,
            (Compare::Le | Compare::Eq, 0) | (Compare::Lt, 1) => Compare::Eq,
            _ => return None,
        };
        let is_number = |node: u32| {
            let range = self.plan.range(node);
            range.fits_i32() && range.is_nonneg() && self.builder.ty(self.values[node as usize]) == Type::Int
        };
        if terms.len() < 2 || !terms.iter().all(|t| t.coefficient > 0 && is_number(t.node)) {
            return None;
        }
        let range = self.plan.range(x);
        // the range of a sum that wraps exceeds 32 bits
        if !range.plus(Interval::point(i64::try_from(least.checked_neg()?).ok()?)).fits_i32() {
            return None;
        }
        let values = terms.iter().map(|t| self.values[t.node as usize]);
        let any =
            values.collect::<Vec<_>>().into_iter().reduce(|a, b| self.builder.emit(Instr::Or, Type::Int, &[a, b]))?;
        let zero = self.builder.int(0);
        Some(self.builder.emit(Instr::Compare(op), Type::Bool, &[any, zero]))
    }

    /// Computes `(15 - y) & 7` as `(y & 7) ^ 7`. In the masked bits, the value is the complement of `y`, and the
    /// compiler makes one instruction of the mask and the complement.
    pub(super) fn complement(&mut self, x: u32, form: ModForm, out: Interval) -> Option<u32> {
        let ModForm { negate: false, wide: false, kind: ModKind::Mask(mask) } = form else { return None };
        if !self.target.bits_for_sums || self.plan.uses[x as usize] != 1 || !self.is_part(x) {
            return None;
        }
        let (terms, constant) = self.terms(x);
        let [term] = terms[..] else { return None };
        let value = self.values[term.node as usize];
        let fits = !self.builder.ty(value).is_wide() && i32::try_from(mask).is_ok();
        if term.coefficient != -1 || constant & i128::from(mask) != i128::from(mask) || !fits {
            return None;
        }
        let range = Interval::new(0, mask)?;
        let mask = self.builder.int(mask);
        let masked = self.builder.ring(Instr::And, &[value, mask], How::Exact32, range);
        let complement = self.builder.ring(Instr::Xor, &[masked, mask], How::Exact32, range);
        Some(self.builder.settle(complement, out))
    }
}
