//! Limits the operations of a class that a nested pattern tries. For `(// (// ?x... #a) #b)`, these are the divisions
//! in the class of the numerator.

use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::rules::operator::Operator;
use egg::{Id, Language};

/// The maximum number of operations of one class that a nested pattern tries. The operations with the lowest ids are
/// the least nested ones, and all others are equal to them. A chain of n nested divisions has n operations in one
/// class. In a sum, the simplest operation is tried as well if it has a higher id, because the answer may be written
/// with it.
pub(super) const MAX_NESTED_ALTERNATIVES: usize = 2;
/// The limit if sizes are symbols, because a quotient by a product has as many spellings as the product has factors.
const MAX_SYMBOLIC_ALTERNATIVES: usize = 4;

/// The limit of operations of one class that a nested pattern tries.
pub(super) fn max_alternatives(e: &EGraph) -> usize {
    if e.has_symbols() { MAX_SYMBOLIC_ALTERNATIVES } else { MAX_NESTED_ALTERNATIVES }
}

/// The least nested operation of a class with this operator, if its position among the nodes of the class is at least
/// `at`.
pub(super) fn simplest_after(at: usize, e: &EGraph, id: Id, operator: Operator) -> Option<Node> {
    let nodes = e.nodes(id).iter().enumerate().filter(|(_, node)| node.operator() == operator);
    let nesting = |node: &Node| node.children().first().map(|&operand| e.facts(operand).nesting());
    let (i, simplest) = nodes.min_by_key(|(i, node)| (nesting(node), *i))?;
    (i >= at).then(|| simplest.clone())
}
