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

/// Compared sums that are looked at.
const MAX_SUMS: usize = 32;

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

    /// Equates remainders with those of sums of the same terms that are compared: `x%n == y%n` where `n` divides `y - x`.
    fn use_compared_sums(&mut self) {
        let e = &self.e;
        let remainders = self.classes_with(Operator::Mod).into_iter().flat_map(|id| {
            e.nodes(id).iter().filter_map(move |node| match *node {
                Node::Mod([x, n]) => Some((id, x, n)),
                _ => None,
            })
        });
        let several = remainders.filter(|&(_, x, _)| e.facts(x).has(Operator::Sum)).collect::<Vec<_>>();
        let compared = if several.is_empty() { return } else { self.compared_sums() };
        let mut found = Vec::new();
        for (id, x, divisor) in several {
            let Some(n) = self.e.facts(divisor).constant().filter(|n| *n > 1) else { continue };
            let own = self.e.canonical(x);
            let is_congruent = |sum: &&LinearForm| {
                sum.terms() == own.terms() && sum.coeffs() != own.coeffs() && is_congruent(sum, &own, n)
            };
            if let Some(sum) = compared.iter().find(is_congruent) {
                found.push((id, Node::Mod([x, divisor]), sum.clone(), divisor));
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

    /// The sums of several terms that are compared, without constants, and with either sign: a comparison takes both.
    fn compared_sums(&self) -> Vec<LinearForm> {
        let mut sums: Vec<LinearForm> = Vec::new();
        let of_both_kinds = [Operator::NonNeg, Operator::Zero].map(|operator| self.classes_with(operator));
        for node in of_both_kinds.iter().flatten().flat_map(|&id| self.e.nodes(id)) {
            let Some((_, x)) = Relation::of(node) else { continue };
            let sum = self.e.canonical(x).terms_only();
            if sum.len() > 1 && !sums.contains(&sum) {
                sums.extend(sum.scaled(-1));
                sums.push(sum);
            }
            if sums.len() >= MAX_SUMS {
                break;
            }
        }
        sums
    }
}

/// Whether `n` divides `y - x`, two sums of the same terms.
fn is_congruent(y: &LinearForm, x: &LinearForm, n: i64) -> bool {
    let pairs = y.coeffs().iter().zip(x.coeffs()).chain([(&y.constant, &x.constant)]);
    pairs.into_iter().all(|(&a, &b)| floor_mod(i128::from(a) - i128::from(b), n.into()) == 0)
}
