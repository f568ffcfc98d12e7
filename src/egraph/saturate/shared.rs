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
use smallvec::SmallVec;
use std::rc::Rc;

impl Saturation<'_> {
    /// Adds the spellings with parts that are there anyway.
    pub(super) fn use_shared(&mut self) {
        let operators = self.e.graph.analysis.operators;
        if operators & Operator::bits(&[Operator::Div]) != 0 {
            self.use_quotients();
        }
        if operators & Operator::bits(&[Operator::Mod]) == 0 {
            return;
        }
        self.use_remainders();
        self.use_sums();
    }

    /// The classes with a node of this operator, in order.
    fn classes_with(&self, operator: Operator) -> Vec<Id> {
        let e = &self.e;
        let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).filter(|&id| e.facts(id).has(operator)).collect();
        ids.sort_unstable();
        ids
    }

    /// Equates quotients with shifts of quotients that are there anyway: `x//(m*2^k) == (x//m)//2^k`, where `m` is no power of two.
    fn use_quotients(&mut self) {
        let mut quotients: SmallVec<[(Id, Id, i64); 8]> = SmallVec::new();
        for id in self.classes_with(Operator::Div) {
            quotients.extend(self.e.nodes(id).iter().filter_map(|node| match *node {
                Node::Div([x, n]) => {
                    let n = self.e.facts(n).constant().filter(|n| *n > 2)?;
                    Some((id, self.e.graph.find(x), n))
                }
                _ => None,
            }));
        }
        for (i, &(id, x, n)) in quotients.iter().enumerate() {
            let shift = |&(q, y, m): &(Id, Id, i64)| {
                let k = n.checked_div(m).filter(|k| k.checked_mul(m) == Some(n) && *k > 1)?;
                (y == x && k.is_positive() && k.count_ones() == 1 && m.count_ones() > 1).then_some((q, k, m))
            };
            let others = quotients.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, quotient)| quotient);
            // the one that is divided least
            let Some((q, k, _)) = others.filter_map(shift).min_by_key(|(q, k, _)| (*k, *q)) else { continue };
            let k = self.e.add(Node::Const(k));
            let equal = self.e.add(Node::Div([q, k]));
            if self.e.graph.find(equal) != self.e.graph.find(id) {
                self.e.union(id, equal);
                if let Some(t) = &mut self.trace {
                    let cause = Cause::Builtin(BuiltinStep::SharedQuotient);
                    let divisor = self.e.add(Node::Const(n));
                    t.push(Firing { cause, from: Matched::Node(Node::Div([x, divisor])), to: LinearForm::atom(equal) });
                }
            }
        }
        self.e.rebuild();
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

    /// Equates remainders with those of sums of the same terms that are there anyway: `x%n == y%n` where `n` divides `y - x`.
    fn use_sums(&mut self) {
        let mut found = Vec::new();
        for id in self.classes_with(Operator::Mod) {
            for node in self.e.nodes(id) {
                let &Node::Mod([x, divisor]) = node else { continue };
                let e = &self.e;
                let n = e.facts(divisor).constant().filter(|n| *n > 1 && e.facts(x).has(Operator::Sum));
                let sums = n.map_or([None, None], |n| self.congruent_sums(&e.canonical(x), n));
                found.extend(sums.into_iter().flatten().map(|sum| (id, node.clone(), sum, divisor)));
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

    /// A sum that is divided and one that is compared, which have the terms of `x` but other coefficients, and differ from `x` by a multiple of
    /// `n`. A comparison takes either sign of its sum, and any constant.
    fn congruent_sums(&self, x: &LinearForm, n: i64) -> [Option<LinearForm>; 2] {
        let is_multiple = |c: i128| floor_mod(c, n.into()) == 0;
        let is_congruent = |y: &LinearForm, sign: i128| {
            let pairs = y.coeffs().iter().zip(x.coeffs());
            let mut differences = pairs.map(|(&a, &b)| i128::from(a) * sign - i128::from(b));
            differences.clone().any(|d| d != 0) && differences.all(is_multiple)
        };
        let operands = |operator: Operator, operand: fn(&Node) -> Option<Id>| {
            let nodes = self.classes_with(operator).into_iter().flat_map(|id| self.e.nodes(id));
            nodes.filter_map(operand).map(|y| self.e.canonical(y)).filter(|y| y.terms() == x.terms())
        };
        let divided = |node: &Node| if let Node::Div([y, _]) = node { Some(*y) } else { None };
        let is_divided =
            |y: &Rc<LinearForm>| is_multiple(i128::from(y.constant) - i128::from(x.constant)) && is_congruent(y, 1);
        let divided = operands(Operator::Div, divided).find(is_divided).map(|y| (*y).clone());
        if !is_multiple(x.constant.into()) {
            return [divided, None];
        }
        let compared = |node: &Node| Relation::of(node).map(|(_, y)| y);
        let mut compared = operands(Operator::NonNeg, compared).chain(operands(Operator::Zero, compared));
        let compared = compared.find_map(|y| {
            let sign = [1, -1].into_iter().find(|&sign| is_congruent(&y, sign.into()))?;
            y.terms_only().scaled(sign)
        });
        [divided, compared]
    }
}
