//! egg's e-graph over [`Node`]s, and where the facts of its classes stand.
//!
//! Nodes go in through [`EGraph`](crate::egraph::normal::graph::EGraph), which makes them in normal form. What comes out is what
//! is known of each class.

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

/// What egg keeps per class: where its facts stand in [`FactAnalysis`].
///
/// Facts are read all the time, and a vector answers faster than egg's table of classes, which also moves everything it
/// holds as it grows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FactSlot {
    Class(Id),
    /// Facts made anew from a node, about to be merged into a class.
    Remade,
}

/// What the analysis needs to know and collects.
#[derive(Clone)]
pub(crate) struct FactAnalysis {
    pub(in crate::egraph) vars: Vec<(Interval, Congruence)>,
    /// By id of the class; those of merged classes are void.
    pub(in crate::egraph) facts: Vec<Facts>,
    pub(super) remade: Option<Facts>,
    /// The operators of all nodes ever made, as bits.
    pub(in crate::egraph) operators: u32,
    /// Classes that are new or changed since the last time this was taken.
    pub(in crate::egraph) dirty: Vec<Id>,
    /// Linear facts of the context that this e-graph is for, see [`assume`](crate::egraph::context::assume).
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

/// What is known of a class.
#[inline]
pub(crate) fn facts(graph: &Graph, id: Id) -> &Facts {
    &graph.analysis.facts[usize::from(graph.find(id))]
}

/// What is known of a class whose id is current; `None` for an id that stands for a class that it was merged into.
#[inline]
pub(crate) fn current_facts(graph: &Graph, id: Id) -> Option<&Facts> {
    (graph.find(id) == id).then(|| &graph.analysis.facts[usize::from(id)])
}

/// What is known of a class, to be changed. Whoever changes it lets the users of the class know.
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
