//! What the facts of classes say of a linear form over them.
//!
//! What goes in is a linear form, which need not be a node; what comes out is its range, its congruence, or its weight.

use crate::domain::{Congruence, Interval};
use crate::egraph::analysis::facts::{MAX_WEIGHT, NODE};
use crate::egraph::analysis::graph::{Graph, facts};
use crate::egraph::language::linear_form::LinearForm;

/// Interval and congruence of `lin`, from those of its terms and from the linear constraints of the context.
pub(crate) fn facts_by_terms(graph: &Graph, lin: &LinearForm) -> (Interval, Congruence) {
    let mut i = Interval::point(lin.constant);
    let mut c = Congruence::point(lin.constant);
    for (f, id) in lin.iter() {
        let d = facts(graph, id);
        i = i.plus(d.interval.scaled(f));
        if c != Congruence::ANY {
            c = c.plus(d.congruence.scaled(f));
        }
    }
    let i = graph.analysis.constraints.range(graph, lin, i).unwrap_or(i);
    (c.tighten(i).unwrap_or(i), c)
}

/// The same; where `lin` is a class, what is known of that class.
pub(crate) fn facts_of_form(graph: &Graph, lin: &LinearForm) -> (Interval, Congruence) {
    match lin.as_atom() {
        Some(id) => (facts(graph, id).interval, facts(graph, id).congruence),
        None => facts_by_terms(graph, lin),
    }
}

/// The interval that the terms of `lin` and the constraints leave to it.
pub(crate) fn range_by_terms(graph: &Graph, lin: &LinearForm) -> Interval {
    facts_by_terms(graph, lin).0
}

/// The weight of a class that is the sum `lin`: that of its terms, and the bits of its coefficients.
pub(crate) fn weight_of_form(graph: &Graph, lin: &LinearForm) -> u32 {
    let bits = |c: i64| 64 - c.unsigned_abs().leading_zeros();
    lin.iter().fold(NODE + bits(lin.constant), |w, (c, t)| {
        w.saturating_add(facts(graph, t).weight.min(MAX_WEIGHT)).saturating_add(bits(c) - 1)
    })
}

/// A linear form as a sum of values that are never negative: `low + Σ |c| * v`.
pub(crate) struct Units {
    /// The sum of the values `v`.
    pub(crate) sum: LinearForm,
    /// The least value of the form.
    pub(crate) low: i64,
    /// The least of the factors `|c|`; for a constant, which has none, the greatest number.
    pub(crate) step: i64,
}

/// `lin` in units; `None` where a term has no bound on the side that counts.
pub(crate) fn units(graph: &Graph, lin: &LinearForm) -> Option<Units> {
    let mut units = Units { sum: LinearForm::default(), low: lin.constant, step: i64::MAX };
    for (c, t) in lin.iter() {
        let range = facts(graph, t).interval;
        let end = if c > 0 { range.lo()? } else { range.hi()? };
        units.low = units.low.checked_add(c.checked_mul(end)?)?;
        units.step = units.step.min(c.checked_abs()?);
        units.sum.push(t, c.signum());
        units.sum.constant = units.sum.constant.checked_add(end.checked_mul(-c.signum())?)?;
    }
    Some(units)
}
