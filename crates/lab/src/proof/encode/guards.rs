//! Encodes the guards (conditions) of a rule as statements about integers.

use super::{Encoded, Encoder, POWERS};
use easy_smt::SExpr;
use quaff::internals::rules::{Guard, IntExpr, Operator, Term};

impl Encoder<'_, '_> {
    // long: one arm for each guard of the rule language
    /// The statement about integers that follows from a guard. `None` if no such statement follows.
    pub(super) fn guard(&mut self, g: &Guard) -> Encoded<Option<SExpr>> {
        Ok(Some(match g {
            Guard::Equal(a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                self.c.eq(a, b)
            }
            Guard::Differ(a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                self.c.not(self.c.eq(a, b))
            }
            Guard::Less(a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                self.c.lt(a, b)
            }
            Guard::AtMost(a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                self.c.lte(a, b)
            }
            Guard::Divides(a, b) => {
                let (a, b, times, zero) = (self.int(a)?, self.int(b)?, self.fresh()?, self.number(0));
                self.c.and(self.c.not(self.c.eq(a, zero)), self.c.eq(b, self.c.times(a, times)))
            }
            Guard::PowerOfTwo(a) => {
                let a = self.int(a)?;
                self.powers.push(a);
                let powers = POWERS.map(|k| self.c.eq(a, self.c.numeral(1u64 << k)));
                self.c.or_many(powers.collect::<Vec<_>>())
            }
            Guard::Within(terms) => {
                let [x, lo, hi] = &**terms;
                let (x, lo, hi) = (self.term(x)?.value, self.term(lo)?.value, self.term(hi)?.value);
                self.between(lo, x, hi)
            }
            Guard::NonNegative(x) => {
                let x = self.term(x)?.value;
                self.c.gte(x, self.number(0))
            }
            Guard::Positive(x) => {
                let x = self.term(x)?.value;
                self.c.gt(x, self.number(0))
            }
            Guard::NonZero(x) => {
                let x = self.term(x)?.value;
                self.truth(x)
            }
            Guard::HasTerms(s) => self.sum(*s)?.terms,
            // this guard depends on what the e-graph knows about the class, and not on the value of the class
            Guard::Unknown(_) => return Ok(None),
            Guard::IsConstant(s) => {
                let s = self.sum(*s)?;
                self.c.not(s.terms)
            }
            Guard::Boolean(s) => {
                let v = self.class(*s)?;
                self.c.or(self.c.eq(v, self.number(0)), self.c.eq(v, self.number(1)))
            }
            Guard::DisjointBits(terms) => {
                let [a, b] = &**terms;
                let (a, b) = (self.term(a)?.value, self.term(b)?.value);
                let common = self.common_bits(a, b)?;
                self.c.eq(common, self.number(0))
            }
            Guard::Nontrivial(s) => {
                let s = self.sum(*s)?;
                self.c.or(s.terms, self.c.not(self.c.eq(s.constant, self.number(0))))
            }
            Guard::Tighter(..) | Guard::TermsIn(..) => return Ok(None),
            // a guard holds if the engine knows a fact. If the guard fails, the fact may still hold, so nothing follows
            // from `not`
            Guard::Not(g) if g.only_integers() && !mentions_divisibility(g) => match self.guard(g)? {
                Some(holds) => self.c.not(holds),
                None => return Ok(None),
            },
            Guard::Not(_) => return Ok(None),
            Guard::Any(guards) if !guards.iter().all(is_total) => return Ok(None),
            Guard::Any(guards) => {
                let parts = guards.iter().map(|g| self.guard(g)).collect::<Encoded<Option<Vec<_>>>>()?;
                match parts {
                    Some(parts) => self.c.or_many(parts),
                    None => return Ok(None),
                }
            }
        }))
    }
}

/// Whether a guard only compares integers that are literals or names, or tests their divisibility.
pub(super) fn is_plain(g: &Guard) -> bool {
    let leaf = |e: &IntExpr| matches!(e, IntExpr::Literal(_) | IntExpr::Slot(_));
    match g {
        Guard::Equal(a, b) | Guard::Differ(a, b) | Guard::Less(a, b) | Guard::AtMost(a, b) | Guard::Divides(a, b) => {
            leaf(a) && leaf(b)
        }
        _ => false,
    }
}

/// Whether a guard uses divisibility. It is encoded with an unknown quotient, so the encoding must not be negated.
fn mentions_divisibility(g: &Guard) -> bool {
    match g {
        Guard::Divides(..) | Guard::PowerOfTwo(_) => true,
        Guard::Not(g) => mentions_divisibility(g),
        Guard::Any(g) => g.iter().any(mentions_divisibility),
        _ => false,
    }
}

/// Whether a statement about integers follows from the guard. If this is not so for one guard in an `any`, nothing
/// follows from the `any`.
fn is_total(g: &Guard) -> bool {
    match g {
        Guard::Equal(a, b) | Guard::Differ(a, b) | Guard::Less(a, b) | Guard::AtMost(a, b) | Guard::Divides(a, b) => {
            always_computed(a) && always_computed(b)
        }
        Guard::HasTerms(_) | Guard::Nontrivial(_) | Guard::IsConstant(_) | Guard::Boolean(_) => true,
        Guard::NonNegative(t) | Guard::Positive(t) | Guard::NonZero(t) => is_name(t),
        _ => false,
    }
}

fn is_name(t: &Term) -> bool {
    matches!(t, Term::Class(_) | Term::Sum(_))
}

fn always_computed(e: &IntExpr) -> bool {
    match e {
        IntExpr::Literal(_) | IntExpr::Slot(_) | IntExpr::ConstantOf(_) | IntExpr::Content(_) | IntExpr::Terms(_) => {
            true
        }
        IntExpr::Add(x) | IntExpr::Mul(x) => x.iter().all(always_computed),
        IntExpr::Sub(x) => x.iter().all(always_computed),
        IntExpr::Apply(operator, x) => {
            !matches!(operator, Operator::Div | Operator::Mod) && x.iter().all(always_computed)
        }
        IntExpr::Abs(x) => always_computed(x),
        IntExpr::Modulus(t) | IntExpr::ResidueOf(t) => is_name(t),
        _ => false,
    }
}
