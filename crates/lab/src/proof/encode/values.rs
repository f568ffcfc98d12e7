//! Encodes the integers that a rule computes, the terms that it builds, and the facts that it uses.

use super::{Encoded, Encoder, Sum};
use easy_smt::SExpr;
use quaff::expr::Junction;
use quaff::integer::gcd;
use quaff::internals::rules::Operator;
use quaff::internals::rules::{IntExpr, Term};
use quaff::quasi::solver::read_number;

impl Encoder<'_, '_> {
    pub(super) fn int(&mut self, e: &IntExpr) -> Encoded<SExpr> {
        Ok(match e {
            IntExpr::Literal(n) => self.number(*n),
            IntExpr::Slot(s) => self.int_slot(*s)?,
            IntExpr::Add(x) => {
                let x = x.iter().map(|e| self.int(e)).collect::<Encoded<Vec<_>>>()?;
                self.added(x)
            }
            IntExpr::Mul(x) => {
                let x = x.iter().map(|e| self.int(e)).collect::<Encoded<Vec<_>>>()?;
                self.multiplied(x)
            }
            IntExpr::Sub(x) => {
                let (a, b) = (self.int(&x[0])?, self.int(&x[1])?);
                self.c.sub(a, b)
            }
            IntExpr::Div(x) => {
                let (a, b, q) = (self.int(&x[0])?, self.int(&x[1])?, self.fresh()?);
                self.nonzero(b)?;
                self.equal(a, self.c.times(b, q))?;
                q
            }
            IntExpr::Apply(operator, x) => {
                let (a, b) = (self.int(&x[0])?, self.int(&x[1])?);
                self.operation(*operator, &[a, b])?
            }
            IntExpr::Gcd(x) => self.gcd(&x[0], &x[1])?,
            IntExpr::Abs(x) => {
                let a = self.int(x)?;
                self.c.ite(self.c.lt(a, self.number(0)), self.c.negate(a), a)
            }
            IntExpr::Lowest(t) => self.fact(t, "lowest")?,
            IntExpr::Highest(t) => self.fact(t, "highest")?,
            IntExpr::Modulus(t) => self.fact(t, "modulus")?,
            IntExpr::ResidueOf(t) => self.fact(t, "residue")?,
            IntExpr::ConstantOf(s) => self.sum(*s)?.constant,
            IntExpr::Content(s) => {
                let sum = self.sum(*s)?;
                let (g, times, zero) = (self.named(format!("content {s}"))?, self.fresh()?, self.number(0));
                self.assert(self.c.gte(g, zero))?;
                self.equal(sum.value, self.c.plus(sum.constant, self.c.times(g, times)))?;
                self.contents.insert(*s, g);
                g
            }
            IntExpr::Terms(s) => {
                let sum = self.sum(*s)?;
                let (n, zero) = (self.named(format!("terms {s}"))?, self.number(0));
                self.assert(self.c.gte(n, zero))?;
                self.equal(sum.terms, self.c.gt(n, zero))?;
                n
            }
            IntExpr::Bucket(x) => {
                let (t, n) = (self.term(&x.0)?.value, self.int(&x.1)?);
                self.nonzero(n)?;
                self.quotient(t, n)?
            }
            IntExpr::Quotient(x) => {
                let (a, b) = (self.term(&x[0])?.value, self.term(&x[1])?.value);
                self.nonzero(b)?;
                self.quotient(a, b)?
            }
        })
    }

    fn added(&self, x: Vec<SExpr>) -> SExpr {
        x.into_iter().reduce(|a, b| self.c.plus(a, b)).unwrap_or_else(|| self.number(0))
    }

    fn multiplied(&self, x: Vec<SExpr>) -> SExpr {
        x.into_iter().reduce(|a, b| self.c.times(a, b)).unwrap_or_else(|| self.number(1))
    }

    /// An unknown integer. Repeated calls with one name return the same integer.
    fn named(&mut self, name: String) -> Encoded<SExpr> {
        if let Some(v) = self.known.get(&name) {
            return Ok(*v);
        }
        let v = self.fresh()?;
        self.known.insert(name, v);
        Ok(v)
    }

    /// The greatest common divisor of `x` and `y`, defined by divisibility and Bézout's identity.
    fn gcd(&mut self, x: &IntExpr, y: &IntExpr) -> Encoded<SExpr> {
        let (a, b, zero) = (self.int(x)?, self.int(y)?, self.number(0));
        if let (Some(a), Some(b)) = (read_number(self.c, a), read_number(self.c, b)) {
            return Ok(self.number(i64::try_from(gcd(a.into(), b.into())).unwrap_or(0)));
        }
        let [g, over_a, over_b, u, v] = [self.fresh()?, self.fresh()?, self.fresh()?, self.fresh()?, self.fresh()?];
        self.assert(self.c.gte(g, zero))?;
        self.equal(a, self.c.times(g, over_a))?;
        self.equal(b, self.c.times(g, over_b))?;
        self.equal(g, self.c.plus(self.c.times(a, u), self.c.times(b, v)))?;
        self.divisors_of.push([g, over_b, b]);
        // if `x` is the modulus of a known congruence, the congruence also holds modulo the divisor `g`
        if let IntExpr::Modulus(t) = x {
            let (value, residue, times) = (self.term(t)?.value, self.fact(t, "residue")?, self.fresh()?);
            self.equal(value, self.c.plus(residue, self.c.times(g, times)))?;
        }
        Ok(g)
    }

    /// The integer for a fact that the engine knows about a class: an end of its interval, or the modulus or residue of
    /// its congruence. Also asserts that the value of the class satisfies this fact.
    fn fact(&mut self, t: &Term, which: &str) -> Encoded<SExpr> {
        let name = |what: &str| format!("{what} {t:?}");
        if let Some(v) = self.known.get(&name(which)) {
            return Ok(*v);
        }
        let (value, zero) = (self.term(t)?.value, self.number(0));
        match which {
            "lowest" | "highest" => {
                let (lo, hi) = (self.named(name("lowest"))?, self.named(name("highest"))?);
                self.assert(self.c.lte(lo, value))?;
                self.assert(self.c.lte(value, hi))?;
            }
            _ => {
                if let Some(v) = self.given(&name("modulus")) {
                    self.known.insert(name("modulus"), v);
                }
                let (m, r, times) = (self.named(name("modulus"))?, self.named(name("residue"))?, self.fresh()?);
                self.chosen.push((name("modulus"), m));
                self.equal(value, self.c.plus(r, self.c.times(m, times)))?;
                self.assert(self.c.gte(m, zero))?;
                let reduced = self.between(zero, r, m);
                self.assert(self.c.or(self.c.eq(m, zero), reduced))?;
            }
        }
        self.named(name(which))
    }

    pub(super) fn term(&mut self, t: &Term) -> Encoded<Sum> {
        let value = match t {
            Term::Int(e) => {
                let value = self.int(e)?;
                return Ok(Sum { value, constant: value, terms: self.c.false_() });
            }
            Term::Sum(s) => return self.sum(*s),
            Term::Class(s) => self.class(*s)?,
            Term::Add(x) => {
                let x = x.iter().map(|t| self.term(t)).collect::<Encoded<Vec<_>>>()?;
                let value = self.added(x.iter().map(|s| s.value).collect());
                let constant = self.added(x.iter().map(|s| s.constant).collect());
                return self.linear(value, constant, &x);
            }
            Term::Mul(x) => {
                let scalars = x.iter().filter(|t| matches!(t, Term::Int(_))).count();
                let sums = x.iter().map(|t| self.term(t)).collect::<Encoded<Vec<_>>>()?;
                let value = self.multiplied(sums.iter().map(|s| s.value).collect());
                if scalars + 1 >= x.len() {
                    let constant = self.multiplied(sums.iter().map(|s| s.constant).collect());
                    return self.linear(value, constant, &sums);
                }
                value
            }
            Term::Apply(operator, x) if operator.divides() => {
                let (a, b) = (self.term(&x[0])?.value, self.term(&x[1])?.value);
                match x[1] {
                    // the engine never builds a division by the constant 0
                    Term::Int(_) => self.nonzero(b)?,
                    _ => self.divisors.push(b),
                }
                self.divided(*operator, a, b)?
            }
            Term::Apply(operator, x) => self.two(*operator, x)?,
            Term::NonNeg(x) => {
                let x = self.term(x)?.value;
                self.operation(Operator::NonNeg, &[x])?
            }
            Term::Zero(x) => {
                let x = self.term(x)?.value;
                self.operation(Operator::Zero, &[x])?
            }
            Term::Not(x) => {
                let x = self.term(x)?.value;
                self.integer(self.c.not(self.truth(x)))
            }
            Term::Junction { junction, operands, rest } => {
                let mut parts = Vec::new();
                for o in operands {
                    let o = self.term(o)?.value;
                    parts.push(self.truth(o));
                }
                if let Some(rest) = rest {
                    let others = self.others(*rest)?;
                    parts.push(match junction {
                        Junction::And => others.all,
                        Junction::Or => others.any,
                    });
                }
                self.integer(match junction {
                    Junction::And => self.c.and_many(parts.into_iter().chain([self.c.true_()])),
                    Junction::Or => self.c.or_many(parts.into_iter().chain([self.c.false_()])),
                })
            }
            Term::Select(x) => {
                let (c, a, b) = (self.term(&x[0])?.value, self.term(&x[1])?.value, self.term(&x[2])?.value);
                self.c.ite(self.truth(c), a, b)
            }
        };
        self.opaque(value)
    }

    fn two(&mut self, operator: Operator, x: &[Term; 2]) -> Encoded<SExpr> {
        let (a, b) = (self.term(&x[0])?.value, self.term(&x[1])?.value);
        self.operation(operator, &[a, b])
    }

    /// A new sum with the value `value`. Its terms come from the sums `parts`, and some of them may cancel.
    fn linear(&mut self, value: SExpr, constant: SExpr, parts: &[Sum]) -> Encoded<Sum> {
        let terms = self.fresh_truth()?;
        let any: Vec<SExpr> = parts.iter().map(|s| s.terms).collect();
        self.assert(self.c.or(terms, self.c.eq(value, constant)))?;
        if !any.is_empty() {
            self.assert(self.c.imp(terms, self.c.or_many(any)))?;
        }
        Ok(Sum { value, constant, terms })
    }
}
