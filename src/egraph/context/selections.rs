//! Simplifies selections by the facts that the condition gives about the branches.
//!
//! The input is a selection whose condition is not known. The output is a class that is equal to it: a branch, a
//! selection with a number as a branch, or an extremum. The range of the selection is narrowed as well.

use crate::domain::{Congruence, Interval};
use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::context::hypotheses::Hypotheses;
use crate::egraph::language::node::{Extremum, Node};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::builtin_step::BuiltinStep;
use egg::Id;

/// A class equal to the selection `id`, and the step that found it. The selection is `a` if `c` holds, and otherwise
/// `b`.
pub(super) fn decided_select(e: &mut EGraph, id: Id, [c, a, b]: [Id; 3]) -> Option<(Id, BuiltinStep)> {
    let (holds, fails) = (Hypotheses::of_condition(e, c, true), Hypotheses::of_condition(e, c, false));
    let (then, otherwise) = (holds.range(e, a), fails.range(e, b));
    // the other branch may be equal to this constant at all points where the constant is chosen
    for (constant, range, other, chosen) in [(a, then, b, &holds), (b, otherwise, a, &fails)] {
        let Some(k) = e.facts(constant).constant() else { continue };
        if e.facts(other).interval.contains(k) && chosen.range(e, other) == range {
            return Some((other, BuiltinStep::SelectionCovered));
        }
    }
    let extremum = selected_extremum(e, [a, b], &holds, &fails);
    e.sharpen(id, then.hull(otherwise), Congruence::ANY);
    let pair = (number_or(e, a, then), number_or(e, b, otherwise));
    if pair != (a, b) {
        // before the extremum step, because the new selection is reduced again later
        return Some((e.select(c, pair.0, pair.1), BuiltinStep::SelectionBranch));
    }
    Some((e.extremum(extremum?, a, b), BuiltinStep::SelectionIsExtremum))
}

/// The number in `range`, if `range` contains only one number and `x` is not a constant already. Otherwise `x`.
fn number_or(e: &mut EGraph, x: Id, range: Interval) -> Id {
    match range.as_point() {
        Some(k) if e.facts(x).constant().is_none() => e.add(Node::Const(k)),
        _ => x,
    }
}

/// The extremum of `a` and `b` that a selection is equal to. The selection is `a` under the hypotheses `holds`, and `b`
/// under the hypotheses `fails`.
fn selected_extremum(e: &EGraph, [a, b]: [Id; 2], holds: &Hypotheses, fails: &Hypotheses) -> Option<Extremum> {
    let difference = e.canonical(a).plus(-1, &e.canonical(b))?;
    let known = range_by_terms(&e.graph, &difference);
    // if the difference has one sign everywhere, the extremum is one of the branches and needs no node
    if !known.contains(0) {
        return None;
    }
    let is_nonpositive = |range: Interval| range.hi().is_some_and(|h| h <= 0);
    let chosen = holds.range_of_sum(e, &difference, known);
    if chosen.is_nonneg() {
        return is_nonpositive(fails.range_of_sum(e, &difference, known)).then_some(Extremum::Max);
    }
    if !is_nonpositive(chosen) {
        return None;
    }
    fails.range_of_sum(e, &difference, known).is_nonneg().then_some(Extremum::Min)
}
