//! Bounds sums that have minima and maxima as terms. The operands of an extremum bound it, so `min(a, b) - a` is at
//! most 0.
//!
//! The input is a linear form, and the output is its range.

use crate::domain::Interval;
use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Extremum;
use crate::egraph::normal::graph::EGraph;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

/// The maximum number of minima and maxima whose operands bound one sum.
const MAX_EXTREMA: u32 = 16;

/// Whether a term of `lin` is a minimum or a maximum.
pub(crate) fn has_extrema(e: &EGraph, lin: &LinearForm) -> bool {
    lin.terms().iter().any(|&t| e.facts(t).has(Operator::Min) || e.facts(t).has(Operator::Max))
}

/// The range of `lin`, bounded by facts such as `min(a, b) <= a` and `x//n*n <= x`.
pub(crate) fn range_by_operands(e: &EGraph, lin: &LinearForm) -> Interval {
    let mut constraints = e.graph.analysis.constraints.clone();
    let mut todo: Vec<Id> = lin.terms().to_vec();
    let (mut at, mut extrema) = (0, 0);
    // visits every class once, nearest first, because a class can be an operand of itself: `min(1, min(1, x))`
    while let Some(&t) = todo.get(at) {
        at += 1;
        for (extremum, operands) in e.nodes(t).iter().filter_map(Extremum::of) {
            if extrema == MAX_EXTREMA {
                break;
            }
            extrema += 1;
            let sign = if extremum == Extremum::Min { 1 } else { -1 };
            for operand in operands.map(|operand| e.canonical(operand)) {
                if let Some(constraint) = operand.plus(-1, &e.canonical(t)).and_then(|l| l.scaled(sign)) {
                    constraints.push(Rc::new(constraint));
                }
                for &u in operand.terms() {
                    if !todo.contains(&u) {
                        todo.push(u);
                    }
                }
            }
        }
    }
    let known = range_by_terms(&e.graph, lin);
    constraints.hull(&e.graph, lin).and_then(|range| range.meet(known)).unwrap_or(known)
}
