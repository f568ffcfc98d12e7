//! Makes the normal forms of quotients and remainders.
//!
//! Many quotients are equal to a sum or to another quotient: `(4*x + y)//4` is `x` if `y` is in 0..3. If the
//! coefficients and the ranges of the numerator show this, no node is made for the quotient.

use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::quotient_bounds::bound_quotient;
use crate::egraph::normal::spellings::spellings;
use crate::egraph::trace::firing::{BindingValue, Matched};
use crate::egraph::trace::normal_form::NormalForm;
use crate::integer::floor_div;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

impl EGraph {
    /// `a // b`. The caller guarantees that `b` is never 0.
    pub(crate) fn div(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        let known =
            number(b).and_then(|n| self.decided(a, n).or_else(|| self.nested(self.canonical_deep(a)?.as_atom()?, n)));
        known.or_else(|| self.div_as_it_is(a, b))
    }

    /// `a // b` for a remainder `a % b`. A quotient of a quotient is not simplified, because rules need its form to
    /// find `(x//m) % n`.
    pub(crate) fn div_for_remainder(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        let known = number(b).and_then(|n| self.decided(a, n));
        known.or_else(|| self.div_as_it_is(a, b))
    }

    /// `a // n` as a sum, if `a == n*q + r` and all values of `r` have the same quotient by `n`.
    fn decided(&mut self, a: &LinearForm, n: i64) -> Option<LinearForm> {
        if a.is_constant() {
            return None;
        }
        let a = self.canonical_deep(a)?.into_owned();
        let to = self.in_one_bucket(&a, n)?;
        if self.assumed && !to.is_constant() {
            // the assumptions about `a` bound the quotient, perhaps more closely than the terms of `to` do. The class
            // of the quotient gets its range from its own node, so the node is made
            let quotient = self.div_as_it_is(&a, &LinearForm::constant(n))?;
            let id = self.class_of(&quotient)?;
            self.equate(id, &to);
        }
        Some(to)
    }

    /// The class that the normal forms of quotients give for `a // n`. Every spelling of `a` is tried.
    pub(crate) fn renormalised_quotient(&mut self, a: Id, n: i64) -> Option<Id> {
        let decided = spellings(self, a).into_iter().find_map(|spelling| self.in_one_bucket(&spelling, n));
        let to = match decided {
            Some(to) => to,
            None => self.nested(self.graph.find(a), n)?,
        };
        self.class_of(&to)
    }

    /// `a % b` as one operation, which does not repeat the terms of `a`.
    pub(crate) fn remainder_as_it_is(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        if let Some(q) = number(b).and_then(|n| self.decided(a, n)) {
            // the subtraction cancels terms of `a`
            return a.plus(-1, &self.mul(&q, b)?);
        }
        self.has_symbols |= !b.is_constant();
        let (a, b) = (self.class_of(a)?, self.class_of(b)?);
        Some(LinearForm::atom(self.add(Node::Mod([a, b]))))
    }

    /// `a % b`, whose class also holds `a - b * (a // b)`.
    pub(crate) fn modulo(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        if b.is_constant() && (b.constant == 1 || a.is_constant()) {
            let q = self.div(a, b)?;
            return a.plus(-1, &self.mul(&q, b)?);
        }
        if b.is_constant() && b.constant == 0 {
            return None;
        }
        let (ca, cb) = (self.class_of(a)?, self.class_of(b)?);
        let q = LinearForm::atom(self.add(Node::Div([ca, cb])));
        let spelled = a.plus(-1, &self.mul(&q, b)?)?;
        let definition = Rc::new(self.canonical_deep(&spelled)?.into_owned());
        self.definitions.insert(definition);
        self.has_ends |= !b.is_constant();
        self.has_symbols |= self.has_ends;
        let id = self.add(Node::Mod([ca, cb]));
        self.defined |= self.equate(id, &spelled);
        Some(LinearForm::atom(self.graph.find(id)))
    }

    /// Whether `lin` was added as `x - n*(x//n)`, the definition of `x % n`. Rules about sums would only find the
    /// remainder `x % n` in it.
    pub(crate) fn defines_remainder(&self, lin: &LinearForm) -> bool {
        self.definitions.contains(lin)
    }

    fn div_as_it_is(&mut self, a: &LinearForm, b: &LinearForm) -> Option<LinearForm> {
        if b.is_constant() {
            if b.constant == 1 {
                return Some(a.clone());
            }
            if b.constant == 0 {
                return None;
            }
            if a.is_constant() {
                let q = floor_div(a.constant as i128, b.constant as i128);
                return Some(LinearForm::constant(i64::try_from(q).ok()?));
            }
        }
        self.has_symbols |= !b.is_constant();
        let (a, b) = (self.class_of(a)?, self.class_of(b)?);
        let quotient = self.add(Node::Div([a, b]));
        bound_quotient(self, quotient, a, b);
        Some(LinearForm::atom(quotient))
    }

    /// The normal form `a // n == q + b`, if `a == n*q + r` and every value of `r` lies in `b*n .. b*n + n-1`.
    fn in_one_bucket(&mut self, a: &LinearForm, n: i64) -> Option<LinearForm> {
        let (q, r, b) = self.bucket_of(a, n)?;
        let to = q.clone().plus_constant(b)?;
        if self.traces_normal_forms() {
            let bound = [
                ("n", BindingValue::Number(n)),
                ("q", self.bound_to(&q)),
                ("r", self.bound_to(&r)),
                ("b", BindingValue::Number(b)),
            ];
            let from = Matched::Quotient(Rc::new(a.clone()), n);
            self.note_normal_form(NormalForm::DivOneBucket, from, &to, bound);
        }
        Some(to)
    }

    /// `(q, r, b)` with `a == n*q + r`, where every value of `r` lies in the bucket `b`. First `q` takes the terms
    /// whose coefficients are multiples of `n`. If the values of `r` lie in several buckets, the coefficients of `r`
    /// are reduced to least absolute value. A coefficient `n/2` is tried with either sign.
    fn bucket_of(&self, a: &LinearForm, n: i64) -> Option<(LinearForm, LinearForm, i64)> {
        let in_bucket = |(q, r): (LinearForm, LinearForm)| {
            let b = self.bucket(&r, n)?;
            Some((q, r, b))
        };
        if let Some(found) = in_bucket(a.split(n)) {
            return Some(found);
        }
        let half = n.unsigned_abs().div_ceil(2);
        if a.coeffs().iter().all(|c| c.unsigned_abs() < half) {
            return None;
        }
        in_bucket(a.residue(n, false)).or_else(|| in_bucket(a.residue(n, true)))
    }

    /// The bucket `b` that contains all values of `x`: they lie in `b*n .. b*n + n-1`. `None` if no bucket contains
    /// them all.
    fn bucket(&self, x: &LinearForm, n: i64) -> Option<i64> {
        let (lo, hi) = range_by_terms(&self.graph, x).bounded()?;
        let b = floor_div(lo.into(), n.into());
        if b == floor_div(hi.into(), n.into()) { i64::try_from(b).ok() } else { None }
    }

    /// `(y // m) // n == y // (m*n)`, if the class `t` has a quotient `y // m`.
    fn nested(&mut self, t: Id, n: i64) -> Option<LinearForm> {
        if !self.facts(t).has(Operator::Div) {
            return None;
        }
        let (y, m) = self.nodes(t).iter().find_map(|node| {
            let Node::Div([y, m]) = node else { return None };
            let m = self.facts(*m).constant().filter(|m| m.unsigned_abs() > 1)?;
            // a quotient may be its own numerator, as -1//2 is -1. The recursion follows only older classes, so that it
            // ends
            Some((self.graph.find(*y), m)).filter(|(y, _)| *y < t)
        })?;
        let y = self.canonical(y);
        let to = self.div(&y, &LinearForm::constant(n.checked_mul(m)?))?;
        if self.traces_normal_forms() {
            let bound = [("m", BindingValue::Number(m)), ("n", BindingValue::Number(n))];
            let from = Matched::Quotient(Rc::new(LinearForm::atom(t)), n);
            self.note_normal_form(NormalForm::QuotientOfQuotient, from, &to, bound);
        }
        Some(to)
    }
}

/// The value of `b`, if it is a number above 1.
fn number(b: &LinearForm) -> Option<i64> {
    (b.is_constant() && b.constant > 1).then_some(b.constant)
}

#[cfg(test)]
pub(crate) mod tests;
