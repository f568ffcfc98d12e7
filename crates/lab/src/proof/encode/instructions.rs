//! Encodes the instructions of a compiled rule as statements about integers.

use super::guards::is_plain;
use super::{Encoded, Encoder, How, Others, Stop};
use easy_smt::SExpr;
use quaff::expr::Junction;
use quaff::internals::rules::Operator;
use quaff::internals::rules::{Guard, Instr, IntExpr, Slot};

impl<'r> Encoder<'_, 'r> {
    // long: one arm for each instruction of the rule language
    /// Asserts the statements about integers that follow from the execution of an instruction.
    pub(super) fn instr(&mut self, instr: &'r Instr, code: &'r [Instr]) -> Encoded<()> {
        match instr {
            Instr::Node { class, operator, operands } => {
                let root = self.class(*class)?;
                let operands = operands.iter().map(|o| self.class(*o)).collect::<Encoded<Vec<_>>>()?;
                if *class == 0
                    && *operator == Operator::Div
                    && let [a, b] = operands[..]
                {
                    let key = format!("root {}", self.c.display(root));
                    self.known.insert(format!("{key} a"), a);
                    self.known.insert(format!("{key} b"), b);
                }
                let value = self.operation(*operator, &operands)?;
                if let (Operator::BitXor, &[a, b]) = (operator, &operands[..]) {
                    self.xors.push([a, b, root]);
                }
                self.equal(root, value)
            }
            // the instruction requires that the e-graph contains an operation. For values, this only implies that its
            // divisor is not 0
            Instr::There { operator, first, operands } => {
                let operands = operands.iter().map(|o| self.class(*o)).collect::<Encoded<Vec<_>>>()?;
                if let (Some(first), Some(operand)) = (first, operands.first()) {
                    let first = self.class(*first)?;
                    self.equal(first, *operand)?;
                }
                if let (true, &[_, divisor]) = (operator.divides(), &operands[..]) {
                    self.nonzero(divisor)?;
                }
                Ok(())
            }
            Instr::Junction { class, junction, picked, rest } => {
                let root = self.class(*class)?;
                let mut parts = Vec::new();
                for p in picked {
                    let p = self.class(*p)?;
                    self.boolean(p)?;
                    parts.push(self.truth(p));
                }
                let others = self.others(*rest)?;
                let holds = match junction {
                    Junction::And => self.c.and_many(parts.into_iter().chain([others.all])),
                    Junction::Or => self.c.or_many(parts.into_iter().chain([others.any])),
                };
                self.equal(root, self.integer(holds))
            }
            Instr::Factor { class, picked, rest } => {
                let (root, a, b) = (self.class(*class)?, self.class(*picked)?, self.class(*rest)?);
                self.equal(root, self.c.times(a, b))
            }
            Instr::Constant { class, to } => {
                let (class, to) = (self.class(*class)?, self.choose(*to)?);
                self.equal(class, to)
            }
            Instr::Spelling { class, to, .. } => {
                let (class, to) = (self.class(*class)?, self.sum(*to)?);
                self.equal(class, to.value)
            }
            Instr::Pick { coeff, class, .. } => {
                self.class(*class)?;
                let coeff = self.choose(*coeff)?;
                self.nonzero(coeff)
            }
            Instr::Without { sum: slot, at, to } => {
                let (sum, to) = (self.sum(*slot)?, self.sum(*to)?);
                let pick = code.iter().find_map(|i| match i {
                    Instr::Pick { at: a, coeff, class, .. } if a == at => Some((*coeff, *class)),
                    _ => None,
                });
                let (coeff, class) = pick.ok_or(Stop::Unsupported("a term that is not picked"))?;
                let (coeff, class) = (self.int_slot(coeff)?, self.class(class)?);
                self.equal(sum.value, self.c.plus(self.c.times(coeff, class), to.value))?;
                self.equal(sum.constant, to.constant)?;
                if has_one_term(code, *slot) {
                    self.assert(self.c.not(to.terms))?;
                }
                self.assert(sum.terms)
            }
            Instr::SameClass { a, b } => {
                let (a, b) = (self.class(*a)?, self.class(*b)?);
                self.equal(a, b)
            }
            Instr::SameSum { a, b } => {
                let (a, b) = (self.sum(*a)?, self.sum(*b)?);
                self.equal(a.value, b.value)?;
                self.equal(a.constant, b.constant)
            }
            Instr::SameInt { a, b } => {
                let (a, b) = (self.int_slot(*a)?, self.int(b)?);
                self.equal(a, b)
            }
            Instr::LetInt { to, value } => {
                self.computed.insert(*to, value);
                if self.how == How::Full {
                    self.int_slot(*to)?;
                }
                Ok(())
            }
            Instr::LetSum { to, value } => {
                let value = self.term(value)?;
                self.sums.insert(*to, value);
                Ok(())
            }
            Instr::ForFactors { to, .. } | Instr::ForSharedFactors { to, .. } | Instr::ForOperands { to, .. } => {
                self.sum(*to).map(drop)
            }
            Instr::SplitMultiples { sum, by, q, r } => {
                let (sum, by) = (self.sum(*sum)?, self.int(by)?);
                let (q, r, times) = (self.sum(*q)?, self.sum(*r)?, self.fresh()?);
                self.equal(sum.value, self.c.plus(q.value, r.value))?;
                self.equal(q.value, self.c.times(by, times))
            }
            Instr::ForGcds { to, modulus, .. } | Instr::ForMultiples { to, modulus, .. } => {
                let (g, n, times) = (self.choose(*to)?, self.int(modulus)?, self.fresh()?);
                self.assert(self.c.gt(g, self.number(1)))?;
                self.equal(n, self.c.times(g, times))
            }
            Instr::ForList { to, values } => {
                let to = self.choose(*to)?;
                let values = values.iter().map(|v| self.int(v)).collect::<Encoded<Vec<_>>>()?;
                let any: Vec<SExpr> = values.into_iter().map(|v| self.c.eq(to, v)).collect();
                self.assert(self.c.or_many(any))
            }
            Instr::ForRatios { to, .. } => {
                let to = self.choose(*to)?;
                self.nonzero(to)
            }
            Instr::Split { sum, by, q, r } => {
                let (x, by) = (self.sum(*sum)?, self.int(by)?);
                self.split(x, by, *q, *r)?;
                if let Some(g) = self.contents.get(sum) {
                    let (g, rest) = (*g, self.sum(*r)?);
                    self.assert(self.c.imp(self.c.eq(by, g), self.c.not(rest.terms)))?;
                }
                Ok(())
            }
            Instr::Residue { sum, n, q, r, .. } => {
                let (sum, n) = (self.sum(*sum)?, self.int(n)?);
                self.split(sum, n, *q, *r)
            }
            Instr::SplitBy { sum, by, q, r } => {
                let (sum, by) = (self.sum(*sum)?, self.term(by)?);
                let (q, r) = (self.sum(*q)?, self.sum(*r)?);
                self.equal(sum.value, self.c.plus(self.c.times(by.value, q.value), r.value))
            }
            Instr::Signs { sum, positive, negative } => {
                let (sum, p, n) = (self.sum(*sum)?, self.sum(*positive)?, self.sum(*negative)?);
                self.equal(p.value, self.c.plus(sum.value, n.value))
            }
            Instr::Units { sum, units, floor, least } => {
                // the sum is low + Σ |c| * v with v >= 0 and |c| >= least >= 1, and `units` is Σ v
                let (sum, units) = (self.sum(*sum)?, self.sum(*units)?);
                let (low, least) = (self.choose(*floor)?, self.choose(*least)?);
                self.assert(self.c.gte(units.value, self.number(0)))?;
                self.assert(self.c.gte(least, self.number(1)))?;
                self.assert(self.c.gte(sum.value, self.c.plus(low, self.c.times(least, units.value))))?;
                let (none, lowest) = (self.c.eq(units.value, self.number(0)), self.c.eq(sum.value, low));
                self.assert(self.c.or(self.c.not(none), lowest))
            }
            Instr::CommonFactor { sum, by, factor, sum_over, by_over } => {
                let (sum, by, factor) = (self.sum(*sum)?, self.sum(*by)?, self.sum(*factor)?);
                let (x, n) = (self.sum(*sum_over)?, self.sum(*by_over)?);
                self.equal(sum.value, self.c.times(factor.value, x.value))?;
                self.equal(by.value, self.c.times(factor.value, n.value))
            }
            Instr::When(guard) if self.how == How::Lean && !is_plain(guard) => Ok(()),
            Instr::When(guard) => match self.guard(guard)? {
                Some(holds) => self.assert(holds),
                None => Ok(()),
            },
            Instr::Yield(_) => Ok(()),
        }
    }

    pub(super) fn others(&mut self, slot: Slot) -> Encoded<Others> {
        if let Some(o) = self.lists.get(&slot) {
            return Ok(*o);
        }
        let others = Others { all: self.fresh_truth()?, any: self.fresh_truth()? };
        self.lists.insert(slot, others);
        Ok(others)
    }

    /// Asserts that a value is 0 or 1. All conditions of the engine are 0 or 1.
    fn boolean(&mut self, v: SExpr) -> Encoded<()> {
        let (zero, one) = (self.number(0), self.number(1));
        self.assert(self.c.or(self.c.eq(v, zero), self.c.eq(v, one)))
    }

    /// The value of an operation in the e-graph. Its divisor is never 0.
    pub(super) fn operation(&mut self, operator: Operator, x: &[SExpr]) -> Encoded<SExpr> {
        Ok(match (operator, x) {
            (operator, &[a, b]) if operator.divides() => {
                self.nonzero(b)?;
                self.divided(operator, a, b)?
            }
            (Operator::Min, &[a, b]) => self.c.ite(self.c.lte(a, b), a, b),
            (Operator::Max, &[a, b]) => self.c.ite(self.c.lte(a, b), b, a),
            (Operator::NonNeg, &[a]) => self.integer(self.c.gte(a, self.number(0))),
            (Operator::Zero, &[a]) => self.integer(self.c.eq(a, self.number(0))),
            (Operator::Not, &[a]) => {
                self.boolean(a)?;
                self.integer(self.c.not(self.truth(a)))
            }
            (Operator::Select, &[c, a, b]) => {
                self.boolean(c)?;
                self.c.ite(self.truth(c), a, b)
            }
            (Operator::BitAnd | Operator::BitOr | Operator::BitXor, &[a, b]) => self.bits(operator, a, b)?,
            _ => return Err(Stop::Unsupported("shifts by unknowns")),
        })
    }

    /// Computes `a | b` or `a ^ b` from `a + b`. The bits that `a` and `b` share are subtracted once for `|`, and twice
    /// for `^`.
    fn bits(&mut self, operator: Operator, a: SExpr, b: SExpr) -> Encoded<SExpr> {
        let common = self.common_bits(a, b)?;
        let sum = self.c.plus(a, b);
        Ok(match operator {
            Operator::BitAnd => common,
            Operator::BitOr => self.c.sub(sum, common),
            _ => self.c.sub(sum, self.c.times(self.number(2), common)),
        })
    }

    /// Asserts that `(a ^ b) & b` equals `b - (a & b)`, which has the bits of `b` that `a` does not have.
    pub(super) fn xors_share_bits(&mut self) -> Encoded<()> {
        for [a, b, xor] in self.xors.clone() {
            let common = self.common_bits(a, b)?;
            for [p, q, shared] in self.common.clone() {
                for (p, q) in [(p, q), (q, p)] {
                    for operand in [a, b] {
                        let asked = self.c.and(self.c.eq(p, xor), self.c.eq(q, operand));
                        let value = self.c.eq(shared, self.c.sub(operand, common));
                        self.assert(self.c.imp(asked, value))?;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn common_bits(&mut self, a: SExpr, b: SExpr) -> Encoded<SExpr> {
        let (first, second) = (self.c.display(a).to_string(), self.c.display(b).to_string());
        let key = if first <= second { format!("{first} & {second}") } else { format!("{second} & {first}") };
        if let Some(v) = self.known.get(&key) {
            return Ok(*v);
        }
        let v = self.fresh()?;
        for (a, b) in [(a, b), (b, a)] {
            for (n, common) in [(0, self.number(0)), (-1, b)] {
                self.assert(self.c.imp(self.c.eq(a, self.number(n)), self.c.eq(v, common)))?;
            }
        }
        self.assert(self.c.imp(self.c.eq(a, b), self.c.eq(v, a)))?;
        self.common.push([a, b, v]);
        self.known.insert(key, v);
        Ok(v)
    }
}

/// Whether a guard requires that a sum has exactly one term. Without this term, the sum would be a number.
fn has_one_term(code: &[Instr], sum: Slot) -> bool {
    let asks = |g: &Guard| matches!(g, Guard::Equal(IntExpr::Terms(s), IntExpr::Literal(1)) if *s == sum);
    code.iter().any(|i| matches!(i, Instr::When(g) if asks(g)))
}
