//! Which operations of a class a nested pattern is tried on.

use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::rules::operator::Operator;
use egg::{Id, Language};

/// A nested pattern tries at most this many operations of one class. Those with the lowest ids are the least nested, and they
/// say what all of them say: a chain of n nested divisions has n operations in one class. In a sum, the simplest one is tried as well
/// where it came later: the answer may be written with it.
pub(super) const MAX_NESTED_ALTERNATIVES: usize = 2;
/// The same where sizes are symbols: a quotient by a product has as many spellings as the product has factors.
const MAX_SYMBOLIC_ALTERNATIVES: usize = 4;

/// How many operations of one class a nested pattern tries.
pub(super) fn max_alternatives(e: &EGraph) -> usize {
    if e.has_symbols() { MAX_SYMBOLIC_ALTERNATIVES } else { MAX_NESTED_ALTERNATIVES }
}

/// The least nested operation of a class with this operator, where its place among the nodes is `at` or later.
pub(super) fn simplest_after(at: usize, e: &EGraph, id: Id, operator: Operator) -> Option<Node> {
    let nodes = e.nodes(id).iter().enumerate().filter(|(_, node)| node.operator() == operator);
    let nesting = |node: &Node| node.children().first().map(|&operand| e.facts(operand).nesting());
    let (i, simplest) = nodes.min_by_key(|(i, node)| (nesting(node), *i))?;
    (i >= at).then(|| simplest.clone())
}
