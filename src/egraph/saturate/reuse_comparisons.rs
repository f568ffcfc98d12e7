//! Comparisons that read a sum or a quotient which something else computes.
//!
//! They are added when all rules have been run, as the forms of `reuse.rs` are.

use super::reuse::Division;
use super::saturation::Saturation;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

/// A class that compares a sum with 0, the class of the sum, and the sum.
type Comparison = (Id, Id, Rc<LinearForm>);

impl Saturation<'_> {
    /// Equates comparisons with those of quotients that are there anyway: `x + n*y >= n*k == x//n + y >= k`.
    pub(super) fn compare_quotients(&mut self) {
        let quotients = self.divisions(Operator::Div);
        if quotients.is_empty() {
            return;
        }
        let sums = |q: Division| (self.e.canonical(q.class), self.e.canonical(q.x), q.n);
        let quotients: Vec<(Rc<LinearForm>, Rc<LinearForm>, i64)> = quotients.into_iter().map(sums).collect();
        let mut found = Vec::new();
        for comparison in self.comparisons() {
            let sum = quotients.iter().find_map(|(q, x, n)| divided(&comparison.2, q, x, *n));
            found.extend(sum.map(|sum| (comparison, sum)));
        }
        self.equate_comparisons(found, BuiltinStep::SharedBound);
    }

    /// Equates comparisons that ask whether some of their terms are not 0 with those of sums that are there anyway: the factors do not matter
    /// for terms that are never negative.
    pub(super) fn use_weights(&mut self) {
        let mut asked = self.comparisons();
        asked.retain(|(.., lin)| self.asks_for_terms(lin));
        if asked.is_empty() {
            return;
        }
        let there = [self.divided_sums(), self.compared_sums()].concat();
        let mut found = Vec::new();
        for comparison in asked {
            let sum = there.iter().find_map(|y| weighted(&comparison.2, y));
            found.extend(sum.map(|sum| (comparison, sum)));
        }
        self.equate_comparisons(found, BuiltinStep::SharedWeights);
    }

    fn comparisons(&self) -> Vec<Comparison> {
        let classes = self.classes_with(Operator::NonNeg).into_iter();
        let comparisons = classes.flat_map(|id| {
            self.e.nodes(id).iter().filter_map(move |node| match *node {
                Node::NonNeg([x]) => Some((id, x, self.e.canonical(x))),
                _ => None,
            })
        });
        comparisons.filter(|(.., lin)| lin.len() > 1).collect()
    }

    /// Whether `lin >= 0` asks for some term that is not 0, or for none, of several that are never negative.
    fn asks_for_terms(&self, lin: &LinearForm) -> bool {
        let unit = match lin.constant {
            -1 => 1,
            0 => -1,
            _ => return false,
        };
        lin.iter().all(|(c, t)| c == unit && self.e.facts(t).interval.is_nonneg())
    }

    fn equate_comparisons(&mut self, found: Vec<(Comparison, LinearForm)>, step: BuiltinStep) {
        let mut nodes = Vec::new();
        for ((id, x, _), sum) in found {
            nodes.extend(self.e.class_of(&sum).map(|y| (id, Node::NonNeg([x]), Node::NonNeg([y]))));
        }
        self.equate(nodes, step);
    }
}

/// A sum with the quotient `q == x//n` that is not negative where `lin` is not: `x + n*y >= 0 == q + y >= 0`, and
/// `n*y + n-1 - x >= 0 == y - q >= 0`.
fn divided(lin: &LinearForm, q: &LinearForm, x: &LinearForm, n: i64) -> Option<LinearForm> {
    [(1, 0), (-1, n - 1)].into_iter().find_map(|(sign, left)| {
        let (multiple, rest) = lin.plus(-sign, x)?.split(n);
        if !rest.is_constant() || rest.constant != left || multiple.is_constant() {
            return None;
        }
        multiple.plus(sign, q)
    })
}

/// The sum of the terms of `lin`, which asks for some of them, with the factors of `y`, where these are others.
fn weighted(lin: &LinearForm, y: &LinearForm) -> Option<LinearForm> {
    if y.terms() != lin.terms() {
        return None;
    }
    let sign = lin.coeffs()[0];
    let sum = y.terms_only().scaled(sign.checked_mul(y.coeffs()[0].signum())?)?;
    let is_weighted = sum.coeffs() != lin.coeffs() && sum.coeffs().iter().all(|c| c.signum() == sign);
    if is_weighted { sum.plus_constant(lin.constant) } else { None }
}
