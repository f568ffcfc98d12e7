//! Clauses and guards: the computations and conditions between the pattern and the result.

use super::compiler::{CLAUSES, Compiled, Compiler, Kind};
use super::patterns::operator;
use crate::rules::operator::Operator;
use crate::rules::program::{Guard, Instr, Slot};
use crate::rules::read::Datum;

impl Compiler {
    pub(super) fn clause(&mut self, at: &Datum, word: &str, parts: &[Datum]) -> Compiled<()> {
        let instr = match (word, parts) {
            ("when", guards) if !guards.is_empty() => {
                for g in guards {
                    let g = self.guard(g)?;
                    self.code.push(Instr::When(g));
                }
                return Ok(());
            }
            ("let", [name, value]) => {
                if name.word().is_some_and(|w| w.starts_with('#')) {
                    let value = self.int(value)?;
                    Instr::LetInt { to: self.bind(name, Kind::Int)?, value }
                } else {
                    let value = self.term(value)?;
                    Instr::LetSum { to: self.bind(name, Kind::Sum)?, value }
                }
            }
            ("for", [name, from]) => self.choice(name, from)?,
            ("there", [pattern]) => return self.there(pattern),
            ("split", [s, by, q, r]) => {
                let (sum, by) = (self.sum(s)?, self.int(by)?);
                Instr::Split { sum, by, q: self.bind(q, Kind::Sum)?, r: self.bind(r, Kind::Sum)? }
            }
            ("split-multiples", [s, by, q, r]) => {
                let (sum, by) = (self.sum(s)?, self.int(by)?);
                Instr::SplitMultiples { sum, by, q: self.bind(q, Kind::Sum)?, r: self.bind(r, Kind::Sum)? }
            }
            ("signs", [s, p, n]) => {
                let sum = self.sum(s)?;
                Instr::Signs { sum, positive: self.bind(p, Kind::Sum)?, negative: self.bind(n, Kind::Sum)? }
            }
            ("units", [s, u, floor, least]) => {
                let sum = self.sum(s)?;
                let units = self.bind(u, Kind::Sum)?;
                Instr::Units { sum, units, floor: self.bind(floor, Kind::Int)?, least: self.bind(least, Kind::Int)? }
            }
            ("split-by", [s, by, q, r]) => {
                let (sum, by) = (self.sum(s)?, self.term(by)?);
                Instr::SplitBy { sum, by, q: self.bind(q, Kind::Sum)?, r: self.bind(r, Kind::Sum)? }
            }
            ("residue", [s, n, ties, q, r]) => {
                let (sum, n, ties) = (self.sum(s)?, self.int(n)?, self.int(ties)?);
                Instr::Residue { sum, n, ties, q: self.bind(q, Kind::Sum)?, r: self.bind(r, Kind::Sum)? }
            }
            ("common-factor", [s, n, g, over, n_over]) => Instr::CommonFactor {
                sum: self.sum(s)?,
                by: self.sum(n)?,
                factor: self.bind(g, Kind::Sum)?,
                sum_over: self.bind(over, Kind::Sum)?,
                by_over: self.bind(n_over, Kind::Sum)?,
            },
            _ => {
                return Err((at.position(), format!("`{word}` with {} operands is no clause: {CLAUSES}", parts.len())));
            }
        };
        self.code.push(instr);
        Ok(())
    }

    /// Compiles the clause `(for NAME FROM)`.
    fn choice(&mut self, name: &Datum, from: &Datum) -> Compiled<Instr> {
        let items = from.list().unwrap_or_default();
        Ok(match (items.first().and_then(Datum::word), &items[items.len().min(1)..]) {
            (Some("gcds"), [s, n]) => {
                let (sum, modulus) = (self.sum(s)?, self.int(n)?);
                Instr::ForGcds { to: self.bind(name, Kind::Int)?, sum, modulus }
            }
            (Some("multiples"), [s, n]) => {
                let (sum, modulus) = (self.sum(s)?, self.int(n)?);
                Instr::ForMultiples { to: self.bind(name, Kind::Int)?, sum, modulus }
            }
            (Some("factors"), [s]) => Instr::ForFactors { sum: self.sum(s)?, to: self.bind(name, Kind::Sum)? },
            (Some("shared-factors"), [s, n]) => {
                let (sum, by) = (self.sum(s)?, self.sum(n)?);
                Instr::ForSharedFactors { to: self.bind(name, Kind::Sum)?, sum, by }
            }
            (Some("ratios"), [s, p]) => {
                let (sum, part) = (self.sum(s)?, self.sum(p)?);
                Instr::ForRatios { to: self.bind(name, Kind::Int)?, sum, part }
            }
            (Some("operands"), [s, words @ ..]) if !words.is_empty() => {
                let sum = self.sum(s)?;
                let operators = words.iter().map(operator).collect::<Compiled<Vec<_>>>()?;
                Instr::ForOperands { to: self.bind(name, Kind::Sum)?, sum, operators: Operator::bits(&operators) }
            }
            (Some("list"), values) => {
                let values = values.iter().map(|v| self.int(v)).collect::<Compiled<_>>()?;
                Instr::ForList { to: self.bind(name, Kind::Int)?, values }
            }
            _ => {
                return Err((
                    from.position(),
                    "expected (gcds ?x #n), (multiples ?x #n), (factors ?x), (shared-factors ?x ?n), \
                     (ratios ?x ?y), (operands ?x OPERATOR...) or (list ...)"
                        .into(),
                ));
            }
        })
    }

    pub(super) fn guard(&mut self, d: &Datum) -> Compiled<Guard> {
        let items = d.list().unwrap_or_default();
        let word = items.first().and_then(Datum::word).unwrap_or_default();
        Ok(match (word, &items[items.len().min(1)..]) {
            ("=", [a, b]) => Guard::Equal(self.int(a)?, self.int(b)?),
            ("!=", [a, b]) => Guard::Differ(self.int(a)?, self.int(b)?),
            ("<", [a, b]) => Guard::Less(self.int(a)?, self.int(b)?),
            ("<=", [a, b]) => Guard::AtMost(self.int(a)?, self.int(b)?),
            (">", [a, b]) => Guard::Less(self.int(b)?, self.int(a)?),
            (">=", [a, b]) => Guard::AtMost(self.int(b)?, self.int(a)?),
            ("divides", [a, b]) => Guard::Divides(self.int(a)?, self.int(b)?),
            ("power-of-two", [a]) => Guard::PowerOfTwo(self.int(a)?),
            ("within", [x, lo, hi]) => Guard::Within(Box::new([self.term(x)?, self.term(lo)?, self.term(hi)?])),
            ("nonneg", [x]) => Guard::NonNegative(self.term(x)?),
            ("positive", [x]) => Guard::Positive(self.term(x)?),
            ("nonzero", [x]) => Guard::NonZero(self.term(x)?),
            ("has-terms", [x]) => Guard::HasTerms(self.sum(x)?),
            ("nontrivial", [x]) => Guard::Nontrivial(self.sum(x)?),
            ("constant", [x]) => Guard::IsConstant(self.sum(x)?),
            ("terms-in", [a, b]) => Guard::TermsIn(self.sum(a)?, self.sum(b)?),
            ("boolean", [x]) => Guard::Boolean(self.bound_class(x)?),
            ("unknown", [x]) => Guard::Unknown(self.bound_class(x)?),
            ("tighter", [a, b]) => Guard::Tighter(Box::new([self.term(a)?, self.term(b)?])),
            ("disjoint-bits", [a, b]) => Guard::DisjointBits(Box::new([self.term(a)?, self.term(b)?])),
            ("not", [g]) => Guard::Not(Box::new(self.guard(g)?)),
            ("any", guards) => Guard::Any(guards.iter().map(|g| self.guard(g)).collect::<Compiled<_>>()?),
            _ => return Err((d.position(), format!("`{d}` is no guard"))),
        })
    }

    pub(super) fn bound_class(&self, x: &Datum) -> Compiled<Slot> {
        match x.word().and_then(|w| self.lookup(w)) {
            Some((Kind::Class, s)) => Ok(s),
            _ => Err((x.position(), format!("`{x}` is not a bound class"))),
        }
    }
}
