//! Prices of the operations of plain egg, for the extractors of egg and quaff.

use super::analysis::Known;
use super::language::Math;
use egg::{CostFunction, EGraph, Id, Language};

/// The price of an operation on a GPU, in tenths of an instruction. Only constant operands affect the price.
pub(super) fn own_price(graph: &EGraph<Math, Known>, node: &Math) -> u64 {
    let is_constant = |id: &Id| graph[*id].data.constant.is_some();
    match node {
        Math::Num(_) | Math::Symbol(_) => 1,
        Math::Div([_, n]) | Math::Mod([_, n]) if is_constant(n) => 40,
        Math::Div(_) | Math::Mod(_) => 300,
        _ => 10,
    }
}

/// The cost function of a tree for the extractor of egg.
pub(super) struct Prices<'a>(pub(super) &'a EGraph<Math, Known>);

impl CostFunction<Math> for Prices<'_> {
    type Cost = u64;

    fn cost<C: FnMut(Id) -> u64>(&mut self, node: &Math, mut costs: C) -> u64 {
        node.fold(own_price(self.0, node), |sum: u64, child| sum.saturating_add(costs(child)))
    }
}
