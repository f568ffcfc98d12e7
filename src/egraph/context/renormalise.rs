//! Makes the normal form of a node again after its operands have changed.
//!
//! The input is a node whose operands got new facts or merged with other classes since the node was made. The output is
//! the class of its normal form, and the step that makes the two equal.

use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Extremum, Ids, Node, Relation};
use crate::egraph::normal::extrema::{has_extrema, range_by_operands};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::builtin_step::BuiltinStep;
use crate::expr::Junction;
use crate::rules::operator::Operator;
use egg::Id;
use std::borrow::Cow;
use std::rc::Rc;

/// The class of the normal form of a node.
pub(crate) struct Renormalised {
    pub(crate) class: Id,
    /// The reason why the class is equal to the node. It is `None` for sums and products, which need no reason. It is
    /// also `None` for quotients, because the trace names their normal form.
    pub(crate) step: Option<BuiltinStep>,
}

/// Makes the normal form of `node` again. `None` if nothing changes.
pub(crate) fn renormalise(e: &mut EGraph, node: &Node) -> Option<Renormalised> {
    let because = |class: Id, step: BuiltinStep| Some(Renormalised { class, step: Some(step) });
    match node {
        Node::Sum(lin) => match e.canonical_deep(lin)? {
            // the node is already canonical
            Cow::Borrowed(_) => None,
            Cow::Owned(lin) => Some(Renormalised { class: e.class_of_canonical(&lin), step: None }),
        },
        Node::Product(factors) => product(e, factors).map(|class| Renormalised { class, step: None }),
        Node::And(clauses) => because(e.junction(Junction::And, clauses), BuiltinStep::NormalForm),
        Node::Or(clauses) => because(e.junction(Junction::Or, clauses), BuiltinStep::NormalForm),
        Node::Not([x]) => because(e.not(*x)?, BuiltinStep::NormalForm),
        Node::Select([c, a, b]) => {
            let class = e.select(*c, *a, *b);
            let f = e.facts(class);
            let decided = f.constant().is_some() || !f.has(Operator::Select);
            because(class, if decided { BuiltinStep::SelectionDecided } else { BuiltinStep::NormalForm })
        }
        Node::Min(operands) => Some(extremum(e, Extremum::Min, *operands)),
        Node::Max(operands) => Some(extremum(e, Extremum::Max, *operands)),
        Node::NonNeg([x]) => match decided_sign(e, *x) {
            Some(holds) => because(e.add(Node::Const(holds.into())), BuiltinStep::ComparisonDecided),
            None => {
                let sum = e.canonical(*x);
                if sum.content() > 1 { because(e.nonneg(&sum)?, BuiltinStep::NormalForm) } else { None }
            }
        },
        Node::Div([a, b]) => {
            let n = e.facts(*b).constant().filter(|n| *n > 1)?;
            // no step, because the trace names the normal form
            e.renormalised_quotient(*a, n).map(|class| Renormalised { class, step: None })
        }
        Node::TruncDiv([a, b]) => because(e.floor_of_truncation(*a, *b)?, BuiltinStep::NormalForm),
        _ => None,
    }
}

fn product(e: &mut EGraph, ids: &Ids) -> Option<Id> {
    let stays = |&id: &Id| e.canonical(id).as_atom() == Some(id) && e.factors(id).len() == 1;
    // merges of operands change their ids, and with them the order of factors
    if ids.iter().all(stays) && ids.is_sorted() {
        return None;
    }
    let factors: Vec<Rc<LinearForm>> = ids.iter().map(|&id| e.canonical(id)).collect();
    let product = e.mul_all(&factors)?;
    e.class_of(&product)
}

/// The minimum or maximum of two classes. The result is one of the two classes if their difference has a known sign.
fn extremum(e: &mut EGraph, which: Extremum, [a, b]: [Id; 2]) -> Renormalised {
    if let Some(difference) = e.canonical(a).plus(-1, &e.canonical(b)) {
        let range = range_by_operands(e, &difference);
        let ordered = match (range.lo(), range.hi()) {
            (Some(lo), _) if lo >= 0 => Some((b, a)),
            (_, Some(hi)) if hi <= 0 => Some((a, b)),
            _ => None,
        };
        if let Some((smaller, greater)) = ordered {
            let class = e.graph.find(if which == Extremum::Min { smaller } else { greater });
            return Renormalised { class, step: Some(BuiltinStep::ExtremumDecided) };
        }
    }
    Renormalised { class: e.extremum(which, a, b), step: Some(BuiltinStep::NormalForm) }
}

/// Whether `x >= 0`, if bounds of extrema by their operands decide this.
pub(super) fn decided_sign(e: &EGraph, x: Id) -> Option<bool> {
    let lin = e.canonical(x);
    if !has_extrema(e, &lin) {
        return None;
    }
    Relation::NonNegative.known(range_by_operands(e, &lin))
}
