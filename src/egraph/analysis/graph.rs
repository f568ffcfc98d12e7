//! egg's e-graph over [`Node`]s, and the storage of the facts of its classes.
//!
//! Nodes are added through [`EGraph`](crate::egraph::normal::graph::EGraph), which makes them in normal form. The
//! output is the facts about each class.

use super::facts::Facts;
use super::linear_constraints::LinearConstraints;
use super::term_facts::TermFacts;
use crate::cost::CostModel;
use crate::domain::{Congruence, Interval};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;
use std::sync::Arc;

/// egg's data per class: the position of its facts in the vector of [`FactAnalysis`].
///
/// Facts are read all the time. A vector is faster to read than egg's table of classes, which also moves its contents
/// as it grows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FactSlot {
    Class(Id),
    /// Facts that were just made from a node and will be merged into a class.
    Remade,
}

/// The inputs and the results of the analysis.
#[derive(Clone)]
pub(crate) struct FactAnalysis {
    pub(in crate::egraph) vars: Vec<(Interval, Congruence)>,
    /// The facts by id of the class. Entries of merged classes are void.
    pub(in crate::egraph) facts: Vec<Facts>,
    pub(super) remade: Option<Facts>,
    /// The operators of all nodes ever made, as bits.
    pub(in crate::egraph) operators: u32,
    /// Classes that are new or changed since this list was last emptied.
    pub(in crate::egraph) dirty: Vec<Id>,
    /// Linear facts of the context of this e-graph, see [`assume`](crate::egraph::context::assume).
    pub(in crate::egraph) constraints: LinearConstraints,
    pub(in crate::egraph) model: Arc<dyn CostModel>,
}

pub(crate) type Graph = egg::EGraph<Node, FactAnalysis>;

impl FactAnalysis {
    pub(crate) fn new(vars: Vec<(Interval, Congruence)>, model: Arc<dyn CostModel>) -> FactAnalysis {
        FactAnalysis {
            vars,
            facts: Vec::with_capacity(64),
            remade: None,
            operators: 0,
            dirty: Vec::new(),
            constraints: LinearConstraints::default(),
            model,
        }
    }
}

/// The facts about a class.
#[inline]
pub(crate) fn facts(graph: &Graph, id: Id) -> &Facts {
    &graph.analysis.facts[usize::from(graph.find(id))]
}

/// The facts about the class `id`. `None` if that class was merged into another one.
#[inline]
pub(crate) fn current_facts(graph: &Graph, id: Id) -> Option<&Facts> {
    (graph.find(id) == id).then(|| &graph.analysis.facts[usize::from(id)])
}

/// Mutable access to the facts about a class. A caller that changes them must notify the users of the class.
#[inline]
pub(crate) fn facts_mut(graph: &mut Graph, id: Id) -> &mut Facts {
    let id = graph.find(id);
    &mut graph.analysis.facts[usize::from(id)]
}

impl TermFacts for Graph {
    fn interval(&self, t: Id) -> Interval {
        facts(self, t).interval
    }

    fn is_division(&self, t: Id) -> bool {
        facts(self, t).has(Operator::Div)
    }

    fn division(&self, t: Id) -> Option<(Rc<LinearForm>, i64)> {
        let known = facts(self, t);
        if known.constant().is_some() || !known.has(Operator::Div) {
            return None;
        }
        self[t].nodes.iter().find_map(|n| {
            let Node::Div([a, b]) = n else { return None };
            let n = facts(self, *b).constant()?;
            let a = self.find(*a);
            let data = facts(self, a);
            let x = data.canon().cloned().unwrap_or_else(|| Rc::new(LinearForm::atom(a)));
            if x.coeff(t) != 0 {
                return None;
            }
            match n {
                1.. => Some((x, n)),
                0 => None,
                _ => Some((Rc::new(x.scaled(-1)?), n.checked_neg()?)),
            }
        })
    }
}
