//! The clauses of a conjunction or disjunction looked at together: one that the others imply goes, one that they refute
//! decides the whole, and a nested junction is reduced under the clauses beside it.
//!
//! What goes in is a junction or a selection; what comes out is a class that is equal to it, and why. Each clause is judged
//! under the [`Hypotheses`] that the others are true (of a disjunction: false). What is concluded is an equality of the whole,
//! true at every point, so nothing that holds under a clause only gets into the e-graph.

use crate::egraph::context::drop_terms::shorter;
use crate::egraph::context::hypotheses::Hypotheses;
use crate::egraph::context::selections::decided_select;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::expr::Junction;
use egg::Id;

/// Junctions with more clauses are left alone.
const MAX_CLAUSES: usize = 16;
/// Junctions in junctions that are followed.
const MAX_DEPTH: u32 = 2;

/// What the operands of the junction or selection `node`, whose class is `id`, say of one another: a class equal to the
/// node's, when it is news, and why.
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

/// The junction of `clauses` without what they say of one another, and why it is that.
fn reduced_junction(e: &mut EGraph, junction: Junction, clauses: &[Id]) -> (Id, BuiltinStep) {
    let everywhere = Hypotheses::of_context(e);
    let mut reduction = Reduction { e, step: None };
    let equal = reduction.reduce(junction, clauses, &everywhere, MAX_DEPTH);
    (equal, reduction.step.unwrap_or(BuiltinStep::NormalForm))
}

/// A junction on its way to one with fewer clauses.
struct Reduction<'a> {
    e: &'a mut EGraph,
    /// The first thing that was found.
    step: Option<BuiltinStep>,
}

impl Reduction<'_> {
    /// The junction of `clauses` where `outer` holds.
    fn reduce(&mut self, junction: Junction, clauses: &[Id], outer: &Hypotheses, depth: u32) -> Id {
        if clauses.len() > MAX_CLAUSES {
            return self.e.junction(junction, clauses);
        }
        let mut kept: Vec<Id> = clauses.iter().map(|&i| self.e.graph.find(i)).collect();
        // the heaviest first: of clauses that imply one another the lightest stays
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

    /// The clause `id` of a junction, where it is one of the other kind, under what holds beside it.
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

    /// The comparison `id` with a term less, under what holds beside it.
    fn shorter(&mut self, id: Id, beside: &Hypotheses) -> Option<Id> {
        let new = shorter(self.e, id, beside)?;
        self.note(BuiltinStep::ClauseReduced);
        Some(new)
    }

    /// Notes why the result is equal to the junction; what was found first stays.
    fn note(&mut self, step: BuiltinStep) {
        self.step.get_or_insert(step);
    }
}

#[cfg(test)]
mod tests;
