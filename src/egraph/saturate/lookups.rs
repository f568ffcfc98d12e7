//! Answers queries of rules of the phase `share`, which search the whole e-graph. The queries search for operations, and
//! for sums that are operands of operations.

use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::rules::operator::Operator;
use egg::{Id, Language};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// The classes of an e-graph, and cached results of queries.
#[derive(Default)]
pub(super) struct Lookups {
    /// All classes, sorted by id.
    pub(super) classes: Rc<[Id]>,
    operations: Vec<(Operator, Rc<[Node]>)>,
    first_operands: Vec<(u32, Rc<[Rc<LinearForm>]>)>,
    canonical: FxHashMap<Id, Rc<LinearForm>>,
}

impl Lookups {
    pub(super) fn of(e: &EGraph) -> Lookups {
        let mut classes: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
        classes.sort_unstable();
        Lookups { classes: classes.into(), ..Lookups::default() }
    }

    /// The nodes whose operator is in `operators`, a set of bits.
    fn nodes<'e>(&self, e: &'e EGraph, operators: u32) -> impl Iterator<Item = &'e Node> {
        let classes =
            self.classes.iter().map(|&id| e.graph.find(id)).filter(move |&id| e.facts(id).operators & operators != 0);
        let nodes = classes.collect::<Vec<_>>().into_iter().flat_map(|id| e.nodes(id));
        nodes.filter(move |node| operators & Operator::bits(&[node.operator()]) != 0)
    }

    /// The canonical form of a class.
    pub(super) fn canonical(&mut self, e: &EGraph, id: Id) -> Rc<LinearForm> {
        self.canonical.entry(id).or_insert_with(|| e.canonical(id)).clone()
    }

    /// The operations with this operator.
    pub(super) fn operations(&mut self, e: &EGraph, operator: Operator) -> Rc<[Node]> {
        if let Some((_, nodes)) = self.operations.iter().find(|(of, _)| *of == operator) {
            return nodes.clone();
        }
        let nodes: Rc<[Node]> = self.nodes(e, Operator::bits(&[operator])).cloned().collect();
        self.operations.push((operator, nodes.clone()));
        nodes
    }

    /// The sums that are the first operand of an operation. `operators` is the set of its possible operators, as bits.
    /// Each sum occurs once.
    pub(super) fn first_operands(&mut self, e: &EGraph, operators: u32) -> Rc<[Rc<LinearForm>]> {
        if let Some((_, sums)) = self.first_operands.iter().find(|(of, _)| *of == operators) {
            return sums.clone();
        }
        let operands = self.nodes(e, operators).filter_map(|node| node.children().first());
        let mut ids: Vec<Id> =
            operands.map(|&id| e.graph.find(id)).filter(|&id| e.facts(id).has(Operator::Sum)).collect();
        ids.sort_unstable();
        ids.dedup();
        let sums: Rc<[Rc<LinearForm>]> = ids.into_iter().map(|id| self.canonical(e, id)).collect();
        self.first_operands.push((operators, sums.clone()));
        sums
    }
}

/// The operations with this operator whose first operand is `class`.
pub(super) fn operations_on(e: &EGraph, operator: Operator, class: Id) -> SmallVec<[Node; 2]> {
    let class = e.graph.find(class);
    let users = e.graph[class].parents().map(|id| e.graph.id_to_node(id));
    let is_first = |node: &&Node| node.children().first().is_some_and(|&first| e.graph.find(first) == class);
    users.filter(|node| node.operator() == operator).filter(is_first).cloned().collect()
}
