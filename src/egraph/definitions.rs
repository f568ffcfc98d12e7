//! What is known of sums beyond the ranges of their terms, where much hangs on it: whether a divisor can be 0, and whether a
//! part needs a sign or 64 bits.

use super::graph::EClasses;
use super::lin::Lin;
use super::node::Node;
use super::rows::{definition, division};
use crate::domain::{Congruence, Interval, floor_div, floor_mod};
use egg::Id;
use std::borrow::Cow;
use std::rc::Rc;

/// Terms whose definitions are followed for one sum.
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

    /// The range of a class that is an operand for which it matters, `plain` as far as the ranges of variables tell; what had
    /// to be proved is known of it from then on.
    pub(crate) fn closer_range(&mut self, id: Id, plain: Interval) -> Interval {
        let proved = self.range_by_definitions(&self.canonical(id));
        for range in [plain, proved] {
            if self.facts(id).interval.meet(range).is_some() {
                self.sharpen(id, range, Congruence::ANY);
            }
        }
        self.facts(id).interval
    }

    /// The range of `lin` that follows from what is assumed, from what the quotients in it are, and from the symbolic ends
    /// of its variables, all together: `s - s//2` is at least 1 where `s` is.
    pub(crate) fn range_by_definitions(&self, lin: &Lin) -> Interval {
        let mut rows = self.graph.analysis.rows.clone();
        let mut todo: Vec<Id> = lin.terms().to_vec();
        let mut done: Vec<Id> = Vec::new();
        let mut quotients: Vec<(Id, Rc<Lin>, i64)> = Vec::new();
        while let Some(t) = todo.pop() {
            let t = self.graph.find(t);
            if done.contains(&t) || done.len() == MAX_DEFINED {
                continue;
            }
            done.push(t);
            for row in self.factors(t).iter().flat_map(|&f| self.definitions_of(f)) {
                todo.extend(row.terms());
                rows.push(Rc::new(row));
            }
            // `x // (m*n)` is the quotient of `x // m` by `n`
            let Some((x, n)) = division(&self.graph, t) else { continue };
            for (other, _, m) in quotients.iter().filter(|q| q.1 == x) {
                let (outer, inner, n, m) = if n > *m { (t, *other, n, *m) } else { (*other, t, *m, n) };
                if floor_mod(n.into(), m.into()) == 0 {
                    let nested = definition(outer, &Lin::atom(inner), floor_div(n.into(), m.into()) as i64);
                    nested.into_iter().flatten().for_each(|row| rows.push(Rc::new(row)));
                }
            }
            quotients.push((t, x, n));
        }
        let least = rows.least(&self.graph, lin);
        let most = lin.scaled(-1).and_then(|l| rows.least(&self.graph, &l)).and_then(i128::checked_neg);
        let (lo, hi) = (least.unwrap_or(i64::MIN.into()), most.unwrap_or(i64::MAX.into()));
        // ends that contradict one another say that there are no points, and nothing of a divisor
        if lo > hi { Interval::ALL } else { Interval::from_wide(lo, hi) }
    }

    /// `lin` over the classes that its terms are by now, none of them replaced by what it stands for.
    pub(crate) fn current(&self, lin: &Lin) -> Option<Lin> {
        Lin::from_terms(lin.constant, lin.iter().map(|(c, t)| (self.graph.find(t), c.into())).collect())
    }

    /// Combinations that are at least 0 because of what `t` is.
    fn definitions_of(&self, t: Id) -> Vec<Lin> {
        if let Some((x, n)) = division(&self.graph, t) {
            return definition(t, &x, n).into_iter().flatten().collect();
        }
        let mut rows = Vec::new();
        for node in self.nodes(t) {
            match node {
                Node::Var(v) => {
                    let (lower, upper) = &self.symbolic[*v as usize];
                    let value = Lin::atom(t);
                    let expanded = |end: &Option<Lin>| end.as_ref().and_then(|e| self.expand(e).map(Cow::into_owned));
                    rows.extend(expanded(lower).and_then(|l| value.plus(-1, &l)));
                    rows.extend(expanded(upper).and_then(|u| u.plus(-1, &value)));
                }
                Node::Div([x, n]) if self.facts(*n).interval.lo().is_some_and(|l| l > 0) => {
                    rows.extend(self.definition_of_quotient(t, &self.canonical(*x), &self.canonical(*n)));
                }
                _ => {}
            }
        }
        rows
    }

    /// `n*q <= x` and `x <= n*q + n - 1` for the quotient `q` of `x` by the unknown `n`, where their product is there.
    fn definition_of_quotient(&self, q: Id, x: &Lin, n: &Lin) -> Vec<Lin> {
        // the products as they are, and as what they stand for: a sum may have either
        let [mut as_products, mut expanded] = [Some(Lin::default()), Some(Lin::default())];
        if n.constant != 0 {
            as_products = Lin::default().plus(n.constant, &Lin::atom(q));
            expanded = as_products.clone();
        }
        for (c, t) in n.iter() {
            let mut factors = self.factors(t);
            factors.extend(self.factors(q));
            factors.sort_unstable();
            let Some(product) = self.graph.lookup(Node::Product(factors)) else { return Vec::new() };
            as_products = as_products.and_then(|l| l.plus(c, &Lin::atom(self.graph.find(product))));
            expanded = expanded.and_then(|l| l.plus(c, &self.canonical(product)));
        }
        let mut rows = Vec::new();
        for multiple in [as_products, expanded].into_iter().flatten() {
            rows.extend(x.plus(-1, &multiple));
            rows.extend(multiple.plus(1, n).and_then(|l| l.plus(-1, x)).and_then(|l| l.plus_constant(-1)));
        }
        rows
    }
}
