//! Comparisons with fewer terms, where other conditions hold.
//!
//! What goes in is a comparison of a sum and what holds beside it; what comes out is a comparison of the same sum without some of its
//! terms that says the same there. Of `r*16 + x < 51` beside `r <= x`, with `x` at most 15, `r < 3` is left: smaller `r` are far from the bound,
//! and with a greater one `x` is as great.

use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::analysis::term_facts::TermFacts;
use crate::egraph::context::hypotheses::Hypotheses;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use egg::Id;

/// Sums of more terms are left as they are.
const MAX_TERMS: usize = 6;

/// A comparison that is equal to `id` where the hypotheses `beside` hold, of a sum with fewer terms.
pub(super) fn shorter(e: &mut EGraph, id: Id, beside: &Hypotheses) -> Option<Id> {
    let sum = |node: &Node| match node {
        Node::NonNeg([x]) => Some(e.canonical(*x)),
        _ => None,
    };
    let sum = e.nodes(id).iter().find_map(sum)?;
    if !(2..=MAX_TERMS).contains(&sum.len()) {
        return None;
    }
    // what ranges say has been looked at already
    let found = beside.parts_of(&sum).iter().find_map(|part| without(e, &sum, part, beside))?;
    e.nonneg(&found)
}

/// A sum without the terms at the positions of `part` that is at least 0 where `sum` is, and nowhere else.
fn without(e: &EGraph, sum: &LinearForm, part: &[usize], beside: &Hypotheses) -> Option<LinearForm> {
    let (mut rest, mut terms) = (LinearForm::constant(sum.constant), LinearForm::constant(0));
    for (i, (c, t)) in sum.iter().enumerate() {
        let to = if part.contains(&i) { &mut terms } else { &mut rest };
        *to = to.plus(c, &LinearForm::atom(t))?;
    }
    // without them the sum would be no remainder any more
    let is_divided = |&t: &Id| e.graph.division(t).is_some_and(|(x, _)| terms.terms().iter().any(|&t| x.coeff(t) != 0));
    if sum.terms().iter().any(is_divided) {
        return None;
    }
    let range = beside.range_of_sum(e, &terms, range_by_terms(&e.graph, &terms));
    // divided by the common factor and rounded down, it is at least 0 at the same points
    let with = |end: Option<i64>| {
        let form = rest.clone().plus_constant(end?)?;
        Some(if form.content() > 1 { form.split(form.content()).0 } else { form })
    };
    // With the least value of the terms, it is at least 0 only where `sum` is. The two say the same if, wherever it is negative, `sum` is
    // negative too.
    let least = with(range.lo()).filter(|form| {
        let is_negative = |fails| sum.complement().is_some_and(|negative| beside.and(e, fails).proves(e, &negative));
        form.complement().is_some_and(is_negative)
    });
    // With the greatest value, it is at least 0 wherever `sum` is. The two say the same if, wherever it is at least 0, `sum` is too.
    least.or_else(|| with(range.hi()).filter(|form| beside.and(e, form.clone()).proves(e, sum)))
}
