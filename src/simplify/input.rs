//! The input of a search as it is written, with what the search knows of its parts: candidates that an answer must not be
//! dearer than.

use super::candidate::{Candidate, InputPrice, cheaper, price_with};
use super::graph::InputGraph;
use super::search::Search;
use crate::cost::CostModel;
use crate::domain::{Domain, Interval, interval_of_op};
use crate::egraph::context::definitions::{current, range_by_definitions};
use crate::egraph::ingest::order::in_order;
use crate::egraph::language::node::Node;
use crate::expr::Op;
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

impl Search {
    /// The input as it is written, with nothing known of its parts but the ranges of variables.
    pub(super) fn input(&self) -> Candidate {
        let InputGraph { dag, vars, model, .. } = &*self.graph;
        Candidate::new(dag.exprs().to_vec(), vars.clone(), model.clone())
    }

    /// What it costs.
    pub(super) fn input_price(&self) -> InputPrice {
        *self.input_price.get_or_init(|| {
            let InputGraph { e, model, dag, ranges, vars, .. } = &*self.graph;
            let price = |ranges: &[Interval]| price_with(dag, ranges, &**model, vars);
            let declared = price(ranges);
            // what assumptions say of parts counts for the answer, and so it does for the input that it is compared with
            let known = if e.assumed { self.known_ranges() } else { None };
            let assumed = known.map_or(declared, |known| price(&known).min(declared));
            InputPrice { declared, assumed }
        })
    }

    /// The input with the operands of commutative operations in an order that does not depend on how it was written.
    pub(super) fn input_in_order(&self, domain: &Domain) -> Candidate {
        let InputGraph { dag, ranges, .. } = &*self.graph;
        self.input().replaced_by(in_order(dag, ranges, &|name| domain.position(name)))
    }

    /// The input with what the e-graph knows of its parts, unless that makes it dearer under `model`: a division of a shorter range
    /// may have a dearer form.
    pub(super) fn input_as_known(&self, model: &Arc<dyn CostModel>) -> Candidate {
        let plain = self.input().under(model.clone());
        cheaper(plain.clone().with_ranges(self.facts_of_input()), plain)
    }

    /// The cheaper of `found` and the input as it is written, with what is known and what can be proved of the input's parts.
    pub(super) fn or_input(&self, found: Candidate) -> Candidate {
        // extraction has priced all that may cost more than the input
        let Some(price) = found.known_price() else { return found };
        let most = self.input_price().assumed;
        let best = if price > most { cheaper(found, self.input_as_known(&self.graph.model)) } else { found };
        // beside what is much cheaper, nothing needs to be proved
        let proved = if price + price < most { None } else { self.input_as_proved() };
        match proved {
            Some(proved) => cheaper(best, proved),
            None => best,
        }
    }

    /// The input with what is known of its parts, and with what can be proved of those that need a sign or 64 bits as far as is
    /// known; `None` where that is no more than the ranges of variables say.
    fn input_as_proved(&self) -> Option<Candidate> {
        let known = self.ranges_with(&self.proved())?;
        let InputGraph { dag, model, vars, .. } = &*self.graph;
        let price = price_with(dag, &known, &**model, vars);
        Some(self.input().with_ranges(self.by_address(&known)).with_price(price))
    }

    /// The ranges of the nodes of the input, where the e-graph knows more than the ranges of variables say.
    fn known_ranges(&self) -> Option<Vec<Interval>> {
        self.ranges_with(&[])
    }

    /// The same where `proved` is known of some nodes as well.
    fn ranges_with(&self, proved: &[(usize, Interval)]) -> Option<Vec<Interval>> {
        let InputGraph { e, dag, ranges, values, .. } = &*self.graph;
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
                    None => e.expand(value).and_then(|sum| e.graph.lookup(Node::Sum(sum.into_owned().into()))),
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

    /// Better ranges, by node of the input, of sums of quotients that need a sign or 64 bits as far as is known. They follow
    /// from the definitions of the quotients.
    fn proved(&self) -> Vec<(usize, Interval)> {
        let InputGraph { e, dag, ranges, values, .. } = &*self.graph;
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
            let product = value.as_atom().is_some_and(|t| e.facts(t).has(Operator::Product));
            let narrow = range(i).within(i32::MIN.into(), i32::MAX.into());
            if narrow && !product && (!numerator[i] || range(i).is_nonneg()) {
                continue;
            }
            // as it was written, and with what was found of its terms since
            for sum in [current(&e.graph, value), e.expand(value).map(Cow::into_owned)].into_iter().flatten() {
                let has_quotient = |&t: &Id| e.factors(t).iter().any(|&f| e.facts(f).has(Operator::Div));
                if sum.terms().iter().any(has_quotient) {
                    let more = range_by_definitions(e, &sum);
                    if range(i).meet(more).is_some_and(|both| both != range(i)) {
                        proved.push((i, more));
                    }
                }
            }
        }
        proved
    }

    /// What is known of the input, by [`Expr::address`](crate::expr::Expr::address).
    pub(super) fn facts_of_input(&self) -> FxHashMap<usize, Interval> {
        self.known_ranges().map(|known| self.by_address(&known)).unwrap_or_default()
    }

    fn by_address(&self, known: &[Interval]) -> FxHashMap<usize, Interval> {
        let InputGraph { dag, ranges, .. } = &*self.graph;
        let news = known.iter().zip(ranges).enumerate().filter(|(_, (known, plain))| known != plain);
        news.map(|(i, (known, _))| (dag.origin(i as u32).address(), *known)).collect()
    }
}
