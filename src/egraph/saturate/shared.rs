//! Spellings that pay only where something else computes a part of them. They are made when all rules have been run, for then it is known
//! what is computed.

use super::search::Saturation;
use crate::egraph::build::spellings::spellings;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::egraph::trace::firing::{Cause, Firing, Matched};
use crate::integer::floor_mod;
use crate::rules::operator::Operator;
use egg::Id;

impl Saturation<'_> {
    /// Adds the spellings with parts that are there anyway.
    pub(super) fn use_shared(&mut self) {
        let operators = self.e.graph.analysis.operators;
        if operators & Operator::bits(&[Operator::Mod]) == 0 {
            return;
        }
        self.use_remainders();
        if operators & Operator::bits(&[Operator::NonNeg, Operator::Zero]) != 0 {
            self.use_compared_sums();
        }
    }

    /// The classes with a node of this operator, in order.
    fn classes_with(&self, operator: Operator) -> Vec<Id> {
        let e = &self.e;
        let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).filter(|&id| e.facts(id).has(operator)).collect();
        ids.sort_unstable();
        ids
    }

    /// Spells sums with remainders that are there anyway: `a*X + f*n*(X//n) == (a + f)*X - f*(X%n)`.
    fn use_remainders(&mut self) {
        for id in self.classes_with(Operator::Sum) {
            for spelling in spellings(self.e, id) {
                for (c, q) in spelling.iter() {
                    if let Some(lin) = self.e.with_remainder(&spelling, c, q)
                        && self.e.facts(id).spellings.iter().all(|f| *f.lin != lin)
                        && self.e.add_spelling(id, lin.clone())
                        && let Some(t) = &mut self.trace
                    {
                        let cause = Cause::Builtin(BuiltinStep::SharedRemainder);
                        t.push(Firing { cause, from: Matched::Sum(spelling.clone()), to: lin });
                    }
                }
            }
        }
    }

    /// Equates remainders with those of sums of the same terms that are compared: `x%n == y%n` where `n` divides `y - x`. A comparison takes
    /// either sign of its sum, and any constant.
    fn use_compared_sums(&mut self) {
        let mut found = Vec::new();
        for id in self.classes_with(Operator::Mod) {
            for node in self.e.nodes(id) {
                let &Node::Mod([x, divisor]) = node else { continue };
                let e = &self.e;
                let n = e.facts(divisor).constant().filter(|n| *n > 1 && e.facts(x).has(Operator::Sum));
                if let Some(sum) = n.and_then(|n| self.compared_sum(&e.canonical(x), n)) {
                    found.push((id, node.clone(), sum, divisor));
                }
            }
        }
        for (id, own, sum, divisor) in &found {
            let Some(y) = self.e.class_of(sum) else { continue };
            let equal = self.e.add(Node::Mod([y, *divisor]));
            self.e.union(*id, equal);
            if let Some(t) = &mut self.trace {
                let cause = Cause::Builtin(BuiltinStep::SharedSum);
                t.push(Firing { cause, from: Matched::Node(own.clone()), to: LinearForm::atom(equal) });
            }
        }
        if !found.is_empty() {
            self.e.rebuild();
        }
    }

    /// A sum that is compared, without its constant, which has the terms of `x` but other coefficients, and differs from `x` by a multiple of `n`.
    fn compared_sum(&self, x: &LinearForm, n: i64) -> Option<LinearForm> {
        let is_multiple = |c: i128| floor_mod(c, n.into()) == 0;
        if !is_multiple(x.constant.into()) {
            return None;
        }
        let compared = [Operator::NonNeg, Operator::Zero].into_iter().flat_map(|operator| self.classes_with(operator));
        let sums = compared.flat_map(|id| self.e.nodes(id)).filter_map(Relation::of).map(|(_, y)| self.e.canonical(y));
        sums.filter(|y| y.terms() == x.terms()).find_map(|y| {
            let sign = [1, -1].into_iter().find(|sign| {
                let pairs = y.coeffs().iter().zip(x.coeffs());
                let mut differences = pairs.map(|(&a, &b)| i128::from(a) * sign - i128::from(b));
                differences.clone().any(|d| d != 0) && differences.all(is_multiple)
            })?;
            y.terms_only().scaled(i64::try_from(sign).ok()?)
        })
    }
}
