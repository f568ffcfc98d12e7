//! What rules of the phase `share` look up in the whole e-graph: operations, and the sums that are operands of some.

use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::saturate::matcher::Run;
use crate::rules::operator::Operator;
use egg::{Id, Language};
use std::rc::Rc;

/// The classes of an e-graph, and answers that were given about them.
#[derive(Default)]
pub(super) struct Lookups {
    /// In order.
    pub(super) classes: Rc<[Id]>,
    operations: Vec<(Operator, Rc<[Node]>)>,
    first_operands: Vec<(u32, Rc<[Rc<LinearForm>]>)>,
}

impl Lookups {
    pub(super) fn of(e: &EGraph) -> Lookups {
        let mut classes: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
        classes.sort_unstable();
        Lookups { classes: classes.into(), ..Lookups::default() }
    }

    /// The nodes with one of these operators, which are bits.
    fn nodes<'e>(&self, e: &'e EGraph, operators: u32) -> impl Iterator<Item = &'e Node> {
        let classes =
            self.classes.iter().map(|&id| e.graph.find(id)).filter(move |&id| e.facts(id).operators & operators != 0);
        let nodes = classes.collect::<Vec<_>>().into_iter().flat_map(|id| e.nodes(id));
        nodes.filter(move |node| operators & Operator::bits(&[node.operator()]) != 0)
    }
}

impl Run<'_> {
    /// The operations with this operator.
    pub(super) fn operations(&mut self, operator: Operator) -> Rc<[Node]> {
        let lookups = &mut self.m.lookups;
        if let Some((_, nodes)) = lookups.operations.iter().find(|(of, _)| *of == operator) {
            return nodes.clone();
        }
        let nodes: Rc<[Node]> = lookups.nodes(self.e, Operator::bits(&[operator])).cloned().collect();
        lookups.operations.push((operator, nodes.clone()));
        nodes
    }

    /// Those whose first operand is `class`.
    pub(super) fn operations_on(&self, operator: Operator, class: Id) -> Rc<[Node]> {
        let graph = &self.e.graph;
        let class = graph.find(class);
        let users = graph[class].parents().map(|id| graph.id_to_node(id));
        let is_asked_for = |node: &&Node| {
            node.operator() == operator && node.children().first().is_some_and(|&first| graph.find(first) == class)
        };
        users.filter(is_asked_for).cloned().collect()
    }

    /// The sums that are the first operand of an operation with one of these operators, which are bits; each once.
    pub(super) fn first_operands(&mut self, operators: u32) -> Rc<[Rc<LinearForm>]> {
        let (lookups, e) = (&mut self.m.lookups, &*self.e);
        if let Some((_, sums)) = lookups.first_operands.iter().find(|(of, _)| *of == operators) {
            return sums.clone();
        }
        let operands = lookups.nodes(e, operators).filter_map(|node| node.children().first());
        let mut ids: Vec<Id> = operands.map(|&id| e.graph.find(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        let sums: Rc<[Rc<LinearForm>]> = ids.into_iter().map(|id| e.canonical(id)).collect();
        lookups.first_operands.push((operators, sums.clone()));
        sums
    }
}
