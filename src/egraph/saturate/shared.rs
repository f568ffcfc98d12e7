//! Forms that pay only where something else computes a part of them, such as the remainder of a sum that is compared as well.
//!
//! What goes in is an e-graph on which all rules have been run, so that it holds what may be computed; what comes out is the same e-graph
//! with these forms in their classes. The extraction decides whether they pay. Comparisons are in `shared_comparisons.rs`.

use super::search::Saturation;
use crate::egraph::build::spellings::spellings;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::egraph::trace::firing::{Cause, Firing, Matched};
use crate::integer::floor_mod;
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Power of two of the sums that are compared with one other in the time of one step of a [`Budget`](crate::egraph::build::budget::Budget).
const COMPARED_IN_ONE_STEP: u32 = 6;

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
        let by_operands: FxHashMap<(Id, i64), Id> = quotients.iter().map(|q| ((q.x, q.n), q.class)).collect();
        let mut found = Vec::new();
        for whole in quotients.iter().filter(|q| q.n.count_ones() > 1) {
            // the quotient by the largest `m`, and what is left to divide it by
            let shift = |k: u32| Some((1i64 << k, *by_operands.get(&(whole.x, whole.n >> k))?));
            if let Some((k, q)) = (1..=whole.n.trailing_zeros()).find_map(shift) {
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
        let by_operands: FxHashMap<(Id, i64), Id> = remainders.iter().map(|r| ((r.x, r.n), r.class)).collect();
        let mut found = Vec::new();
        for digit in &remainders {
            // they stand in the order of their classes
            let first = quotients.partition_point(|q| q.class < digit.x);
            for q in quotients[first..].iter().take_while(|q| q.class == digit.x) {
                let there = q.n.checked_mul(digit.n).and_then(|modulus| by_operands.get(&(q.x, modulus)));
                found.extend(
                    there.map(|&r| (digit.class, Node::Mod([digit.x, digit.divisor]), Node::Div([r, q.divisor]))),
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
            if !self.may_compare(sums.divided.len() + sums.compared.len()) {
                break;
            }
            for sum in sums.congruent(&self.e.canonical(x), n).into_iter().flatten() {
                let y = self.e.class_of(&sum);
                found.extend(y.map(|y| (class, Node::Mod([x, divisor]), Node::Mod([y, divisor]))));
            }
        }
        self.equate(found, BuiltinStep::SharedSum);
    }

    /// Whether the call may still compare a sum with so many others, which is counted then.
    pub(super) fn may_compare(&self, others: usize) -> bool {
        self.e.budget.spend(1 + (others >> COMPARED_IN_ONE_STEP) as u64)
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
        let is_multiple = |a: i64, b: i64| floor_mod(i128::from(a) - i128::from(b), n.into()) == 0;
        // no sum is made for the many that are not
        let are_congruent = |y: &LinearForm, sign: i64| {
            let mut pairs = y.coeffs().iter().zip(x.coeffs());
            y.terms() == x.terms()
                && pairs.clone().any(|(&a, &b)| a.checked_mul(sign) != Some(b))
                && pairs.all(|(&a, &b)| a.checked_mul(sign).is_some_and(|a| is_multiple(a, b)))
        };
        let is_divided = |y: &&Rc<LinearForm>| is_multiple(y.constant, x.constant) && are_congruent(y, 1);
        let divided = self.divided.iter().find(is_divided).map(|y| (**y).clone());
        let compared = self.compared.iter().find_map(|y| {
            // the sign with which comparisons of one sum share it comes first
            let sign = if *y.coeffs().first()? < 0 { -1 } else { 1 };
            let sign = [sign, -sign].into_iter().find(|&sign| are_congruent(y, sign))?;
            y.terms_only().scaled(sign)?.plus_constant(x.constant)
        });
        [divided, compared]
    }
}
