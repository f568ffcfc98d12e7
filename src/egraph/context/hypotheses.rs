//! Hypotheses: conditions that are assumed while other conditions are decided.
//!
//! The input is classes that are assumed to be true or false. The output is the truth of other conditions, and the
//! ranges of other values, at all points where the hypotheses hold. Nothing is added to the e-graph.

use crate::domain::Interval;
use crate::egraph::analysis::linear_constraints::LinearConstraints;
use crate::egraph::context::product_constraints::multiply_constraints;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Extremum, Node, Relation};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::prover;
use crate::expr::Junction;
use egg::Id;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Conditions that are assumed while other conditions are decided.
#[derive(Clone, Default)]
pub(super) struct Hypotheses {
    /// Linear forms that are at least 0 where the hypotheses hold.
    constraints: LinearConstraints,
    /// Classes of conditions, and whether they are true.
    literals: Vec<(Id, bool)>,
}

/// Results of one call of [`Hypotheses::decide`], by class and remaining depth. Nested junctions share many clauses.
/// Without this table, the work would double with each level.
type Decisions = FxHashMap<(Id, u32), Option<bool>>;

impl Hypotheses {
    /// Only the facts of the context of `e`, without further conditions.
    pub(super) fn of_context(e: &EGraph) -> Hypotheses {
        Hypotheses { constraints: e.graph.analysis.constraints.clone(), literals: Vec::new() }
    }

    /// The facts of the context and the assumption that the condition `id` has the value `truth`.
    pub(super) fn of_condition(e: &EGraph, id: Id, truth: bool) -> Hypotheses {
        let mut hypotheses = Hypotheses::of_context(e);
        hypotheses.assume(e, id, truth);
        hypotheses.close(e);
        hypotheses
    }

    /// Assumes that the condition `id` has the value `truth`, and the consequences for its operands. For example, all
    /// clauses of a true conjunction are true. Call [`Hypotheses::close`] after the last assumption.
    pub(super) fn assume(&mut self, e: &EGraph, id: Id, truth: bool) {
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

    /// The sums that the conditions compare with 0. Each comes with its relation and whether the relation holds.
    pub(super) fn compared(&self, e: &EGraph) -> Vec<(Relation, bool, Rc<LinearForm>)> {
        let of = |&(id, truth): &(Id, bool)| {
            let compared = move |node: &Node| Relation::of(node).map(|(relation, x)| (relation, truth, e.canonical(x)));
            e.nodes(id).iter().filter_map(compared)
        };
        self.literals.iter().flat_map(of).collect()
    }

    /// Whether bounds prove that the hypotheses hold at no point.
    pub(super) fn are_contradictory(&self, e: &EGraph) -> bool {
        let is_refuted = |&(id, truth): &(Id, bool)| e.facts(id).constant().is_some_and(|c| (c != 0) != truth);
        let is_negative = |constraint: &Rc<LinearForm>| {
            let least_of_negated = constraint.scaled(-1).and_then(|l| self.constraints.least(&e.graph, &l));
            least_of_negated.is_some_and(|least| least > 0)
        };
        self.literals.iter().any(is_refuted) || self.constraints.iter().any(is_negative)
    }

    /// Adds the definitions `n*q <= x < n*q + n` of the quotients in the constraints, once all conditions are assumed.
    pub(super) fn close(&mut self, e: &EGraph) {
        self.constraints.close(&e.graph);
    }

    /// These hypotheses and the further hypothesis `sum >= 0`.
    pub(super) fn and(&self, e: &EGraph, sum: LinearForm) -> Hypotheses {
        let mut both = self.clone();
        both.constraints.push(Rc::new(sum));
        both.close(e);
        both
    }

    /// Whether bounds prove that `sum` is at least 0 at all points where the hypotheses hold.
    pub(super) fn proves(&self, e: &EGraph, sum: &LinearForm) -> bool {
        self.constraints.least(&e.graph, sum).is_some_and(|least| least >= 0)
    }

    /// Parts of `sum` that a hypothesis relates to other terms of `sum`. A part is a list of positions of terms. If the
    /// coefficients of several terms in the hypothesis are proportional to their coefficients in `sum`, these terms are
    /// a part together. Each of them is also a part by itself. Single terms come first.
    pub(super) fn parts_of(&self, sum: &LinearForm) -> Vec<Vec<usize>> {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for constraint in self.constraints.iter() {
            let mut alike: Vec<(i128, i128, Vec<usize>)> = Vec::new();
            for (i, (own, t)) in sum.iter().enumerate() {
                let (own, there) = (i128::from(own), i128::from(constraint.coeff(t)));
                match alike.iter_mut().find(|(a, b, _)| there != 0 && own * *b == *a * there) {
                    Some((.., part)) => part.push(i),
                    None if there != 0 => alike.push((own, there, vec![i])),
                    None => {}
                }
            }
            if alike.len() > 1 {
                parts.extend(alike.iter().flat_map(|(.., part)| part.iter().map(|&i| vec![i])));
                parts.extend(alike.into_iter().map(|(.., part)| part).filter(|part| part.len() > 1));
            }
        }
        parts.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        parts.dedup();
        parts
    }

    /// Adds products of two constraints that bound a product in the comparison `id`.
    pub(super) fn add_products(&mut self, e: &mut EGraph, id: Id) {
        let compared = |node: &Node| Relation::of(node).map(|(_, x)| e.canonical(x));
        let sums: Vec<_> = e.nodes(id).iter().filter_map(compared).collect();
        for sum in sums {
            multiply_constraints(e, &mut self.constraints, &sum);
        }
    }

    /// Whether the condition `id` is true. `None` if the hypotheses do not decide it. Negations and junctions are
    /// followed to the given `depth`.
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
                return relation.known(self.range(e, x)).or_else(|| self.by_prover(e, relation, x));
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

    /// The truth of the comparison of `x` with 0, if the prover decides it.
    fn by_prover(&self, e: &EGraph, relation: Relation, x: Id) -> Option<bool> {
        if !e.has_symbols() {
            return None;
        }
        let lin = e.canonical(x);
        let proves = |lin: Option<LinearForm>| lin.is_some_and(|lin| prover::proves_under(e, &lin, &self.constraints));
        let below = || proves(lin.complement());
        let above = || proves(lin.as_ref().clone().plus_constant(-1));
        match relation {
            Relation::NonNegative if proves(Some(lin.as_ref().clone())) => Some(true),
            Relation::NonNegative => below().then_some(false),
            Relation::Zero => (below() || above()).then_some(false),
        }
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

    /// The range of a class under the hypotheses. If the hypotheses are contradictory, the result is the range of the
    /// class without them.
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

    /// The range of `sum` under the hypotheses. `known` is its range without them.
    pub(super) fn range_of_sum(&self, e: &EGraph, sum: &LinearForm, known: Interval) -> Interval {
        self.constraints.range(&e.graph, sum, known).unwrap_or(known)
    }
}
