//! The clauses of a conjunction or disjunction looked at together: one that the others imply goes, one that they refute
//! decides the whole, and a nested junction is reduced under the clauses beside it.
//!
//! Each clause is judged with the linear facts that the others state ([`Rows`]); what is concluded is an equality of the
//! whole, true at every point, so nothing that holds under a clause only gets into the e-graph.

use super::graph::EClasses;
use super::judgement::Judgement;
use super::lin::Lin;
use super::node::{Head, Ids, Node};
use super::rows::Rows;
use crate::domain::{Congruence, Interval};
use egg::Id;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Junctions with more clauses are left alone.
const MAX_CLAUSES: usize = 16;
/// Minima and maxima whose operands bound one combination.
const MAX_EXTREMA: u32 = 16;
/// Junctions in junctions that are followed.
const MAX_DEPTH: u32 = 4;

/// What is taken to be true while a clause is judged.
#[derive(Clone, Default)]
struct Context {
    rows: Rows,
    /// Classes and whether they are true.
    literals: Vec<(Id, bool)>,
}

/// Formulas decided in one context, with the depth to which they were followed.
type Decisions = FxHashMap<(Id, u32), Option<bool>>;

impl EClasses {
    /// What the operands of a junction or selection say of one another: a class equal to the node's, when it is news.
    pub(crate) fn judged(&mut self, id: Id, node: &Node) -> Option<Id> {
        self.judge_anew();
        let equal = match node {
            Node::And(ids) => self.reduced_junction(true, ids),
            Node::Or(ids) => self.reduced_junction(false, ids),
            Node::Select([c, a, b]) if self.facts(*c).constant().is_none() => self.judged_select(id, [*c, *a, *b])?,
            _ => return None,
        };
        self.judge(Judgement::NormalForm);
        (self.graph.find(equal) != self.graph.find(id)).then_some(equal)
    }

    /// The junction of `ids` without what the clauses say of one another.
    fn reduced_junction(&mut self, and: bool, ids: &[Id]) -> Id {
        let rows = self.graph.analysis.rows.clone();
        self.reduce(and, ids, &Context { rows, literals: Vec::new() }, MAX_DEPTH)
    }

    fn reduce(&mut self, and: bool, ids: &[Id], outer: &Context, depth: u32) -> Id {
        if ids.len() > MAX_CLAUSES {
            return self.junction(and, ids);
        }
        let mut kept: Vec<Id> = ids.iter().map(|&i| self.graph.find(i)).collect();
        // the heaviest first: of clauses that imply one another the lightest stays
        let mut order = kept.clone();
        order.sort_by_key(|&i| (std::cmp::Reverse(self.facts(i).weight), i));
        for id in order {
            let unrelated = |other: Id| self.are_unrelated(self.facts(id).vars, self.facts(other).vars);
            if outer.literals.is_empty() && kept.iter().all(|&other| other == id || unrelated(other)) {
                continue;
            }
            let mut context = outer.clone();
            for &other in kept.iter().filter(|&&o| o != id) {
                self.take(&mut context, other, and);
            }
            context.rows.close(&self.graph);
            self.take_products(&mut context, id);
            match self.decide(id, &context, depth) {
                Some(truth) if truth == and => {
                    self.judge(Judgement::ClauseImplied);
                    kept.retain(|&k| k != id);
                }
                Some(truth) => {
                    self.judge(Judgement::ClauseRefuted);
                    return self.add(Node::Const(truth.into()));
                }
                None if depth > 0 => {
                    let inner = self.nodes(id).iter().find_map(|n| match n {
                        Node::And(x) if !and => Some((true, x.clone())),
                        Node::Or(x) if and => Some((false, x.clone())),
                        _ => None,
                    });
                    if let Some((inner_and, x)) = inner {
                        let new = self.reduce(inner_and, &x, &context, depth - 1);
                        if new != id {
                            self.judge(Judgement::ClauseReduced);
                        }
                        kept.iter_mut().filter(|k| **k == id).for_each(|k| *k = new);
                    }
                }
                None => {}
            }
        }
        self.junction(and, &kept)
    }

    /// The variables that a combination depends on, as in [`Facts`](super::facts::Facts).
    pub(crate) fn vars_of(&self, lin: &Lin) -> u64 {
        lin.terms().iter().fold(0, |vars, &t| vars | self.facts(t).vars)
    }

    /// Whether nothing that is known of a value over the variables `a` says anything of one over `b`: none is in both, and
    /// nothing relates them.
    pub(crate) fn are_unrelated(&self, a: u64, b: u64) -> bool {
        a & b == 0 && !self.has_ends && !self.assumed
    }

    /// What the condition of a selection says of its branches: a range for the class, a branch that is constant where it
    /// is chosen, or that the selection takes the smaller (greater) of the two. Answers a class equal to the selection.
    fn judged_select(&mut self, id: Id, [c, a, b]: [Id; 3]) -> Option<Id> {
        // a branch with a term of which the condition says nothing takes many values under it: what is left is its range, which
        // tells only what uses the selection
        let varies = |x: Id| {
            let free = |&t: &Id| self.are_unrelated(self.facts(t).vars, self.facts(c).vars);
            self.facts(x).constant().is_some() || self.canonical(x).terms().iter().any(free)
        };
        if self.graph[id].parents().len() == 0 && varies(a) && varies(b) && !self.may_be_equal([a, b]) {
            return None;
        }
        let context = |holds: bool| {
            let mut context = Context { rows: self.graph.analysis.rows.clone(), literals: Vec::new() };
            self.take(&mut context, c, holds);
            context.rows.close(&self.graph);
            context
        };
        let (holds, fails) = (context(true), context(false));
        let (then, otherwise) = (self.range_under(a, &holds), self.range_under(b, &fails));
        // the other branch may have the constant's value wherever that is chosen
        for (constant, range, other, context) in [(a, then, b, &holds), (b, otherwise, a, &fails)] {
            let Some(k) = self.facts(constant).constant() else { continue };
            if self.facts(other).interval.contains(k) && self.range_under(other, context) == range {
                self.judge(Judgement::SelectionCovered);
                return Some(other);
            }
        }
        let smaller = self.takes_smaller([a, b], &holds, &fails);
        self.sharpen(id, then.hull(otherwise), Congruence::ANY);
        let constant = |e: &mut EClasses, x: Id, range: Interval| match range.as_point() {
            Some(k) if e.facts(x).constant().is_none() => e.add(Node::Const(k)),
            _ => x,
        };
        let pair = (constant(self, a, then), constant(self, b, otherwise));
        if pair != (a, b) {
            // first, for what is left is judged in turn
            self.judge(Judgement::SelectionBranch);
            return Some(self.select(c, pair.0, pair.1));
        }
        let min = smaller?;
        self.judge(Judgement::SelectionIsExtremum);
        Some(self.extremum(min, a, b))
    }

    /// Whether the ranges of the terms of the difference leave 0 in it.
    fn may_be_equal(&self, [a, b]: [Id; 2]) -> bool {
        let difference = self.canonical(a).plus(-1, &self.canonical(b));
        difference.is_none_or(|d| self.facts_by_terms(&d).contains(0))
    }

    /// Whether a selection of `a` where one context `holds`, and of `b` where the other does, takes the smaller of the two;
    /// `Some(false)` where it takes the greater.
    fn takes_smaller(&self, [a, b]: [Id; 2], holds: &Context, fails: &Context) -> Option<bool> {
        let difference = self.canonical(a).plus(-1, &self.canonical(b))?;
        let known = self.facts_by_terms(&difference);
        let range = |c: &Context| c.rows.range(&self.graph, &difference, known).unwrap_or(known);
        let is_nonpositive = |range: Interval| range.hi().is_some_and(|h| h <= 0);
        // of one sign everywhere, it is 0 where the other branch is chosen, and no extremum is needed to say so
        if !known.contains(0) {
            return None;
        }
        let chosen = range(holds);
        if chosen.is_nonneg() {
            return is_nonpositive(range(fails)).then_some(false);
        }
        if is_nonpositive(chosen) { range(fails).is_nonneg().then_some(true) } else { None }
    }

    /// The smaller (greater) of two classes; one of them where their difference has one sign.
    pub(crate) fn judged_extremum(&mut self, min: bool, a: Id, b: Id) -> Id {
        if let Some(difference) = self.canonical(a).plus(-1, &self.canonical(b)) {
            let range = self.range_by_operands(&difference);
            if range.is_nonneg() {
                self.judge(Judgement::ExtremumDecided);
                return self.graph.find(if min { b } else { a });
            }
            if range.hi().is_some_and(|h| h <= 0) {
                self.judge(Judgement::ExtremumDecided);
                return self.graph.find(if min { a } else { b });
            }
        }
        self.extremum(min, a, b)
    }

    /// Whether `x >= 0`, where what the operands of extrema in `x` are decides it.
    pub(crate) fn judged_sign(&self, x: Id) -> Option<bool> {
        let lin = self.canonical(x);
        if !self.has_extrema(&lin) {
            return None;
        }
        let range = self.range_by_operands(&lin);
        if range.is_nonneg() {
            return Some(true);
        }
        range.hi().is_some_and(|h| h < 0).then_some(false)
    }

    pub(crate) fn has_extrema(&self, lin: &Lin) -> bool {
        lin.terms().iter().any(|&t| self.facts(t).has(Head::Min) || self.facts(t).has(Head::Max))
    }

    /// The range of a combination, `min(a, b) <= a` and `x//n*n <= x` and their likes in mind.
    pub(crate) fn range_by_operands(&self, lin: &Lin) -> Interval {
        let mut rows = self.graph.analysis.rows.clone();
        let mut todo: Vec<Id> = lin.terms().to_vec();
        let (mut at, mut extrema) = (0, 0);
        // every class once, nearest first: a class can be an operand of itself, `min(1, min(1, x))`
        while let Some(&t) = todo.get(at) {
            at += 1;
            for node in self.nodes(t) {
                let (Node::Min([a, b]) | Node::Max([a, b])) = node else { continue };
                if extrema == MAX_EXTREMA {
                    break;
                }
                extrema += 1;
                for operand in [a, b] {
                    let operand = self.canonical(*operand);
                    let sign = if matches!(node, Node::Min(_)) { 1 } else { -1 };
                    if let Some(row) = operand.plus(-1, &self.canonical(t)).and_then(|l| l.scaled(sign)) {
                        rows.push(Rc::new(row));
                    }
                    for &u in operand.terms() {
                        if !todo.contains(&u) {
                            todo.push(u);
                        }
                    }
                }
            }
        }
        let known = self.facts_by_terms(lin);
        let lo = rows.least(&self.graph, lin).unwrap_or(i128::from(i64::MIN));
        let hi = lin.scaled(-1).and_then(|l| rows.least(&self.graph, &l)).map_or(i128::from(i64::MAX), |h| -h);
        if lo <= hi { Interval::from_wide(lo, hi).meet(known).unwrap_or(known) } else { known }
    }

    /// `(u, low, step)` with `lin == low + Σ |c| * v` over values `v >= 0`: `u` is the sum of these, `step` the least
    /// `|c|`. `None` when a term has no bound on the side that counts.
    pub(crate) fn units(&self, lin: &Lin) -> Option<(Lin, i64, i64)> {
        let (mut units, mut low, mut step) = (Lin::default(), lin.constant, i64::MAX);
        for (c, t) in lin.iter() {
            let range = self.facts(t).interval;
            let end = if c > 0 { range.lo()? } else { range.hi()? };
            low = low.checked_add(c.checked_mul(end)?)?;
            step = step.min(c.checked_abs()?);
            units.push(t, c.signum());
            units.constant = units.constant.checked_add(end.checked_mul(-c.signum())?)?;
        }
        if lin.is_constant() {
            return None;
        }
        Some((units, low, step))
    }

    /// Adds to `context` that `id` is `truth`.
    fn take(&self, context: &mut Context, id: Id, truth: bool) {
        let mut todo = vec![(id, truth)];
        while let Some((id, truth)) = todo.pop() {
            let id = self.graph.find(id);
            if context.literals.contains(&(id, truth)) {
                continue;
            }
            context.literals.push((id, truth));
            for node in self.nodes(id) {
                match (node, truth) {
                    (Node::Not([x]), _) => todo.push((*x, !truth)),
                    (Node::And(x), true) | (Node::Or(x), false) => todo.extend(x.iter().map(|&x| (x, truth))),
                    (Node::NonNeg([x]), true) => context.rows.push(self.canonical(*x)),
                    (Node::NonNeg([x]), false) => {
                        if let Some(l) = below_zero(&self.canonical(*x)) {
                            context.rows.push(Rc::new(l));
                        }
                    }
                    (Node::Zero([x]), true) => {
                        let x = self.canonical(*x);
                        if let Some(negated) = x.scaled(-1) {
                            context.rows.push(Rc::new(negated));
                        }
                        context.rows.push(x);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Adds to `context` what it says of products in the comparison `id`.
    fn take_products(&mut self, context: &mut Context, id: Id) {
        let sums = self.nodes(id).iter().filter_map(|n| match n {
            Node::NonNeg([x]) | Node::Zero([x]) => Some(self.canonical(*x)),
            _ => None,
        });
        for sum in sums.collect::<Vec<_>>() {
            self.multiply_rows(&mut context.rows, &sum);
        }
    }

    /// What `id` is where `context` holds.
    fn decide(&self, id: Id, context: &Context, depth: u32) -> Option<bool> {
        self.decide_once(id, context, depth, &mut Decisions::default())
    }

    /// The same, where formulas that were decided before are known: junctions of junctions share many of them.
    fn decide_once(&self, id: Id, context: &Context, depth: u32, known: &mut Decisions) -> Option<bool> {
        let id = self.graph.find(id);
        if let Some(c) = self.facts(id).constant() {
            return Some(c != 0);
        }
        if let Some(&(_, truth)) = context.literals.iter().find(|l| l.0 == id) {
            return Some(truth);
        }
        if let Some(&truth) = known.get(&(id, depth)) {
            return truth;
        }
        let mut formula = false;
        let truth = self.nodes(id).iter().find_map(|node| match node {
            Node::NonNeg([x]) => {
                let range = self.range_under(*x, context);
                if range.is_nonneg() {
                    return Some(true);
                }
                range.hi().is_some_and(|h| h < 0).then_some(false)
            }
            Node::Zero([x]) => {
                let range = self.range_under(*x, context);
                if range.as_point() == Some(0) {
                    return Some(true);
                }
                (!range.contains(0)).then_some(false)
            }
            Node::Not([x]) if depth > 0 => {
                formula = true;
                self.decide_once(*x, context, depth - 1, known).map(|t| !t)
            }
            Node::And(x) | Node::Or(x) if depth > 0 => {
                formula = true;
                self.decide_all(matches!(node, Node::And(_)), x, context, depth - 1, known)
            }
            _ => None,
        });
        if formula {
            known.insert((id, depth), truth);
        }
        truth
    }

    fn decide_all(&self, and: bool, ids: &Ids, context: &Context, depth: u32, known: &mut Decisions) -> Option<bool> {
        let mut open = false;
        for &id in ids {
            match self.decide_once(id, context, depth, known) {
                Some(truth) if truth != and => return Some(!and),
                Some(_) => {}
                None => open = true,
            }
        }
        (!open).then_some(and)
    }

    /// The range of a class under a context; where the context contradicts itself any answer is true, and none is given.
    fn range_under(&self, x: Id, context: &Context) -> Interval {
        let of_sum = |x: Id| {
            let known = self.facts(x).interval;
            context.rows.range(&self.graph, &self.canonical(x), known).unwrap_or(known)
        };
        let mut range = of_sum(x);
        for node in self.nodes(x) {
            let (Node::Min([a, b]) | Node::Max([a, b])) = node else { continue };
            let (a, b) = (of_sum(*a), of_sum(*b));
            let extremum = if matches!(node, Node::Min(_)) { a.min(b) } else { a.max(b) };
            range = range.meet(extremum).unwrap_or(range);
        }
        range
    }
}

/// `lin < 0` as a row.
fn below_zero(lin: &Lin) -> Option<Lin> {
    lin.scaled(-1)?.plus_constant(-1)
}

#[cfg(test)]
mod tests;
