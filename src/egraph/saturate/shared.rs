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
    pub(crate) fn use_shared(&mut self) {
        let operators = self.e.graph.analysis.operators;
        if operators & Operator::bits(&[Operator::Div]) != 0 {
            self.use_quotients();
        }
        if operators & Operator::bits(&[Operator::Mod]) != 0 {
            self.use_remainders();
            self.use_digits();
            self.use_sums();
        }
        if operators & Operator::bits(&[Operator::NonNeg]) != 0 {
            self.compare_quotients();
            self.use_weights();
        }
        self.tell_normal_forms();
    }

    /// The classes with a node of this operator, in order.
    pub(super) fn classes_with(&self, operator: Operator) -> Vec<Id> {
        let e = &self.e;
        let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).filter(|&id| e.facts(id).has(operator)).collect();
        ids.sort_unstable();
        ids
    }

    /// Equates quotients with shifts of quotients that are there anyway: `x//(m*2^k) == (x//m)//2^k`, where `m` is no power of two.
    fn use_quotients(&mut self) {
        let quotients = self.quotients();
        let mut is_changed = false;
        for &(id, x, n) in &quotients {
            // the quotient by the largest `m`, and what is left to divide it by
            let shift = |&(q, y, m): &(Id, Id, i64)| {
                let k = n.checked_div(m).filter(|k| *k > 1 && k.checked_mul(m) == Some(n))?;
                (y == x && k.count_ones() == 1 && m.count_ones() > 1).then_some((k, q))
            };
            if let Some((k, q)) = quotients.iter().filter_map(shift).min() {
                let (k, n) = (self.e.add(Node::Const(k)), self.e.add(Node::Const(n)));
                is_changed |= self.equate(id, Node::Div([x, n]), Node::Div([q, k]), BuiltinStep::SharedQuotient);
            }
        }
        if is_changed {
            self.e.rebuild();
        }
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

    /// Equates remainders of quotients with quotients of remainders that are there anyway: `(x//m)%k == (x%(m*k))//m`.
    fn use_digits(&mut self) {
        let e = &self.e;
        let constant = |id: Id| e.facts(id).constant().filter(|n| *n > 1);
        let mut remainders: Vec<(Id, [Id; 2], i64)> = Vec::new();
        for id in self.classes_with(Operator::Mod) {
            remainders.extend(e.nodes(id).iter().filter_map(|node| match *node {
                Node::Mod([x, n]) => Some((id, [e.graph.find(x), n], constant(n)?)),
                _ => None,
            }));
        }
        if remainders.len() < 2 {
            return;
        }
        let mut found = Vec::new();
        for &(id, [q, k], factor) in &remainders {
            for node in e.nodes(q) {
                let Node::Div([x, m]) = *node else { continue };
                let n = constant(m).and_then(|m| m.checked_mul(factor));
                let x = e.graph.find(x);
                let there = remainders.iter().find(|&&(_, [y, _], modulus)| y == x && Some(modulus) == n);
                found.extend(there.map(|&(remainder, ..)| (id, Node::Mod([q, k]), Node::Div([remainder, m]))));
            }
        }
        let mut is_changed = false;
        for (id, old, new) in found {
            is_changed |= self.equate(id, old, new, BuiltinStep::SharedDigit);
        }
        if is_changed {
            self.e.rebuild();
        }
    }

    /// Equates remainders with those of sums of the same terms that are there anyway: `x%n == y%n` where `n` divides `y - x`.
    pub(crate) fn use_sums(&mut self) {
        let e = &self.e;
        let remainders = self.classes_with(Operator::Mod).into_iter().flat_map(|id| {
            e.nodes(id).iter().filter_map(move |node| match *node {
                Node::Mod([x, divisor]) if e.facts(x).has(Operator::Sum) => Some((id, x, divisor)),
                _ => None,
            })
        });
        let remainders: Vec<(Id, Id, Id)> = remainders.collect();
        if remainders.is_empty() {
            return;
        }
        let sums = SumsThere { divided: self.divided_sums(), compared: self.compared_sums() };
        let mut found = Vec::new();
        for (id, x, divisor) in remainders {
            let n = self.e.facts(divisor).constant().filter(|n| *n > 1);
            let congruent = n.map_or([None, None], |n| sums.congruent(&self.e.canonical(x), n));
            found.extend(congruent.into_iter().flatten().map(|sum| (id, Node::Mod([x, divisor]), sum, divisor)));
        }
        let mut is_changed = false;
        for (id, remainder, sum, divisor) in found {
            if let Some(y) = self.e.class_of(&sum) {
                is_changed |= self.equate(id, remainder, Node::Mod([y, divisor]), BuiltinStep::SharedSum);
            }
        }
        if is_changed {
            self.e.rebuild();
        }
    }

    /// Adds `new` to the class `id`, whose node `old` it is equal to by `step`; answers whether that is news.
    pub(super) fn equate(&mut self, id: Id, old: Node, new: Node, step: BuiltinStep) -> bool {
        let equal = self.e.add(new);
        if self.e.graph.find(equal) == self.e.graph.find(id) {
            return false;
        }
        self.e.union(id, equal);
        if let Some(t) = &mut self.trace {
            t.push(Firing { cause: Cause::Builtin(step), from: Matched::Node(old), to: LinearForm::atom(equal) });
        }
        true
    }

    /// The quotients by numbers: the class, that of the numerator, and the divisor.
    pub(super) fn quotients(&self) -> SmallVec<[(Id, Id, i64); 8]> {
        let e = &self.e;
        let mut quotients = SmallVec::new();
        for id in self.classes_with(Operator::Div) {
            quotients.extend(e.nodes(id).iter().filter_map(|node| match *node {
                Node::Div([x, n]) => Some((id, e.graph.find(x), e.facts(n).constant().filter(|n| *n > 1)?)),
                _ => None,
            }));
        }
        quotients
    }

    /// The numerators of all quotients.
    pub(super) fn divided_sums(&self) -> Vec<Rc<LinearForm>> {
        let nodes = self.classes_with(Operator::Div).into_iter().flat_map(|id| self.e.nodes(id));
        let numerator = |node: &Node| if let Node::Div([x, _]) = node { Some(self.e.canonical(*x)) } else { None };
        nodes.filter_map(numerator).collect()
    }

    /// The sums that are compared with 0.
    pub(super) fn compared_sums(&self) -> Vec<Rc<LinearForm>> {
        let classes = [Operator::NonNeg, Operator::Zero].map(|operator| self.classes_with(operator)).concat();
        let nodes = classes.into_iter().flat_map(|id| self.e.nodes(id));
        nodes.filter_map(Relation::of).map(|(_, x)| self.e.canonical(x)).collect()
    }
}

/// The sums of an e-graph that are operands of other operations.
struct SumsThere {
    divided: Vec<Rc<LinearForm>>,
    compared: Vec<Rc<LinearForm>>,
}

impl SumsThere {
    /// A sum that is divided and one that is compared, which differ from `x` by a multiple of `n`, and not in the constant alone. A comparison
    /// takes either sign of its sum, and any constant.
    fn congruent(&self, x: &LinearForm, n: i64) -> [Option<LinearForm>; 2] {
        let is_multiple = |c: i64| floor_mod(c.into(), n.into()) == 0;
        let is_congruent = |y: &LinearForm| {
            y.plus(-1, x).is_some_and(|d| {
                !d.is_constant() && is_multiple(d.constant) && d.coeffs().iter().all(|&c| is_multiple(c))
            })
        };
        let divided = self.divided.iter().find(|y| y.terms() == x.terms() && is_congruent(y)).map(|y| (**y).clone());
        let compared = self.compared.iter().filter(|y| y.terms() == x.terms()).find_map(|y| {
            // the sign with which comparisons of one sum share it comes first
            let sign = if *y.coeffs().first()? < 0 { -1 } else { 1 };
            let signed =
                [sign, -sign].into_iter().filter_map(|sign| y.terms_only().scaled(sign)?.plus_constant(x.constant));
            signed.into_iter().find(is_congruent)
        });
        [divided, compared]
    }
}
