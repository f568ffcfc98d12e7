//! The normal form of a node made anew, once its operands have changed.
//!
//! What goes in is a node whose operands have other facts, or are other classes, than when it was made. What comes out is the
//! class that its normal form belongs to, and why they are equal.

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

/// The class of a node made anew.
pub(crate) struct Renormalised {
    pub(crate) class: Id,
    /// Why it is equal to the node; `None` for sums and products, which need no reason, and for quotients, whose
    /// normal form is in the trace by its own name.
    pub(crate) step: Option<BuiltinStep>,
}

/// Makes the normal form of `node` anew; `None` where that says nothing.
pub(crate) fn renormalise(e: &mut EGraph, node: &Node) -> Option<Renormalised> {
    let because = |class: Id, step: BuiltinStep| Some(Renormalised { class, step: Some(step) });
    match node {
        Node::Sum(lin) => match e.canonical_deep(lin)? {
            // it stands where it belongs
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
            // the normal form is told by its own name
            e.renormalised_quotient(*a, n).map(|class| Renormalised { class, step: None })
        }
        Node::TruncDiv([a, b]) => because(e.floor_of_truncation(*a, *b)?, BuiltinStep::NormalForm),
        _ => None,
    }
}

fn product(e: &mut EGraph, ids: &Ids) -> Option<Id> {
    let stays = |&id: &Id| e.canonical(id).as_atom() == Some(id) && e.factors(id).len() == 1;
    // operands merge, and their order changes with the ids
    if ids.iter().all(stays) && ids.is_sorted() {
        return None;
    }
    let factors: Vec<Rc<LinearForm>> = ids.iter().map(|&id| e.canonical(id)).collect();
    let product = e.mul_all(&factors)?;
    e.class_of(&product)
}

/// The smaller (greater) of two classes; one of them where their difference has one sign.
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

/// Whether `x >= 0`, where what the operands of extrema in `x` are decides it.
pub(super) fn decided_sign(e: &EGraph, x: Id) -> Option<bool> {
    let lin = e.canonical(x);
    if !has_extrema(e, &lin) {
        return None;
    }
    Relation::NonNegative.known(range_by_operands(e, &lin))
}
