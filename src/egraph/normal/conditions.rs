//! Normal forms of comparisons, booleans, selections and extrema. These forms are applied when a node is made.

use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Extremum, Ids, Node, Relation};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::symbolic_bounds::proves_nonneg;
use crate::egraph::trace::firing::{BindingValue, Matched};
use crate::egraph::trace::normal_form::NormalForm;
use crate::expr::Junction;
use crate::rules::operator::Operator;
use egg::Id;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

impl EGraph {
    /// `lin >= 0`.
    pub(crate) fn nonneg(&mut self, lin: &LinearForm) -> Option<Id> {
        if self.has_ends {
            if proves_nonneg(self, lin) {
                return Some(self.add(Node::Const(1)));
            }
            if lin.complement().is_some_and(|l| proves_nonneg(self, &l)) {
                return Some(self.add(Node::Const(0)));
            }
        }
        self.nonneg_without_factor(lin)
    }

    /// `lin == 0`. The sign of `lin` is chosen so that its first coefficient is positive.
    pub(crate) fn zero(&mut self, lin: &LinearForm) -> Option<Id> {
        let lin = self.canonical_deep(lin)?;
        let lin = if lin.coeffs().first().is_some_and(|c| *c < 0) { Cow::Owned(lin.scaled(-1)?) } else { lin };
        self.comparison(&lin, Relation::Zero)
    }

    /// `lin >= 0`, divided by the common factor of all coefficients.
    fn nonneg_without_factor(&mut self, lin: &LinearForm) -> Option<Id> {
        let divided = if lin.content() > 1 { self.without_common_factor(lin) } else { None };
        let Some((sum, q)) = divided else { return self.comparison(lin, Relation::NonNegative) };
        let id = self.comparison(&q, Relation::NonNegative)?;
        if self.traces_normal_forms() {
            let bound = [("g", BindingValue::Number(sum.content())), ("q", self.bound_to(&q))];
            let from = Matched::Comparison { sum: Rc::new(sum), relation: Relation::NonNegative };
            self.note_normal_form(NormalForm::CompareCommonFactor, from, &LinearForm::atom(id), bound);
        }
        Some(id)
    }

    /// The canonical sum of `lin`, and its quotient by the common factor of the coefficients. `None` if the factor is
    /// not above 1.
    fn without_common_factor(&self, lin: &LinearForm) -> Option<(LinearForm, LinearForm)> {
        let sum = self.canonical_deep(lin)?.into_owned();
        // 0 if the sum is only a number
        let g = sum.content();
        let q = (g > 1).then(|| sum.split(g).0)?;
        Some((sum, q))
    }

    /// The class of `lin >= 0` or `lin == 0`. `lin` is not simplified further.
    fn comparison(&mut self, lin: &LinearForm, relation: Relation) -> Option<Id> {
        if let Some(id) = self.of_condition(lin, relation) {
            return Some(id);
        }
        let x = self.class_of(lin)?;
        Some(self.add(relation.node(x)))
    }

    /// The comparison of `c*b + k` with 0 if `b` is an equality, a negation or a junction. The result is `b`, its
    /// negation or a constant. If `b` is a `>=` comparison, rules do this instead.
    fn of_condition(&mut self, lin: &LinearForm, relation: Relation) -> Option<Id> {
        let &[b] = lin.terms() else { return None };
        let facts = self.facts(b);
        let conditions = Operator::bits(&[Operator::Zero, Operator::Not, Operator::And, Operator::Or]);
        if facts.operators & conditions == 0 || facts.has(Operator::NonNeg) || facts.constant().is_some() {
            return None;
        }
        let k = i128::from(lin.constant);
        match (relation.holds(k), relation.holds(k + i128::from(lin.coeffs()[0]))) {
            (true, true) => Some(self.add(Node::Const(1))),
            (false, false) => Some(self.add(Node::Const(0))),
            (false, true) => Some(self.graph.find(b)),
            (true, false) => self.not(b),
        }
    }

    /// `x` as 0 or 1: whether `x` is not 0.
    pub(crate) fn truth(&mut self, x: Id) -> Option<Id> {
        if self.facts(x).is_bool() {
            return Some(self.graph.find(x));
        }
        let z = self.zero(&LinearForm::atom(x))?;
        self.not(z)
    }

    /// [`truth`](Self::truth) of a value that the input negates, or uses as the condition of a selection. If the value
    /// is a number, the answer may use the number as a condition too.
    pub(crate) fn condition(&mut self, x: Id) -> Option<Id> {
        let x = self.graph.find(x);
        if !self.facts(x).is_bool() {
            self.conditions.insert(x);
        }
        self.truth(x)
    }

    /// Whether the input uses the number `x` as a condition.
    pub(crate) fn is_condition(&self, x: Id) -> bool {
        !self.conditions.is_empty() && self.conditions.contains(&self.graph.find(x)) && !self.facts(x).is_bool()
    }

    /// `not x`, if `x` is 0 or 1.
    pub(crate) fn not(&mut self, x: Id) -> Option<Id> {
        let x = self.graph.find(x);
        if let Some(c) = self.facts(x).constant() {
            return Some(self.add(Node::Const(i64::from(c == 0))));
        }
        for n in self.nodes(x) {
            match n {
                Node::Not([y]) => return Some(self.graph.find(*y)),
                Node::NonNeg([y]) => {
                    let l = self.canonical(*y).complement()?;
                    return self.nonneg(&l);
                }
                _ => {}
            }
        }
        Some(self.add(Node::Not([x])))
    }

    /// `and` or `or` of values that are 0 or 1. The clauses are flattened, sorted and without repetition. An equality
    /// stays one clause, although it is a conjunction of two comparisons.
    pub(crate) fn junction(&mut self, junction: Junction, operands: &[Id]) -> Id {
        let absorbing = i64::from(!junction.neutral());
        let mut ids: Ids = SmallVec::new();
        for &x in operands {
            let x = self.graph.find(x);
            if let Some(c) = self.facts(x).constant() {
                if c == absorbing {
                    return self.add(Node::Const(absorbing));
                }
                continue;
            }
            let nested = self.nodes(x).iter().filter_map(Node::clauses).find(|(inner, _)| *inner == junction);
            match nested {
                Some((_, y)) if !self.facts(x).has(Operator::Zero) => ids.extend(y.iter().map(|&i| self.graph.find(i))),
                _ => ids.push(x),
            }
        }
        ids.sort_unstable();
        ids.dedup();
        match &*ids {
            [] => self.add(Node::Const(1 - absorbing)),
            &[x] => x,
            _ => self.add(Node::of_clauses(junction, ids)),
        }
    }

    pub(crate) fn select(&mut self, c: Id, a: Id, b: Id) -> Id {
        let (c, a, b) = (self.graph.find(c), self.graph.find(a), self.graph.find(b));
        match self.facts(c).interval {
            i if i.as_point() == Some(0) => b,
            i if !i.contains(0) => a,
            _ if a == b => a,
            _ => {
                for n in self.nodes(c) {
                    if let Node::Not([d]) = n {
                        let d = self.graph.find(*d);
                        return self.add(Node::Select([d, b, a]));
                    }
                }
                self.add(Node::Select([c, a, b]))
            }
        }
    }

    /// The node of an operator whose operands commute: `min`, `max`, `&`, `|` or `^`.
    pub(crate) fn commuted(&mut self, operator: Operator, a: Id, b: Id) -> Option<Id> {
        let node = Node::pair(operator, if a <= b { [a, b] } else { [b, a] }).filter(|_| operator.commutes())?;
        Some(match Extremum::of(&node) {
            Some((extremum, _)) => self.extremum(extremum, a, b),
            None => self.add(node),
        })
    }

    /// `min` or `max` with sorted operands.
    pub(crate) fn extremum(&mut self, extremum: Extremum, a: Id, b: Id) -> Id {
        let (a, b) = (self.graph.find(a), self.graph.find(b));
        if a == b {
            return a;
        }
        let pair = if a < b { [a, b] } else { [b, a] };
        self.add(extremum.node(pair))
    }
}

#[cfg(test)]
mod tests;
