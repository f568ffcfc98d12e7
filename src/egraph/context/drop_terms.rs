//! Replaces comparisons by comparisons with fewer terms, if other conditions allow it.
//!
//! The input is a comparison of a sum and the conditions beside it. The output is a comparison of the same sum without
//! some of its terms, equivalent under these conditions. For example, `r*16 + x < 51` beside `r <= x` becomes `r < 3`,
//! if `x` is at most 15. If `r < 3`, the sum is below 51 for every `x`. If `r >= 3`, `x` is at least 3, so the sum is
//! at least 51.

use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::analysis::term_facts::TermFacts;
use crate::egraph::context::hypotheses::Hypotheses;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use egg::Id;

/// Sums of more terms are not changed.
const MAX_TERMS: usize = 6;

/// A comparison of a sum with fewer terms. It is equal to `id` if the hypotheses `beside` hold.
pub(super) fn shorter(e: &mut EGraph, id: Id, beside: &Hypotheses) -> Option<Id> {
    let sum = |node: &Node| match node {
        Node::NonNeg([x]) => Some(e.canonical(*x)),
        _ => None,
    };
    let sum = e.nodes(id).iter().find_map(sum)?;
    if !(2..=MAX_TERMS).contains(&sum.len()) {
        return None;
    }
    // other code already drops terms by ranges alone, so only terms that a hypothesis relates are tried here
    let found = beside.parts_of(&sum).iter().find_map(|part| without(e, &sum, part, beside))?;
    e.nonneg(&found)
}

/// A form without the terms of `sum` at the positions in `part`. Under the hypotheses, the form is at least 0 exactly
/// if `sum` is at least 0.
fn without(e: &EGraph, sum: &LinearForm, part: &[usize], beside: &Hypotheses) -> Option<LinearForm> {
    let (mut rest, mut terms) = (LinearForm::constant(sum.constant), LinearForm::constant(0));
    for (i, (c, t)) in sum.iter().enumerate() {
        let to = if part.contains(&i) { &mut terms } else { &mut rest };
        *to = to.plus(c, &LinearForm::atom(t))?;
    }
    // a term that a division in the sum contains is kept, because without it the sum would not be a remainder
    let is_divided = |&t: &Id| e.graph.division(t).is_some_and(|(x, _)| terms.terms().iter().any(|&t| x.coeff(t) != 0));
    if sum.terms().iter().any(is_divided) {
        return None;
    }
    let range = beside.range_of_sum(e, &terms, range_by_terms(&e.graph, &terms));
    // division by the common factor, rounded down, does not change at which points the form is at least 0
    let with = |end: Option<i64>| {
        let form = rest.clone().plus_constant(end?)?;
        Some(if form.content() > 1 { form.split(form.content()).0 } else { form })
    };
    // With the least value of the removed terms, the form is at least 0 only if `sum` is at least 0. The two are
    // equivalent if `sum` is negative whenever the form is negative.
    let least = with(range.lo()).filter(|form| {
        let is_negative = |fails| sum.complement().is_some_and(|negative| beside.and(e, fails).proves(e, &negative));
        form.complement().is_some_and(is_negative)
    });
    // With the greatest value of the removed terms, the form is at least 0 whenever `sum` is at least 0. The two are
    // equivalent if `sum` is at least 0 whenever the form is at least 0.
    least.or_else(|| with(range.hi()).filter(|form| beside.and(e, form.clone()).proves(e, sum)))
}
