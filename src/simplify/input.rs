//! What a search knows of its input as it is written.

use super::Search;
use crate::domain::{Interval, interval_of_op};
use crate::egraph::node::Node;
use crate::expr::Op;
use rustc_hash::FxHashMap;

impl Search {
    /// The ranges of the nodes of the input, where the e-graph knows more than the ranges of variables say.
    pub(super) fn known_ranges(&self) -> Option<Vec<Interval>> {
        let Search { e, dag, ranges, values, .. } = self;
        let mut known: Option<Vec<Interval>> = None;
        for (i, (node, plain)) in dag.nodes().iter().zip(ranges).enumerate() {
            let mut range = *plain;
            if let Some(known) = &known
                && !matches!(node.op, Op::Const(_) | Op::Var(_))
            {
                let of_operands = interval_of_op(&node.op, &node.args.map(|a| known[a as usize]));
                range = range.meet(of_operands).unwrap_or(range);
            }
            if let Some(value) = &values[i] {
                let class = match value.as_atom() {
                    Some(class) => Some(class),
                    None => e.expand(value).and_then(|lin| e.graph.lookup(Node::Sum(lin.into_owned().into()))),
                };
                let fact = class.map_or(Interval::ALL, |class| e.facts(class).interval);
                range = range.meet(fact).unwrap_or(range);
            }
            if range != *plain {
                known.get_or_insert_with(|| ranges.clone())[i] = range;
            }
        }
        known
    }

    /// The same by [`Expr::address`](crate::expr::Expr::address), for the nodes of which more is known.
    pub(super) fn facts_of_input(&self) -> FxHashMap<usize, Interval> {
        let known = self.known_ranges().unwrap_or_default();
        let news = known.iter().zip(&self.ranges).enumerate().filter(|(_, (known, plain))| known != plain);
        news.map(|(i, (known, _))| (self.dag.origin(i as u32).address(), *known)).collect()
    }
}
