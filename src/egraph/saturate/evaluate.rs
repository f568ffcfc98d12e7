//! Evaluates the integers, terms and guards of a rule while the rule is matched. The matcher keeps the values of the
//! rule's names in numbered *slots*.

use crate::domain::{Congruence, Interval};
use crate::egraph::analysis::form_facts::{facts_of_form, range_by_terms};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Ids, Node};
use crate::egraph::normal::nonzero::is_recorded_nonzero;
use crate::egraph::normal::symbolic_bounds::proves_nonneg;
use crate::egraph::saturate::factors::intersection;
use crate::egraph::saturate::matcher::Run;
use crate::integer::{floor_div, floor_mod, gcd};
use crate::rules::operator::Operator;
use crate::rules::program::{Guard, IntExpr, Term};
use egg::Id;
use std::borrow::Cow;
use std::ops::Deref;
use std::rc::Rc;

/// The sum of a term. If the term is a slot, the sum is shared with the slot and not copied.
enum Part {
    Slot(Rc<LinearForm>),
    Made(LinearForm),
}

impl Part {
    fn scaled(self, f: i64) -> Option<LinearForm> {
        match self {
            Part::Made(l) if f == 1 => Some(l),
            part => (*part).scaled(f),
        }
    }
}

impl Deref for Part {
    type Target = LinearForm;

    fn deref(&self) -> &LinearForm {
        match self {
            Part::Slot(l) => l,
            Part::Made(l) => l,
        }
    }
}

impl Run<'_> {
    /// The value of an integer of a rule. Most integers are literals or slots, which are read without a function call.
    #[inline(always)]
    pub(crate) fn int(&mut self, e: &IntExpr) -> Option<i64> {
        match e {
            IntExpr::Literal(n) => Some(*n),
            IntExpr::Slot(s) => Some(self.m.ints[*s as usize]),
            _ => self.computed(e),
        }
    }

    #[inline(never)]
    fn computed(&mut self, e: &IntExpr) -> Option<i64> {
        let two = |s: &mut Self, x: &[IntExpr; 2]| Some((s.int(&x[0])?, s.int(&x[1])?));
        match e {
            IntExpr::Literal(n) => Some(*n),
            IntExpr::Slot(s) => Some(self.m.ints[*s as usize]),
            IntExpr::Add(x) => {
                let mut sum = 0i64;
                for e in x {
                    sum = sum.checked_add(self.int(e)?)?;
                }
                Some(sum)
            }
            IntExpr::Mul(x) => {
                let mut product = 1i64;
                for e in x {
                    product = product.checked_mul(self.int(e)?)?;
                }
                Some(product)
            }
            IntExpr::Sub(x) => two(self, x).and_then(|(a, b)| a.checked_sub(b)),
            IntExpr::Div(x) => {
                let (a, b) = two(self, x)?;
                (b != 0 && floor_mod(a as i128, b as i128) == 0)
                    .then(|| i64::try_from(floor_div(a as i128, b as i128)).ok())
                    .flatten()
            }
            IntExpr::Apply(operator, x) => {
                let (a, b) = two(self, x)?;
                i64::try_from(operator.op()?.eval([Ok(a.into()), Ok(b.into()), Ok(0)]).ok()?).ok()
            }
            IntExpr::Gcd(x) => {
                let (a, b) = two(self, x)?;
                i64::try_from(gcd(a as i128, b as i128)).ok()
            }
            IntExpr::Abs(x) => self.int(x)?.checked_abs(),
            IntExpr::Lowest(t) => self.facts(t)?.0.lo(),
            IntExpr::Highest(t) => self.facts(t)?.0.hi(),
            IntExpr::Modulus(t) => Some(self.facts(t)?.1.modulus()),
            IntExpr::ResidueOf(t) => Some(self.facts(t)?.1.residue()),
            IntExpr::ConstantOf(s) => Some(self.m.sums[*s as usize].constant),
            IntExpr::Content(s) => Some(self.m.sums[*s as usize].content()),
            IntExpr::Terms(s) => Some(self.m.sums[*s as usize].len() as i64),
            IntExpr::Bucket(x) => {
                let (i, n) = (self.facts(&x.0)?.0, self.int(&x.1)?);
                let (lo, hi) = i.bounded()?;
                if n == 0 {
                    return None;
                }
                let (a, b) = (floor_div(lo as i128, n as i128), floor_div(hi as i128, n as i128));
                if a == b { i64::try_from(a).ok() } else { None }
            }
            IntExpr::Quotient(x) => {
                let (a, b) = (self.facts(&x[0])?.0, self.facts(&x[1])?.0);
                a.floor_div(b)?.as_point()
            }
        }
    }

    pub(crate) fn facts(&mut self, t: &Term) -> Option<(Interval, Congruence)> {
        match t {
            Term::Class(s) => {
                let f = self.e.facts(self.m.classes[*s as usize]);
                Some((f.interval, f.congruence))
            }
            Term::Sum(s) => Some(facts_of_form(&self.e.graph, &self.m.sums[*s as usize])),
            _ => {
                let l = self.term(t)?;
                Some(facts_of_form(&self.e.graph, &l))
            }
        }
    }

    /// Whether a guard holds. `None` if it cannot be computed.
    pub(crate) fn holds(&mut self, g: &Guard) -> Option<bool> {
        Some(match g {
            Guard::Equal(a, b) => self.int(a)? == self.int(b)?,
            Guard::Differ(a, b) => self.int(a)? != self.int(b)?,
            Guard::Less(a, b) => self.int(a)? < self.int(b)?,
            Guard::AtMost(a, b) => self.int(a)? <= self.int(b)?,
            Guard::Divides(a, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                a != 0 && floor_mod(b as i128, a as i128) == 0
            }
            Guard::PowerOfTwo(a) => {
                let a = self.int(a)?;
                a > 0 && a & (a - 1) == 0
            }
            Guard::Within(terms) => {
                let [x, lo, hi] = &**terms;
                if let (Term::Int(lo), Term::Int(hi)) = (lo, hi) {
                    let (i, l, h) = (self.facts(x)?.0, self.int(lo)? as i128, self.int(hi)? as i128);
                    if i.within(l, h - 1) {
                        return Some(true);
                    }
                }
                let (l, h) = (self.term(lo)?, self.term(hi)?);
                let x = self.sum(x)?;
                if l.is_constant() && h.is_constant() && !self.e.has_symbols() {
                    return self.between(&x, l.constant, h.constant);
                }
                let above = x.plus(-1, &l)?;
                let below = h.plus(-1, &x)?.plus_constant(-1)?;
                self.proves(&above)? && self.proves(&below)?
            }
            Guard::NonNegative(x) => {
                let l = self.sum(x)?;
                self.proves(&l)?
            }
            Guard::Positive(x) => {
                let l = self.term(x)?.plus_constant(-1)?;
                self.proves(&l)?
            }
            Guard::NonZero(x) => {
                let (i, c) = self.facts(x)?;
                !i.contains(0) || !c.contains(0) || {
                    let x = self.sum(x)?;
                    is_recorded_nonzero(self.e, &x)
                }
            }
            Guard::HasTerms(s) => !self.m.sums[*s as usize].is_constant(),
            Guard::Nontrivial(s) => *self.m.sums[*s as usize] != LinearForm::default(),
            Guard::IsConstant(s) => self.m.sums[*s as usize].is_constant(),
            Guard::TermsIn(a, b) => {
                let [a, b] = [a, b].map(|sum| &self.m.sums[*sum as usize]);
                a.len() <= b.len() && a.terms().iter().all(|&t| b.coeff(t) != 0)
            }
            Guard::Unknown(s) => self.e.facts(self.m.classes[*s as usize]).constant().is_none(),
            Guard::Boolean(s) => self.e.facts(self.m.classes[*s as usize]).is_bool(),
            Guard::Tighter(terms) => {
                let [a, b] = &**terms;
                let (a, b) = (self.sum(a)?, self.sum(b)?);
                let span = |l: &LinearForm| {
                    range_by_terms(&self.e.graph, l).bounded().map_or(u64::MAX, |(lo, hi)| hi.abs_diff(lo))
                };
                span(&a) < span(&b)
            }
            Guard::DisjointBits(terms) => {
                let [a, b] = &**terms;
                let (a, b) = (self.term(a)?, self.term(b)?);
                let (a, b) = (self.e.class_of(&a)?, self.e.class_of(&b)?);
                self.e.facts(a).zero_bits() | self.e.facts(b).zero_bits() == !0
            }
            Guard::Not(g) => !self.holds(g)?,
            Guard::Any(gs) => {
                for g in gs {
                    if self.holds(g) == Some(true) {
                        return Some(true);
                    }
                }
                false
            }
        })
    }

    /// Whether `lo <= x < hi` by ranges alone. Both the sum itself and its canonical form are tried.
    fn between(&mut self, x: &LinearForm, lo: i64, hi: i64) -> Option<bool> {
        let meets = |i: Interval| (i.lo().is_some_and(|l| l >= lo), i.hi().is_some_and(|h| h < hi));
        let (above, below) = meets(facts_of_form(&self.e.graph, x).0);
        if above && below {
            return Some(true);
        }
        Some(match self.e.canonical_deep(x)? {
            Cow::Borrowed(_) => false,
            Cow::Owned(c) => {
                let by_canonical = meets(facts_of_form(&self.e.graph, &c).0);
                (above || by_canonical.0) && (below || by_canonical.1)
            }
        })
    }

    fn proves(&mut self, lin: &LinearForm) -> Option<bool> {
        if proves_nonneg(self.e, lin) {
            return Some(true);
        }
        let canonical = self.e.canonical_deep(lin)?;
        Some(matches!(canonical, Cow::Owned(c) if c != *lin && proves_nonneg(self.e, &c)))
    }

    /// The sum of a term. Adds the nodes that the term needs.
    pub(crate) fn term(&mut self, t: &Term) -> Option<LinearForm> {
        let two = |s: &mut Self, x: &[Term; 2]| Some((s.term(&x[0])?, s.term(&x[1])?));
        Some(match t {
            Term::Int(e) => LinearForm::constant(self.int(e)?),
            Term::Class(s) => {
                let id = self.e.graph.find(self.m.classes[*s as usize]);
                self.e.canonical_shallow(&LinearForm::atom(id))?.into_owned()
            }
            Term::Sum(s) => (*self.m.sums[*s as usize]).clone(),
            Term::Add(x) => {
                let mut sum: Option<LinearForm> = None;
                for t in x {
                    let (f, part) = self.part(t)?;
                    sum = Some(match (sum, part) {
                        (sum, None) => sum.unwrap_or_default().plus_constant(f)?,
                        (None, Some(l)) => l.scaled(f)?,
                        (Some(sum), Some(l)) => sum.plus(f, &l)?,
                    });
                }
                sum?
            }
            Term::Mul(_) => match self.part(t)? {
                (f, None) => LinearForm::constant(f),
                (f, Some(l)) => l.scaled(f)?,
            },
            Term::Apply(operator, _) if self.m.as_it_stands && operator.divides() => {
                LinearForm::atom(self.as_it_stands(t)?)
            }
            Term::NonNeg(_) | Term::Zero(_) if self.m.as_it_stands => LinearForm::atom(self.as_it_stands(t)?),
            Term::Apply(Operator::Div, x) => {
                let (a, b) = two(self, x)?;
                self.e.div(&a, &b)?
            }
            Term::Apply(Operator::Mod, x) => {
                let (a, b) = two(self, x)?;
                self.e.modulo(&a, &b)?
            }
            Term::Apply(Operator::TruncDiv, x) => {
                let (a, b) = two(self, x)?;
                self.e.trunc_div(&a, &b)?
            }
            Term::Apply(Operator::TruncMod, x) => {
                let (a, b) = two(self, x)?;
                self.e.trunc_mod(&a, &b)?
            }
            Term::Apply(operator, x) => {
                let [a, b] = self.classes(x)?;
                LinearForm::atom(self.e.commuted(*operator, a, b)?)
            }
            Term::NonNeg(x) => {
                let l = self.term(x)?;
                LinearForm::atom(self.e.nonneg(&l)?)
            }
            Term::Zero(x) => {
                let l = self.term(x)?;
                LinearForm::atom(self.e.zero(&l)?)
            }
            Term::Not(x) => {
                let x = self.boolean(x)?;
                LinearForm::atom(self.e.not(x)?)
            }
            Term::Junction { junction, operands, rest } => {
                let mut ids: Vec<Id> = Vec::with_capacity(operands.len() + 4);
                for o in operands {
                    ids.push(self.boolean(o)?);
                }
                if let Some(r) = rest {
                    ids.extend_from_slice(&self.m.lists[*r as usize]);
                }
                LinearForm::atom(self.e.junction(*junction, &ids))
            }
            Term::Select(x) => {
                let [condition, branches @ ..] = &**x;
                let c = self.boolean(condition)?;
                let [a, b] = self.classes(branches)?;
                LinearForm::atom(self.e.select(c, a, b))
            }
        })
    }

    /// `lin` with products replaced by the sums that they represent, so that the terms of these sums can cancel with
    /// other terms.
    pub(crate) fn distributed(&mut self, lin: LinearForm) -> Option<LinearForm> {
        let stands_for_sum = |t: Id| self.e.facts(t).has(Operator::Product) && self.e.facts(t).canon().is_some();
        if lin.terms().iter().any(|&t| stands_for_sum(t)) {
            self.e.canonical_deep(&lin).map(Cow::into_owned)
        } else {
            Some(lin)
        }
    }

    /// The classes of the sums of two terms.
    fn classes(&mut self, [a, b]: &[Term; 2]) -> Option<[Id; 2]> {
        let (a, b) = (self.term(a)?, self.term(b)?);
        Some([self.e.class_of(&a)?, self.e.class_of(&b)?])
    }

    /// The class of a term.
    fn class(&mut self, t: &Term) -> Option<Id> {
        if let Term::Class(s) = t {
            return Some(self.e.graph.find(self.m.classes[*s as usize]));
        }
        let lin = self.term(t)?;
        self.e.class_of(&lin)
    }

    /// The node of a quotient, remainder or comparison, without its normal form.
    fn as_it_stands(&mut self, t: &Term) -> Option<Id> {
        let node = match t {
            Term::Apply(operator, x) => {
                let operands = [self.class(&x[0])?, self.class(&x[1])?];
                if self.e.facts(operands[1]).constant() == Some(0) {
                    return None;
                }
                Node::pair(*operator, operands)?
            }
            Term::NonNeg(x) => Node::NonNeg([self.class(x)?]),
            Term::Zero(x) => Node::Zero([self.class(x)?]),
            _ => return None,
        };
        Some(self.e.add(node))
    }

    /// The sum of a term. If the term is a slot, its sum is shared.
    fn sum(&mut self, t: &Term) -> Option<Part> {
        Some(match t {
            Term::Sum(s) => Part::Slot(self.m.sums[*s as usize].clone()),
            _ => Part::Made(self.term(t)?),
        })
    }

    /// A term as a number and the sum that it multiplies. There is no sum if the term is only a number. In a product,
    /// the numbers are multiplied first, because that makes no nodes.
    fn part(&mut self, t: &Term) -> Option<(i64, Option<Part>)> {
        Some(match t {
            Term::Int(e) => (self.int(e)?, None),
            Term::Sum(s) => (1, Some(Part::Slot(self.m.sums[*s as usize].clone()))),
            Term::Mul(x) => {
                let (mut factor, mut product): (i64, Option<Part>) = (1, None);
                for t in x {
                    let (f, part) = self.part(t)?;
                    factor = factor.checked_mul(f)?;
                    product = match (product, part) {
                        (Some(a), Some(b)) => Some(Part::Made(self.e.mul(&a, &b)?)),
                        (a, b) => a.or(b),
                    };
                }
                (factor, product)
            }
            _ => (1, Some(Part::Made(self.term(t)?))),
        })
    }

    fn boolean(&mut self, t: &Term) -> Option<Id> {
        let l = self.term(t)?;
        let id = self.e.class_of(&l)?;
        self.e.truth(id)
    }

    /// `(q, r)` with `lin == by * q + r`. `by` is one term `c * f1 * f2 ...`, or a sum.
    pub(crate) fn split_by(&mut self, lin: &LinearForm, by: &LinearForm) -> Option<(LinearForm, LinearForm)> {
        if by.constant != 0 || by.len() != 1 {
            // a sum as divisor is an atom among the factors, or divides as a polynomial
            let id = self.e.class_of(by)?;
            let (q, r) = self.e.split_by_factors(lin, 1, &[id])?;
            return Some(match self.e.divide_out(&r, by) {
                Some((more, r)) => (q.plus(1, &more)?, r),
                None => (q, r),
            });
        }
        let divisor = self.e.factors(by.terms()[0]);
        self.e.split_by_factors(lin, by.coeffs()[0], &divisor)
    }

    pub(crate) fn common_factor(
        &mut self,
        sum: &LinearForm,
        by: &LinearForm,
    ) -> Option<(LinearForm, LinearForm, LinearForm)> {
        let number =
            gcd(gcd(sum.content() as i128, sum.constant as i128), gcd(by.content() as i128, by.constant as i128))
                as i64;
        let mut common: Option<Ids> = None;
        for l in [by, sum] {
            if l.constant != 0 {
                common = Some(Ids::new());
            }
            for &t in l.terms() {
                let f = self.e.factors(t);
                common = Some(match common {
                    None => f,
                    Some(c) => intersection(&c, &f),
                });
            }
        }
        let common = common?;
        if common.is_empty()
            && let Some((factor, s, b)) = sum.common_sum(by)
        {
            return Some((factor, LinearForm::constant(s), LinearForm::constant(b)));
        }
        if number <= 1 && common.is_empty() {
            return None;
        }
        let mut over = |l: &LinearForm| -> Option<LinearForm> {
            let mut out = LinearForm::constant(floor_div(l.constant as i128, number as i128) as i64);
            for (c, t) in l.iter() {
                let rest = self.e.without_factors(t, &common)?;
                out = out.plus(floor_div(c as i128, number as i128) as i64, &rest)?;
            }
            Some(out)
        };
        let (s, b) = (over(sum)?, over(by)?);
        let factor = if common.is_empty() {
            LinearForm::constant(number)
        } else {
            LinearForm::term(number, self.e.product(&common))
        };
        Some((factor, s, b))
    }
}
