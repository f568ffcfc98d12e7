//! Forms that pay only where something else computes a part of them, such as the remainder of a sum that is compared as well.
//!
//! What goes in is an e-graph on which all rules have been run, so that it holds what may be computed; what comes out is the same e-graph
//! with these forms in their classes. The extraction decides whether they pay. Comparisons are in `reuse_comparisons.rs`.

use super::saturation::Saturation;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::normal::spellings::spellings;
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::egraph::trace::firing::{Cause, Firing, Matched};
use crate::integer::floor_mod;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

impl Saturation<'_> {
    /// Adds all forms with parts that something else computes.
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
        let quotients = self.divisions(Operator::Div);
        let mut found = Vec::new();
        for whole in &quotients {
            // the quotient by the largest `m`, and what is left to divide it by
            let shift = |part: &Division| {
                let k = whole.n.checked_div(part.n).filter(|k| *k > 1 && k.checked_mul(part.n) == Some(whole.n))?;
                let is_shift = part.x == whole.x && k.count_ones() == 1 && part.n.count_ones() > 1;
                is_shift.then_some((k, part.class))
            };
            if let Some((k, q)) = quotients.iter().filter_map(shift).min() {
                let k = self.e.add(Node::Const(k));
                found.push((whole.class, Node::Div([whole.x, whole.divisor]), Node::Div([q, k])));
            }
        }
        self.equate(found, BuiltinStep::SharedQuotient);
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
        let remainders = self.divisions(Operator::Mod);
        if remainders.len() < 2 {
            return;
        }
        let quotients = self.divisions(Operator::Div);
        let mut found = Vec::new();
        for digit in &remainders {
            for q in quotients.iter().filter(|q| q.class == digit.x) {
                let modulus = q.n.checked_mul(digit.n);
                let there = remainders.iter().find(|r| r.x == q.x && Some(r.n) == modulus);
                found.extend(
                    there.map(|r| (digit.class, Node::Mod([digit.x, digit.divisor]), Node::Div([r.class, q.divisor]))),
                );
            }
        }
        self.equate(found, BuiltinStep::SharedDigit);
    }

    /// Equates remainders with those of sums of the same terms that are there anyway: `x%n == y%n` where `n` divides `y - x`.
    pub(crate) fn use_sums(&mut self) {
        let mut remainders = self.divisions(Operator::Mod);
        remainders.retain(|r| self.e.facts(r.x).has(Operator::Sum));
        if remainders.is_empty() {
            return;
        }
        let sums = SumsThere { divided: self.divided_sums(), compared: self.compared_sums() };
        let mut found = Vec::new();
        for Division { class, x, divisor, n } in remainders {
            for sum in sums.congruent(&self.e.canonical(x), n).into_iter().flatten() {
                let y = self.e.class_of(&sum);
                found.extend(y.map(|y| (class, Node::Mod([x, divisor]), Node::Mod([y, divisor]))));
            }
        }
        self.equate(found, BuiltinStep::SharedSum);
    }

    /// Adds new nodes to classes: triples of a class, a node of it, and the node that is equal to that by `step`.
    pub(super) fn equate(&mut self, found: Vec<(Id, Node, Node)>, step: BuiltinStep) {
        let mut is_changed = false;
        for (id, old, new) in found {
            let equal = self.e.add(new);
            if self.e.graph.find(equal) == self.e.graph.find(id) {
                continue;
            }
            self.e.union(id, equal);
            is_changed = true;
            if let Some(t) = &mut self.trace {
                t.push(Firing { cause: Cause::Builtin(step), from: Matched::Node(old), to: LinearForm::atom(equal) });
            }
        }
        if is_changed {
            self.e.rebuild();
        }
    }

    /// The quotients, or remainders, by numbers.
    pub(super) fn divisions(&self, operator: Operator) -> Vec<Division> {
        let e = &self.e;
        let division = |class: Id, node: &Node| {
            let (Node::Div([x, divisor]) | Node::Mod([x, divisor])) = *node else { return None };
            let n = e.facts(divisor).constant().filter(|n| *n > 1)?;
            (node.operator() == operator).then(|| Division { class, x: e.graph.find(x), divisor, n })
        };
        let classes = self.classes_with(operator).into_iter();
        classes.flat_map(|id| e.nodes(id).iter().filter_map(move |node| division(id, node))).collect()
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

/// A quotient or remainder by a number.
pub(super) struct Division {
    pub(super) class: Id,
    /// The class of the numerator.
    pub(super) x: Id,
    /// The class of the number.
    pub(super) divisor: Id,
    pub(super) n: i64,
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
