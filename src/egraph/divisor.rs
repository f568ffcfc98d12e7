//! What is known of a divisor: every one is asked whether it can be 0.

use super::graph::EClasses;
use super::lin::Lin;
use super::node::Node;
use super::rows::{definition, division};
use crate::domain::{Congruence, Interval};
use egg::Id;
use std::rc::Rc;

/// Terms whose definitions are followed for one divisor.
const MAX_DEFINED: usize = 12;

impl EClasses {
    /// Whether the values of `divisor` leave out 0; what had to be proved for that is known of it from then on.
    pub(crate) fn leaves_out_zero(&mut self, divisor: Id) -> bool {
        let known = self.facts(divisor);
        if !known.interval.contains(0) || !known.congruence.contains(0) {
            return true;
        }
        let lin = self.canonical(divisor);
        if lin.is_constant() {
            return false;
        }
        let range = self.range_by_definitions(&lin);
        let proved = !range.contains(0);
        if proved {
            self.sharpen(divisor, range, Congruence::ANY);
        }
        proved
    }

    /// The range of `lin` that follows from what is assumed, from what the quotients in it are, and from the symbolic ends
    /// of its variables, all together: `s - s//2` is at least 1 where `s` is.
    fn range_by_definitions(&self, lin: &Lin) -> Interval {
        let mut rows = self.graph.analysis.rows.clone();
        let mut todo: Vec<Id> = lin.terms().to_vec();
        let mut done: Vec<Id> = Vec::new();
        while let Some(t) = todo.pop() {
            let t = self.graph.find(t);
            if done.contains(&t) || done.len() == MAX_DEFINED {
                continue;
            }
            done.push(t);
            for row in self.definitions_of(t) {
                todo.extend(row.terms());
                rows.push(Rc::new(row));
            }
        }
        let least = rows.least(&self.graph, lin);
        let most = lin.scaled(-1).and_then(|l| rows.least(&self.graph, &l)).and_then(i128::checked_neg);
        let (lo, hi) = (least.unwrap_or(i64::MIN.into()), most.unwrap_or(i64::MAX.into()));
        // ends that contradict one another say that there are no points, and nothing of a divisor
        if lo > hi { Interval::ALL } else { Interval::from_wide(lo, hi) }
    }

    /// Combinations that are at least 0 because of what `t` is.
    fn definitions_of(&self, t: Id) -> Vec<Lin> {
        let quotient = division(&self.graph, t).and_then(|(x, n)| definition(t, &x, n));
        let mut rows: Vec<Lin> = quotient.into_iter().flatten().collect();
        for node in self.nodes(t) {
            let Node::Var(v) = node else { continue };
            let (lower, upper) = &self.symbolic[*v as usize];
            let value = Lin::atom(t);
            let expanded = |end: &Option<Lin>| end.as_ref().and_then(|e| self.expand(e).map(|e| e.into_owned()));
            rows.extend(expanded(lower).and_then(|l| value.plus(-1, &l)));
            rows.extend(expanded(upper).and_then(|u| u.plus(-1, &value)));
        }
        rows
    }
}
