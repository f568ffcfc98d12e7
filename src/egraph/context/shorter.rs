//! Comparisons with a term less, where other conditions hold.
//!
//! What goes in is a comparison of a sum and what holds beside it; what comes out is a comparison of the same sum without one of its terms
//! that says the same there. Of `r*16 + x < 51` beside `r <= x`, with `x` at most 15, `r < 3` is left: smaller `r` are far from the bound,
//! and with a greater one `x` is as great.

use crate::egraph::build::graph::EGraph;
use crate::egraph::context::hypotheses::Hypotheses;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use egg::Id;

/// Sums of more terms are left as they are.
const MAX_TERMS: usize = 6;

/// A comparison that is equal to `id` where the hypotheses `beside` hold, of a sum with a term less.
pub(super) fn shorter(e: &mut EGraph, id: Id, beside: &Hypotheses) -> Option<Id> {
    let sum = |node: &Node| match node {
        Node::NonNeg([x]) => Some(e.canonical(*x)),
        _ => None,
    };
    let sum = e.nodes(id).iter().find_map(sum)?;
    if !(2..=MAX_TERMS).contains(&sum.len()) {
        return None;
    }
    let found = (0..sum.len()).find_map(|i| without_term(e, &sum, i, beside))?;
    e.nonneg(&found)
}

/// A sum without the term `i` that is at least 0 where `sum` is, and nowhere else.
fn without_term(e: &EGraph, sum: &LinearForm, i: usize, beside: &Hypotheses) -> Option<LinearForm> {
    let (coefficient, term) = (sum.coeffs()[i], sum.terms()[i]);
    // what ranges say has been looked at already: something is known of the term beside others
    if !beside.relates(sum, term) {
        return None;
    }
    let (rest, range) = (sum.without(i), beside.range(e, term).scaled(coefficient));
    // divided by the common factor and rounded down, it is at least 0 at the same points
    let with = |end: Option<i64>| {
        let form = rest.clone().plus_constant(end?)?;
        Some(if form.content() > 1 { form.split(form.content()).0 } else { form })
    };
    // With the least value of the term, it is at least 0 only where `sum` is. The two say the same if, wherever it is negative, `sum` is negative
    // too.
    let least = with(range.lo()).filter(|form| {
        let is_negative = |fails| sum.complement().is_some_and(|negative| beside.and(e, fails).proves(e, &negative));
        form.complement().is_some_and(is_negative)
    });
    // With the greatest value, it is at least 0 wherever `sum` is. The two say the same if, wherever it is at least 0, `sum` is too.
    least.or_else(|| with(range.hi()).filter(|form| beside.and(e, form.clone()).proves(e, sum)))
}
