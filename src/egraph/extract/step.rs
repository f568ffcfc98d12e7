//! The and-or graph of one step: the term that a rule matched, and its replacement.

use super::comparisons::Comparison;
use super::operations::{AndOrGraph, Builder, Role, Write};
use crate::cost::{Cost, CostModel};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::firing::Matched;
use egg::Id;
use smallvec::SmallVec;
use std::rc::Rc;

impl AndOrGraph {
    /// An and-or graph with two roots, `from` and `to`, each with one candidate that writes it exactly as it was
    /// matched or found. Their operands may choose any candidate. Traces use the graph to show a step.
    pub(crate) fn step(e: &EGraph, model: &dyn CostModel, from: &Matched, to: &LinearForm) -> AndOrGraph {
        let mut b = Builder::new(e, model);
        b.graph.choices.roots = vec![0, 1];
        b.graph.choices.places.resize(4, SmallVec::new());
        let nowhere = Id::from(0);
        let sum = |b: &mut Builder, lin: Rc<LinearForm>| {
            let operands = lin.terms().iter().map(|&t| b.place(t, Role::Operation)).collect();
            b.push(nowhere, Write::Sum(lin), Cost::ZERO, operands, None)
        };
        let comparison =
            |b: &mut Builder, lin: &LinearForm, relation| b.comparison(nowhere, Comparison::by_sign(lin, relation));
        let before = match from {
            Matched::Sum(l) => sum(&mut b, l.clone()),
            Matched::Node(Node::NonNeg([x])) => comparison(&mut b, &e.canonical(*x), Relation::NonNegative),
            Matched::Node(Node::Zero([x])) => comparison(&mut b, &e.canonical(*x), Relation::Zero),
            Matched::Comparison { sum, relation } => comparison(&mut b, sum, *relation),
            Matched::Quotient(x, n) => {
                // uses two extra places, because the operands may have no classes
                let numerator = sum(&mut b, x.clone());
                let divisor = b.push(nowhere, Write::Constant(*n), Cost::ZERO, SmallVec::new(), None);
                b.graph.choices.places[2].push(numerator);
                b.graph.choices.places[3].push(divisor);
                b.push(nowhere, Write::Node(Node::Div([nowhere; 2])), Cost::ZERO, SmallVec::from_slice(&[2, 3]), None)
            }
            Matched::Node(n) => {
                let operands = egg::Language::children(n).iter().map(|&c| b.place(c, Role::Any)).collect();
                b.push(nowhere, Write::Node(n.clone()), Cost::ZERO, operands, None)
            }
        };
        let after = sum(&mut b, Rc::new(to.clone()));
        b.graph.choices.places[0].push(before);
        b.graph.choices.places[1].push(after);
        b.fill();
        b.graph
    }
}
