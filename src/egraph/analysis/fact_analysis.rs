//! Computes the facts of nodes and merges the facts of equal classes. egg calls these functions when nodes are made or
//! changed, and when classes merge.

use super::facts::Facts;
use super::graph::{FactAnalysis, FactSlot, Graph, facts_mut};
use super::node_facts::facts_of_node;
use crate::egraph::language::node::Node;
use egg::{Analysis, DidMerge, Id};

impl Analysis<Node> for FactAnalysis {
    type Data = FactSlot;

    fn make(graph: &mut Graph, node: &Node, id: Id) -> FactSlot {
        let made = facts_of_node(graph, node);
        debug_assert_eq!(graph.analysis.facts.len(), usize::from(id));
        graph.analysis.operators |= made.operators;
        graph.analysis.facts.push(made);
        FactSlot::Class(id)
    }

    fn remake(graph: &mut Graph, node: &Node, _: Id) -> FactSlot {
        graph.analysis.remade = Some(facts_of_node(graph, node));
        FactSlot::Remade
    }

    fn merge(&mut self, a: &mut FactSlot, b: FactSlot) -> DidMerge {
        let other = match b {
            FactSlot::Class(id) => Some(std::mem::replace(&mut self.facts[usize::from(id)], Facts::unknown())),
            FactSlot::Remade => self.remade.take(),
        };
        match (*a, other) {
            (FactSlot::Class(id), Some(other)) => self.facts[usize::from(id)].merge(other),
            // this case does not occur: egg merges only into classes, and merges each remade node only once
            _ => DidMerge(false, false),
        }
    }

    fn modify(graph: &mut Graph, id: Id) {
        facts_mut(graph, id).version += 1;
        graph.analysis.dirty.push(id);
    }
}
