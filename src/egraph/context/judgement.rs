//! What a condition, taken to be true for a moment, says of other classes.
//!
//! What goes in are classes that are taken to be true or false; what comes out is the truth of other conditions, and ranges of
//! other values, wherever they are so. Nothing of it gets into the e-graph.

use crate::domain::Interval;
use crate::egraph::analysis::linear_constraints::LinearConstraints;
use crate::egraph::build::graph::EGraph;
use crate::egraph::context::product_constraints::multiply_constraints;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Extremum, Node, Relation};
use crate::expr::Junction;
use egg::Id;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is taken to be true while something else is judged.
#[derive(Clone, Default)]
pub(super) struct Hypotheses {
    constraints: LinearConstraints,
    /// Classes and whether they are true.
    literals: Vec<(Id, bool)>,
}

/// Formulas decided under the same hypotheses, with the depth to which they were followed: junctions of junctions share many.
type Decisions = FxHashMap<(Id, u32), Option<bool>>;

impl Hypotheses {
    /// What holds everywhere in the context of `e`.
    pub(super) fn of_context(e: &EGraph) -> Hypotheses {
        Hypotheses { constraints: e.graph.analysis.constraints.clone(), literals: Vec::new() }
    }

    /// That the condition `id` is `truth`, and what holds everywhere.
    pub(super) fn of_condition(e: &EGraph, id: Id, truth: bool) -> Hypotheses {
        let mut hypotheses = Hypotheses::of_context(e);
        hypotheses.take(e, id, truth);
        hypotheses.close(e);
        hypotheses
    }

    /// Takes `id` to be `truth`.
    pub(super) fn take(&mut self, e: &EGraph, id: Id, truth: bool) {
        let mut todo = vec![(id, truth)];
        while let Some((id, truth)) = todo.pop() {
            let id = e.graph.find(id);
            if self.literals.contains(&(id, truth)) {
                continue;
            }
            self.literals.push((id, truth));
            for node in e.nodes(id) {
                match (node, truth) {
                    (Node::Not([x]), _) => todo.push((*x, !truth)),
                    (Node::And(x), true) | (Node::Or(x), false) => todo.extend(x.iter().map(|&x| (x, truth))),
                    (Node::NonNeg([x]), true) => self.constraints.push(e.canonical(*x)),
                    (Node::NonNeg([x]), false) => {
                        if let Some(l) = e.canonical(*x).complement() {
                            self.constraints.push(Rc::new(l));
                        }
                    }
                    (Node::Zero([x]), true) => {
                        let x = e.canonical(*x);
                        if let Some(negated) = x.scaled(-1) {
                            self.constraints.push(Rc::new(negated));
                        }
                        self.constraints.push(x);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Adds what the quotients in the constraints are, once all hypotheses are taken.
    pub(super) fn close(&mut self, e: &EGraph) {
        self.constraints.close(&e.graph);
    }

    /// Adds what the constraints say of products in the comparison `id`.
    pub(super) fn take_products(&mut self, e: &mut EGraph, id: Id) {
        let compared = |node: &Node| Relation::of(node).map(|(_, x)| e.canonical(x));
        let sums: Vec<_> = e.nodes(id).iter().filter_map(compared).collect();
        for sum in sums {
            multiply_constraints(e, &mut self.constraints, &sum);
        }
    }

    /// Whether `id` is true, where the hypotheses decide it; formulas are followed to this `depth`.
    pub(super) fn decide(&self, e: &EGraph, id: Id, depth: u32) -> Option<bool> {
        self.decide_once(e, id, depth, &mut Decisions::default())
    }

    fn decide_once(&self, e: &EGraph, id: Id, depth: u32, known: &mut Decisions) -> Option<bool> {
        let id = e.graph.find(id);
        if let Some(c) = e.facts(id).constant() {
            return Some(c != 0);
        }
        if let Some(&(_, truth)) = self.literals.iter().find(|l| l.0 == id) {
            return Some(truth);
        }
        if let Some(&truth) = known.get(&(id, depth)) {
            return truth;
        }
        let mut is_formula = false;
        let truth = e.nodes(id).iter().find_map(|node| {
            if let Some((relation, x)) = Relation::of(node) {
                return relation.known(self.range(e, x));
            }
            let inner = depth.checked_sub(1)?;
            if let Node::Not([x]) = node {
                is_formula = true;
                return self.decide_once(e, *x, inner, known).map(|t| !t);
            }
            let (junction, clauses) = node.clauses()?;
            is_formula = true;
            self.decide_all(e, junction, clauses, inner, known)
        });
        if is_formula {
            known.insert((id, depth), truth);
        }
        truth
    }

    fn decide_all(
        &self,
        e: &EGraph,
        junction: Junction,
        clauses: &[Id],
        depth: u32,
        known: &mut Decisions,
    ) -> Option<bool> {
        let neutral = junction.neutral();
        let mut open = false;
        for &clause in clauses {
            match self.decide_once(e, clause, depth, known) {
                Some(truth) if truth != neutral => return Some(!neutral),
                Some(_) => {}
                None => open = true,
            }
        }
        (!open).then_some(neutral)
    }

    /// The range of a class under the hypotheses; where they contradict one another any answer is true, and its range
    /// everywhere is given.
    pub(super) fn range(&self, e: &EGraph, x: Id) -> Interval {
        let of_sum = |x: Id| self.range_of_sum(e, &e.canonical(x), e.facts(x).interval);
        let mut range = of_sum(x);
        for node in e.nodes(x) {
            let Some((extremum, [a, b])) = Extremum::of(node) else { continue };
            let (a, b) = (of_sum(a), of_sum(b));
            let of_operands = match extremum {
                Extremum::Min => a.min(b),
                Extremum::Max => a.max(b),
            };
            range = range.meet(of_operands).unwrap_or(range);
        }
        range
    }

    /// The range of a sum that lies in `known` everywhere.
    pub(super) fn range_of_sum(&self, e: &EGraph, sum: &LinearForm, known: Interval) -> Interval {
        self.constraints.range(&e.graph, sum, known).unwrap_or(known)
    }
}
