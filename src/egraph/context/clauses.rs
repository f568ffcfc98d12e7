//! Reduces the clauses of a *junction*, which is a conjunction or a disjunction, by one another. In a conjunction, a
//! clause that the other clauses imply is removed: `i < 5 and j < 5 and i + j < 9` becomes `i < 5 and j < 5`. If the
//! other clauses refute a clause, the conjunction is false. A junction that is a clause is itself reduced under the
//! other clauses.
//!
//! The input is a junction or a selection. The output is a class that is equal to it, and the step that found it. Each
//! clause is decided under the [`Hypotheses`] that the other clauses are true (in a disjunction: false). The result is
//! an equality between whole junctions, which holds at every point. So no fact that holds only under a clause enters
//! the e-graph.

use crate::egraph::context::drop_terms::shorter;
use crate::egraph::context::hypotheses::Hypotheses;
use crate::egraph::context::selections::decided_select;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::expr::Junction;
use egg::Id;

/// Junctions with more clauses are not reduced.
const MAX_CLAUSES: usize = 16;
/// The largest depth of nested junctions that are reduced.
const MAX_DEPTH: u32 = 2;

/// Reduces or decides the junction or selection `node` of the class `id`, by facts that its operands give about one
/// another. Returns an equal class, if it differs from `id`, and the step that found it.
pub(crate) fn reduced_or_decided(e: &mut EGraph, id: Id, node: &Node) -> Option<(Id, BuiltinStep)> {
    let (equal, step) = match node {
        Node::Select([c, a, b]) if e.facts(*c).constant().is_none() => decided_select(e, id, [*c, *a, *b])?,
        _ => {
            let (junction, clauses) = node.clauses()?;
            reduced_junction(e, junction, clauses)
        }
    };
    (e.graph.find(equal) != e.graph.find(id)).then_some((equal, step))
}

/// The reduced junction of `clauses`, and the step that reduced it.
fn reduced_junction(e: &mut EGraph, junction: Junction, clauses: &[Id]) -> (Id, BuiltinStep) {
    let everywhere = Hypotheses::of_context(e);
    let mut reduction = Reduction { e, step: None };
    let equal = reduction.reduce(junction, clauses, &everywhere, MAX_DEPTH);
    (equal, reduction.step.unwrap_or(BuiltinStep::NormalForm))
}

/// The state while a junction is reduced.
struct Reduction<'a> {
    e: &'a mut EGraph,
    /// The reason that a trace shows: the first one that was found.
    step: Option<BuiltinStep>,
}

impl Reduction<'_> {
    /// The reduced junction of `clauses` under the hypotheses `outer`.
    fn reduce(&mut self, junction: Junction, clauses: &[Id], outer: &Hypotheses, depth: u32) -> Id {
        if clauses.len() > MAX_CLAUSES {
            return self.e.junction(junction, clauses);
        }
        let mut kept: Vec<Id> = clauses.iter().map(|&i| self.e.graph.find(i)).collect();
        // heaviest first, so that the lightest of several equivalent clauses stays
        let mut order = kept.clone();
        order.sort_by_key(|&i| (std::cmp::Reverse(self.e.facts(i).weight), i));
        for id in order {
            let mut beside = outer.clone();
            for &other in kept.iter().filter(|&&o| o != id) {
                beside.assume(self.e, other, junction.neutral());
            }
            beside.close(self.e);
            beside.add_products(self.e, id);
            match beside.decide(self.e, id, depth) {
                Some(truth) if truth == junction.neutral() => {
                    self.note(BuiltinStep::ClauseImplied);
                    kept.retain(|&k| k != id);
                }
                Some(truth) => {
                    self.note(BuiltinStep::ClauseRefuted);
                    return self.e.add(Node::Const(truth.into()));
                }
                None => {
                    let new = self.reduce_inner(junction, id, &beside, depth);
                    if let Some(new) = new.or_else(|| self.shorter(id, &beside)) {
                        kept.iter_mut().filter(|k| **k == id).for_each(|k| *k = new);
                    }
                }
            }
        }
        self.e.junction(junction, &kept)
    }

    /// Reduces the clause `id` under the hypotheses `beside`, if it is a disjunction in a conjunction or a conjunction
    /// in a disjunction.
    fn reduce_inner(&mut self, outer: Junction, id: Id, beside: &Hypotheses, depth: u32) -> Option<Id> {
        let depth = depth.checked_sub(1)?;
        let of_other_kind = |(inner, _): &(Junction, _)| *inner != outer;
        let (inner, clauses) = self.e.nodes(id).iter().filter_map(Node::clauses).find(of_other_kind)?;
        let new = self.reduce(inner, &clauses.clone(), beside, depth);
        if new != id {
            self.note(BuiltinStep::ClauseReduced);
        }
        Some(new)
    }

    /// The comparison `id` with fewer terms, under the hypotheses `beside`.
    fn shorter(&mut self, id: Id, beside: &Hypotheses) -> Option<Id> {
        let new = shorter(self.e, id, beside)?;
        self.note(BuiltinStep::ClauseReduced);
        Some(new)
    }

    /// Records the reason why the result is equal to the junction. Only the first reason is kept.
    fn note(&mut self, step: BuiltinStep) {
        self.step.get_or_insert(step);
    }
}

#[cfg(test)]
mod tests;
