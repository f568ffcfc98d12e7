//! Bounds of a linear combination from the ranges of its atoms and from linear facts (`row >= 0`) together.
//!
//! The bound is the dual of a linear program, climbed by a beam search: a non-negative multiple of a row is taken off the
//! combination where that raises the least value of what is left. Every step is a proof, however good the choice was.

use super::climb::Space;
use super::facts::{Graph, facts};
use super::lin::Lin;
use super::node::{Head, Node};
use crate::domain::Interval;
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Quotients in rows whose definitions become rows.
const MAX_QUOTIENTS: usize = 8;
/// Bounds found per context; from then on the ranges of terms must do. Real masks need some tens.
const MAX_CALLS: u32 = 150;
/// How many divisions, one in the numerator of the other, are followed.
const MAX_DEFINITIONS: usize = 4;

/// What is known of all points of a context: every row is at least 0.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Rc<Lin>>,
    /// Ends found before, of sums without their constants. Ranges of terms only ever shrink, so an old answer stays true.
    found: RefCell<FxHashMap<Lin, [Option<i128>; 2]>>,
    /// The rows as they are searched.
    space: RefCell<Option<Space>>,
    /// Bounds asked for.
    calls: Cell<u32>,
}

impl Clone for Rows {
    /// Without the answers found: a copy is made to add to it.
    fn clone(&self) -> Rows {
        Rows { rows: self.rows.clone(), ..Rows::default() }
    }
}

impl Rows {
    /// Without rows, but what they have cost so far.
    pub(crate) fn emptied(&self) -> Rows {
        Rows { calls: self.calls.clone(), ..Rows::default() }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Rc<Lin>> {
        self.rows.iter()
    }

    /// Adds `row >= 0`. A negative number stays, for whoever looks for contradictions.
    pub(crate) fn push(&mut self, row: Rc<Lin>) {
        let says_nothing = row.is_constant() && row.constant >= 0;
        if !says_nothing && !self.rows.contains(&row) {
            self.rows.push(row);
            self.found.borrow_mut().clear();
            self.space.replace(None);
        }
    }

    /// Adds what the quotients in rows are: bounds of `x//n` bound `x`.
    pub(crate) fn close(&mut self, graph: &Graph) {
        let mut todo: Vec<Id> = self.rows.iter().flat_map(|r| r.terms().iter().copied()).collect();
        let mut done: Vec<Id> = Vec::new();
        while let Some(t) = todo.pop() {
            if done.contains(&t) || done.len() == MAX_QUOTIENTS {
                continue;
            }
            if let Some((x, n)) = division(graph, t)
                && let Some(pair) = definition(t, &x, n)
            {
                done.push(t);
                todo.extend(x.terms());
                pair.into_iter().for_each(|row| self.push(Rc::new(row)));
            }
        }
    }

    /// The range of `lin`, whose terms alone give `known`; `None` when the rows contradict one another on it.
    pub(crate) fn range(&self, graph: &Graph, lin: &Lin, known: Interval) -> Option<Interval> {
        if self.rows.is_empty() || !self.rows.iter().any(|r| lin.terms().iter().any(|&t| meets(graph, r, t, 0))) {
            return Some(known);
        }
        let [lo, hi] = self.ends(graph, lin.terms_only()).map(|e| e.map(|e| e.saturating_add(lin.constant.into())));
        let (lo, hi) = (lo.unwrap_or(i128::from(i64::MIN)), hi.unwrap_or(i128::from(i64::MAX)));
        if lo > hi { None } else { Interval::from_wide(lo, hi).meet(known) }
    }

    /// The ends of the range of `terms`, where there are any.
    fn ends(&self, graph: &Graph, terms: Lin) -> [Option<i128>; 2] {
        if let Some(&ends) = self.found.borrow().get(&terms) {
            return ends;
        }
        let lo = self.least(graph, &terms);
        let hi = terms.scaled(-1).and_then(|l| self.least(graph, &l)).and_then(|h| h.checked_neg());
        self.found.borrow_mut().insert(terms, [lo, hi]);
        [lo, hi]
    }

    /// A lower bound of `lin`, `None` when there is none.
    pub(crate) fn least(&self, graph: &Graph, lin: &Lin) -> Option<i128> {
        let calls = self.calls.get();
        if calls == MAX_CALLS {
            return None;
        }
        self.calls.set(calls + 1);
        // quotients that rows mention have their definitions among the rows
        let covered = |t: Id| !facts(graph, t).has(Head::Div) || self.rows.iter().any(|r| r.coeff(t) != 0);
        let through = if lin.terms().iter().all(|&t| covered(t)) { None } else { eliminated(graph, lin) };
        let mut start: SmallVec<[(&Lin, i64); 2]> = SmallVec::from_slice(&[(lin, 1)]);
        start.extend(through.as_ref().map(|t| (&t.0, t.1)));
        let mut space = self.space.borrow_mut();
        space.get_or_insert_with(|| Space::new(&self.rows)).climb(graph, &start)?.bound()
    }
}

/// Whether `row` mentions `t`, or the numerator of `t` where `t` is a division.
fn meets(graph: &Graph, row: &Lin, t: Id, depth: usize) -> bool {
    row.coeff(t) != 0
        || (depth < MAX_DEFINITIONS
            && division(graph, t)
                .is_some_and(|(x, _)| x.terms().iter().any(|&u| u != t && meets(graph, row, u, depth + 1))))
}

/// `lin` with every quotient bounded by its numerator, times the scale that took: `x//n` is at least `(x - n + 1)/n` and at
/// most `x/n`.
fn eliminated(graph: &Graph, lin: &Lin) -> Option<(Lin, i64)> {
    let (mut out, mut scale) = (lin.clone(), 1i64);
    for step in 0..MAX_DEFINITIONS {
        let quotient = out.iter().find_map(|(c, t)| division(graph, t).map(|(x, n)| (c, t, x, n)));
        let Some((c, t, x, n)) = quotient else {
            return (step > 0).then_some((out, scale));
        };
        // n*out - |c| * (n*t + n - 1 - x) or n*out - |c| * (x - n*t)
        let [below, above] = definition(t, &x, n)?;
        let row = if c > 0 { below } else { above };
        out = out.scaled(n)?.plus(c.checked_abs()?.checked_neg()?, &row)?;
        scale = scale.checked_mul(n)?;
    }
    Some((out, scale))
}

/// `n*t + n - 1 - x` and `x - n*t`, both at least 0 where `t` is `x // n`.
pub(super) fn definition(t: Id, x: &Lin, n: i64) -> Option<[Lin; 2]> {
    let quotient = Lin::term(n, t);
    Some([quotient.plus(-1, x)?.plus_constant(n - 1)?, x.plus(-1, &quotient)?])
}

/// Numerator and divisor of a class that is a division by a positive constant.
pub(super) fn division(graph: &Graph, t: Id) -> Option<(Rc<Lin>, i64)> {
    let known = facts(graph, t);
    if known.constant().is_some() || !known.has(Head::Div) {
        return None;
    }
    graph[t].nodes.iter().find_map(|n| {
        let Node::Div([a, b]) = n else { return None };
        let n = facts(graph, *b).constant().filter(|n| *n > 0)?;
        let a = graph.find(*a);
        let data = facts(graph, a);
        let x = data.canon().cloned().unwrap_or_else(|| data.as_atom(a));
        (x.coeff(t) == 0).then_some((x, n))
    })
}

#[cfg(test)]
mod tests;
