//! Normal forms of comparisons, booleans, selections and extrema, made while a node is created.

use super::firing::{Before, BoundTo};
use super::graph::EClasses;
use super::lin::Lin;
use super::node::{Head, Ids, Node};
use crate::domain::floor_mod;
use egg::Id;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

impl EClasses {
    /// `lin >= 0`.
    pub(crate) fn nonneg(&mut self, lin: &Lin) -> Option<Id> {
        if self.has_ends {
            if self.proves_nonneg(lin) {
                return Some(self.add(Node::Const(1)));
            }
            if lin.scaled(-1).and_then(|l| l.plus_constant(-1)).is_some_and(|l| self.proves_nonneg(&l)) {
                return Some(self.add(Node::Const(0)));
            }
        }
        self.compared(lin, false)
    }

    /// `lin == 0`, with the sign of the first term made positive.
    pub(crate) fn zero(&mut self, lin: &Lin) -> Option<Id> {
        let lin = self.expand(lin)?;
        let lin = if lin.coeffs().first().is_some_and(|c| *c < 0) { Cow::Owned(lin.scaled(-1)?) } else { lin };
        self.compared(&lin, true)
    }

    /// `lin >= 0`, or `lin == 0`, without a factor of all coefficients: rules `compare-common-factor` and
    /// `equal-common-factor`.
    fn compared(&mut self, lin: &Lin, zero: bool) -> Option<Id> {
        let node = |x: Id| if zero { Node::Zero([x]) } else { Node::NonNeg([x]) };
        let rule = if zero { self.at_once.equal_factor } else { self.at_once.compare_factor };
        if let Some(rule) = rule
            && lin.content() > 1
        {
            let sum = self.expand(lin)?.into_owned();
            // 0 where only a number is left
            let g = sum.content();
            if g > 1 && (!zero || floor_mod(sum.constant.into(), g.into()) == 0) {
                let q = sum.split(g).0;
                let id = match self.of_condition(&q, zero) {
                    Some(id) => id,
                    None => {
                        let x = self.class_of(&q)?;
                        self.add(node(x))
                    }
                };
                if self.collects() {
                    let bound = [("x", self.bound_to(&sum)), ("g", BoundTo::Number(g)), ("q", self.bound_to(&q))];
                    self.note(rule, Before::Comparison { sum: Rc::new(sum), zero }, &Lin::atom(id), bound);
                }
                return Some(id);
            }
        }
        if let Some(id) = self.of_condition(lin, zero) {
            return Some(id);
        }
        let x = self.class_of(lin)?;
        Some(self.add(node(x)))
    }

    /// `c*b + k`, compared, where `b` is an equality, a negation or a junction: `b`, its negation, or known. Rules say the
    /// same of `b` that is a comparison.
    fn of_condition(&mut self, lin: &Lin, zero: bool) -> Option<Id> {
        let &[b] = lin.terms() else { return None };
        let facts = self.facts(b);
        let conditions = Head::bits(&[Head::Zero, Head::Not, Head::And, Head::Or]);
        if facts.heads & conditions == 0 || facts.has(Head::NonNeg) || facts.constant().is_some() {
            return None;
        }
        let holds = |value: i128| if zero { value == 0 } else { value >= 0 };
        let k = i128::from(lin.constant);
        match (holds(k), holds(k + i128::from(lin.coeffs()[0]))) {
            (true, true) => Some(self.add(Node::Const(1))),
            (false, false) => Some(self.add(Node::Const(0))),
            (false, true) => Some(self.graph.find(b)),
            (true, false) => self.not(b),
        }
    }

    /// `x` as 0 or 1.
    pub(crate) fn truth(&mut self, x: Id) -> Option<Id> {
        if self.facts(x).is_bool() {
            return Some(self.graph.find(x));
        }
        let z = self.zero(&Lin::atom(x))?;
        self.not(z)
    }

    /// [`truth`](Self::truth) of what the input negates or selects by; numbers among that are written so in the answer.
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

    /// `not x` for `x` in 0 or 1.
    pub(crate) fn not(&mut self, x: Id) -> Option<Id> {
        let x = self.graph.find(x);
        if let Some(c) = self.facts(x).constant() {
            return Some(self.add(Node::Const(i64::from(c == 0))));
        }
        for n in self.nodes(x) {
            match n {
                Node::Not([y]) => return Some(self.graph.find(*y)),
                Node::NonNeg([y]) => {
                    let l = self.canonical(*y).scaled(-1)?.plus_constant(-1)?;
                    return self.nonneg(&l);
                }
                _ => {}
            }
        }
        Some(self.add(Node::Not([x])))
    }

    /// `and` (or `or`) of values in 0 or 1: flat, sorted, without repetition.
    pub(crate) fn junction(&mut self, and: bool, operands: &[Id]) -> Id {
        let absorbing = i64::from(!and);
        let mut ids: Ids = SmallVec::new();
        for &x in operands {
            let x = self.graph.find(x);
            if let Some(c) = self.facts(x).constant() {
                if c == absorbing {
                    return self.add(Node::Const(absorbing));
                }
                continue;
            }
            let nested = self.nodes(x).iter().find_map(|n| match n {
                Node::And(y) if and => Some(y.clone()),
                Node::Or(y) if !and => Some(y.clone()),
                _ => None,
            });
            match nested {
                Some(y) => ids.extend(y.iter().map(|&i| self.graph.find(i))),
                None => ids.push(x),
            }
        }
        ids.sort_unstable();
        ids.dedup();
        match &*ids {
            [] => self.add(Node::Const(1 - absorbing)),
            &[x] => x,
            _ => self.add(if and { Node::And(ids) } else { Node::Or(ids) }),
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

    /// `min` or `max`, operands sorted.
    pub(crate) fn extremum(&mut self, min: bool, a: Id, b: Id) -> Id {
        let (a, b) = (self.graph.find(a), self.graph.find(b));
        if a == b {
            return a;
        }
        let pair = if a < b { [a, b] } else { [b, a] };
        self.add(if min { Node::Min(pair) } else { Node::Max(pair) })
    }
}

#[cfg(test)]
mod tests;
