//! What a search knows of its input as it is written.

use super::Search;
use crate::cost::{CostModel, price};
use crate::domain::{Interval, interval_of_op};
use crate::egraph::node::{Head, Node};
use crate::expr::Op;
use egg::Id;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The input of a search as it stands, with what was proved of its parts.
pub(super) struct AsWritten {
    pub(super) price: u64,
    /// Ranges by [`Expr::address`](crate::expr::Expr::address), of the parts of which more is known than variables say.
    pub(super) ranges: FxHashMap<usize, Interval>,
}

impl Search {
    /// The ranges of the nodes of the input, where the e-graph knows more than the ranges of variables say.
    pub(super) fn known_ranges(&self) -> Option<Vec<Interval>> {
        self.ranges_with(&[])
    }

    /// The same where `proved` is known of some nodes as well.
    fn ranges_with(&self, proved: &[(usize, Interval)]) -> Option<Vec<Interval>> {
        let Search { e, dag, ranges, values, .. } = self;
        let mut known: Option<Vec<Interval>> = None;
        for (i, (node, plain)) in dag.nodes().iter().zip(ranges).enumerate() {
            let mut range = *plain;
            let mut meet = |fact: Interval| range = range.meet(fact).unwrap_or(range);
            if let Some(known) = &known
                && !matches!(node.op, Op::Const(_) | Op::Var(_))
            {
                meet(interval_of_op(&node.op, &node.args.map(|a| known[a as usize])));
            }
            if let Some(value) = &values[i] {
                let class = match value.as_atom() {
                    Some(class) => Some(class),
                    None => e.expand(value).and_then(|lin| e.graph.lookup(Node::Sum(lin.into_owned().into()))),
                };
                meet(class.map_or(Interval::ALL, |class| e.facts(class).interval));
            }
            proved.iter().filter(|p| p.0 == i).for_each(|p| meet(p.1));
            if range != *plain {
                known.get_or_insert_with(|| ranges.clone())[i] = range;
            }
        }
        known
    }

    /// The input, priced with what is known of its parts, and with what can be proved of those that need a sign or 64 bits as
    /// far as is known; `None` where that is no more than the ranges of variables say.
    pub(super) fn proved(&self, model: &dyn CostModel) -> Option<AsWritten> {
        let Search { e, dag, ranges, values, .. } = self;
        let known = self.known_ranges();
        let range = |i: usize| known.as_ref().unwrap_or(ranges)[i];
        let mut numerator = vec![false; values.len()];
        for node in dag.nodes().iter().filter(|n| matches!(n.op, Op::FloorDiv | Op::FloorMod)) {
            numerator[node.args[0] as usize] = true;
        }
        let mut proved = Vec::new();
        for (i, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            // sums of a product may be wide where the product is not
            let product = value.as_atom().is_some_and(|t| e.facts(t).has(Head::Product));
            let narrow = range(i).within(i32::MIN.into(), i32::MAX.into());
            if narrow && !product && (!numerator[i] || range(i).is_nonneg()) {
                continue;
            }
            // as it was written, and with what was found of its terms since
            for lin in [e.current(value), e.expand(value).map(Cow::into_owned)].into_iter().flatten() {
                let has_quotient = |&t: &Id| e.factors(t).iter().any(|&f| e.facts(f).has(Head::Div));
                if lin.terms().iter().any(has_quotient) {
                    let more = e.range_by_definitions(&lin);
                    if range(i).meet(more).is_some_and(|both| both != range(i)) {
                        proved.push((i, more));
                    }
                }
            }
        }
        let known = self.ranges_with(&proved)?;
        Some(AsWritten { price: price(dag, &known, model), ranges: self.by_address(&known) })
    }

    /// What is known of the input, by [`Expr::address`](crate::expr::Expr::address).
    pub(super) fn facts_of_input(&self) -> FxHashMap<usize, Interval> {
        self.known_ranges().map(|known| self.by_address(&known)).unwrap_or_default()
    }

    fn by_address(&self, known: &[Interval]) -> FxHashMap<usize, Interval> {
        let news = known.iter().zip(&self.ranges).enumerate().filter(|(_, (known, plain))| known != plain);
        news.map(|(i, (known, _))| (self.dag.origin(i as u32).address(), *known)).collect()
    }
}
