//! Quotients by numbers, and the rules that are applied to them at once ([`super::at_once`]).
//!
//! Of many quotients that expressions and rules make, the numerator's coefficients and ranges tell the value in sums, or
//! that it is another quotient.

use super::facts::lin_facts;
use super::firing::{Before, BoundTo};
use super::graph::EClasses;
use super::lin::Lin;
use super::node::{Head, Node};
use crate::domain::floor_div;
use crate::rules::program::AtOnce;
use std::rc::Rc;

impl EClasses {
    /// `a // b`. The caller knows that `b` is never 0.
    pub(crate) fn div(&mut self, a: &Lin, b: &Lin) -> Option<Lin> {
        let at_once = number(b).and_then(|n| self.in_one_bucket(a, n).or_else(|| self.nested(a, n)));
        at_once.or_else(|| self.div_as_it_is(a, b))
    }

    /// The same for a remainder `a % b`: a quotient of a quotient stays one, because `(x//m) % n` is found by it.
    pub(crate) fn div_for_remainder(&mut self, a: &Lin, b: &Lin) -> Option<Lin> {
        let at_once = number(b).and_then(|n| self.in_one_bucket(a, n));
        at_once.or_else(|| self.div_as_it_is(a, b))
    }

    /// `a % b` as one operation, without the terms of `a` once more.
    pub(crate) fn remainder_as_it_is(&mut self, a: &Lin, b: &Lin) -> Option<Lin> {
        if let Some(q) = number(b).and_then(|n| self.in_one_bucket(a, n)) {
            // the terms of the quotient leave the sum
            return a.plus(-1, &self.mul(&q, b)?);
        }
        let (a, b) = (self.class_of(a)?, self.class_of(b)?);
        Some(Lin::atom(self.add(Node::Mod([a, b]))))
    }

    fn div_as_it_is(&mut self, a: &Lin, b: &Lin) -> Option<Lin> {
        if b.is_constant() {
            if b.constant == 1 {
                return Some(a.clone());
            }
            if b.constant == 0 {
                return None;
            }
            if a.is_constant() {
                let q = floor_div(a.constant as i128, b.constant as i128);
                return Some(Lin::constant(i64::try_from(q).ok()?));
            }
        }
        let (a, b) = (self.class_of(a)?, self.class_of(b)?);
        Some(Lin::atom(self.add(Node::Div([a, b]))))
    }

    /// `a // n == q + b` where `a == n*q + r` and `r` stays within `b*n .. b*n + n-1`: rules `div-one-bucket`, with the terms
    /// whose coefficients `n` divides in `q`, and `congruence`, with coefficients of least absolute value in `r`.
    fn in_one_bucket(&mut self, a: &Lin, n: i64) -> Option<Lin> {
        let AtOnce { one_bucket, congruence, .. } = self.at_once;
        if a.is_constant() || one_bucket.is_none() && congruence.is_none() {
            return None;
        }
        let a = self.expand(a)?;
        let found = |rule: Option<u16>, (q, r): (Lin, Lin)| Some((rule?, self.bucket(&r, n)?, q, r));
        let (rule, b, q, r) = found(one_bucket, a.split(n)).or_else(|| {
            // with coefficients that are of least absolute value, this is the same
            let reducible = a.coeffs().iter().any(|c| c.unsigned_abs() > n.unsigned_abs() >> 1);
            if reducible { found(congruence, a.residue(n, false)) } else { None }
        })?;
        let to = q.clone().plus_constant(b)?;
        if self.collects() {
            let sum = |x: &Lin| self.bound_to(x);
            let bound =
                [("x", sum(&a)), ("n", BoundTo::Number(n)), ("q", sum(&q)), ("r", sum(&r)), ("b", BoundTo::Number(b))];
            self.note(rule, Before::Quotient(Rc::new(a.into_owned()), n), &to, bound);
        }
        Some(to)
    }

    /// The one multiple of `n` in which `x` lies, by number.
    fn bucket(&self, x: &Lin, n: i64) -> Option<i64> {
        let (lo, hi) = lin_facts(&self.graph, x).0.bounded()?;
        let b = floor_div(lo.into(), n.into());
        if b == floor_div(hi.into(), n.into()) { i64::try_from(b).ok() } else { None }
    }

    /// `(y // m) // n == y // (m*n)`: rule `nested-division`, where nothing stands beside the inner quotient.
    fn nested(&mut self, a: &Lin, n: i64) -> Option<Lin> {
        let rule = self.at_once.nested?;
        let a = self.expand(a)?;
        let t = a.as_atom()?;
        if !self.facts(t).has(Head::Div) {
            return None;
        }
        let (y, m) = self.nodes(t).iter().find_map(|node| {
            let Node::Div([y, m]) = node else { return None };
            let m = self.facts(*m).constant().filter(|m| *m > 1)?;
            // where -1//2 is -1, a quotient is its own numerator: towards older classes this ends
            Some((self.graph.find(*y), m)).filter(|(y, _)| *y < t)
        })?;
        let y = self.canonical(y);
        let to = self.div(&y, &Lin::constant(n.checked_mul(m)?))?;
        if self.collects() {
            let bound = [("m", BoundTo::Number(m)), ("n", BoundTo::Number(n))];
            self.note(rule, Before::Quotient(Rc::new(a.into_owned()), n), &to, bound);
        }
        Some(to)
    }
}

/// A divisor that is a number above 1.
fn number(b: &Lin) -> Option<i64> {
    (b.is_constant() && b.constant > 1).then_some(b.constant)
}

#[cfg(test)]
pub(super) mod tests;
