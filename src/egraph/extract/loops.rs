//! Prices of candidates where some variables count the iterations of loops.
//!
//! What goes in are classes and nodes; what comes out are the classes that depend on a loop however they are computed, and the prices of
//! operations, which count as often as they are computed.

use crate::cost::loops::{SumInLoop, product_price, weighted};
use crate::cost::{Cost, CostModel};
use crate::egraph::build::graph::EGraph;
use crate::egraph::build::spellings::spellings;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::language::price::sum_is_wide;
use crate::rules::operator::Operator;
use egg::{Id, Language};

/// Which classes depend on a loop.
pub(super) struct Loops {
    /// By id of the class; empty where there are no loops.
    varies: Vec<bool>,
}

impl Loops {
    /// Passes over the classes until no more of them are found not to depend on a loop; linear for an e-graph without cycles whose
    /// classes are older than what they are operands of.
    pub(super) fn new(e: &EGraph) -> Loops {
        if !e.has_loops() {
            return Loops { varies: Vec::new() };
        }
        let mut loops = Loops { varies: vec![true; e.graph.nodes().len()] };
        let mut ids: Vec<Id> = e.graph.classes().map(|c| c.id).collect();
        ids.sort_unstable();
        loop {
            let before = ids.len();
            ids.retain(|&id| {
                let stays = !loops.is_fixed(e, id);
                loops.varies[usize::from(id)] = stays;
                stays
            });
            if ids.len() == before {
                return loops;
            }
        }
    }

    /// Whether one of its nodes or spellings computes `id` from classes that do not depend on a loop.
    fn is_fixed(&self, e: &EGraph, id: Id) -> bool {
        let fixed = |ids: &[Id]| !ids.iter().any(|&c| self.varies(e, c));
        e.facts(id).constant().is_some()
            || e.nodes(id).iter().any(|node| match node {
                Node::Var(v) => !e.is_loop(*v as usize),
                node => fixed(node.children()),
            })
            || spellings(e, id).iter().any(|s| s.as_atom().is_none() && fixed(s.terms()))
    }

    pub(super) fn varies(&self, e: &EGraph, id: Id) -> bool {
        !self.varies.is_empty() && self.varies[usize::from(e.graph.find(id))]
    }

    /// `price`, of an operation on `operands`, as often as it is computed.
    pub(super) fn weighted(&self, e: &EGraph, price: Cost, operands: &[Id]) -> Cost {
        weighted(price, operands.iter().any(|&id| self.varies(e, id)))
    }

    /// The price of a sum, `None` where it does not depend on a loop.
    pub(super) fn sum(&self, e: &EGraph, lin: &LinearForm, model: &dyn CostModel) -> Option<Cost> {
        if !lin.terms().iter().any(|&t| self.varies(e, t)) {
            return None;
        }
        let wide = sum_is_wide(lin, &|t| e.facts(t).interval);
        let mut sum = SumInLoop { wide, ..SumInLoop::default() };
        sum.fixed[1] += u32::from(lin.constant != 0);
        for (c, t) in lin.iter() {
            let is_product = e.facts(t).has(Operator::Product);
            let hoists = is_product && e.factors(t).iter().any(|&f| !self.varies(e, f));
            sum.push(c, self.varies(e, t), hoists);
        }
        Some(sum.price(model))
    }

    /// The price of a product, `None` where it does not depend on a loop.
    pub(super) fn product(&self, e: &EGraph, factors: &[Id], wide: bool, model: &dyn CostModel) -> Option<Cost> {
        let varying = factors.iter().filter(|&&f| self.varies(e, f)).count();
        (varying > 0).then(|| product_price(model, (factors.len() - varying) as u32, varying as u32, wide))
    }
}
