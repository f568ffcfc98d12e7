//! Makes candidates of the input itself. These candidates use the facts that the search found about parts of the input.
//! An answer must not cost more than these candidates.

use super::candidate::{Candidate, InputPrice, cheaper, price_with};
use super::problem::Problem;
use super::search::Search;
use crate::cost::CostModel;
use crate::domain::{Domain, Interval, interval_of_op};
use crate::egraph::context::definitions::{current, range_by_definitions};
use crate::egraph::ingest::order::in_order;
use crate::egraph::language::node::Node;
use crate::expr::{Expr, Junction, Op, int};
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;

impl Search {
    /// The input as written, with only the ranges of variables as facts.
    pub(super) fn input(&self) -> Candidate {
        let Problem { dag, vars, model, .. } = &*self.graph;
        Candidate::new(dag.exprs().to_vec(), vars.clone(), model.clone())
    }

    /// The cost of the input.
    pub(super) fn input_price(&self) -> InputPrice {
        *self.input_price.get_or_init(|| {
            let Problem { e, model, dag, ranges, vars, .. } = &*self.graph;
            let price = |ranges: &[Interval]| price_with(dag, ranges, &**model, vars);
            let declared = price(ranges);
            // facts from assumptions lower the price of the answer, so the price of the input must use them too
            let known = if e.assumed { self.known_ranges() } else { None };
            let assumed = known.map_or(declared, |known| price(&known).min(declared));
            InputPrice { declared, assumed }
        })
    }

    /// The input with sorted operands of commutative operations. The order does not depend on how the input was
    /// written.
    pub(super) fn input_in_order(&self, domain: &Domain) -> Candidate {
        let Problem { dag, ranges, .. } = &*self.graph;
        self.input().replaced_by(in_order(dag, ranges, &|name| domain.position(name)))
    }

    /// The cheaper of two candidates under `model`. One is the input with [merged](Self::merged) parts and the ranges
    /// that the e-graph found. The other is the input as written, with only the ranges of variables. Tighter ranges can
    /// raise a price, because a division of a shorter range may have a costlier form.
    pub(super) fn input_as_known(&self, model: &Arc<dyn CostModel>) -> Candidate {
        let plain = self.input().under(model.clone());
        let known = self.known_ranges();
        cheaper(self.merged(known.as_deref()).under(model.clone()), plain)
    }

    /// The cheaper of `found` and the input as written. The price of the input uses the facts of the e-graph and proofs
    /// about its parts.
    pub(super) fn or_input(&self, found: Candidate) -> Candidate {
        let (price, most) = (found.price(), self.input_price().assumed);
        // if the answer costs less than half of the input, proofs about the input change nothing
        if price <= most && (found.needs_no_proof() || price + price < most) {
            return found;
        }
        let best = cheaper(found, self.input_as_known(&self.graph.model));
        match self.ranges_with(&self.proved()) {
            Some(proved) => cheaper(best, self.merged(Some(&proved))),
            None => best,
        }
    }

    /// The input in which parts of equal value are replaced by the first of them, and constant parts by numbers. If
    /// this changes the input, operands are also sorted, so that the result does not depend on their written order.
    /// `known` are the ranges of its nodes.
    fn merged(&self, known: Option<&[Interval]>) -> Candidate {
        let Problem { e, dag, ranges, values, .. } = &*self.graph;
        let mut exprs: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
        let (mut firsts, mut by_address) = (FxHashMap::default(), FxHashMap::default());
        for (i, node) in dag.nodes().iter().enumerate() {
            let range = known.map_or(ranges[i], |known| known[i]);
            let value = values[i].as_deref().and_then(|value| Some(e.canonical_deep(value)?.into_owned()));
            let constant = range.as_point().or_else(|| e.facts_of(value.as_ref()?).0.as_point());
            let written = || without_neutral(node.op.clone(), node.args().iter().map(|&a| &exprs[a as usize]));
            let part = match (constant, value) {
                (Some(c), _) => int(c),
                (None, Some(value)) => firsts.entry(value).or_insert_with(written).clone(),
                (None, None) => written(),
            };
            if range != ranges[i] {
                by_address.entry(part.address()).or_insert(range);
            }
            exprs.push(part);
        }
        let roots: Vec<Expr> = dag.roots().iter().map(|&root| exprs[root as usize].clone()).collect();
        let is_as_written = roots == dag.exprs();
        let merged = self.input().replaced_by(roots).with_ranges(by_address);
        if is_as_written {
            return merged;
        }
        let position = |name: &str| self.graph.vars.iter().position(|v| &*v.name == name);
        let in_order = merged.replaced_by(in_order(merged.dag(), &merged.ranges(), &position));
        cheaper(in_order, merged)
    }

    /// The ranges of the nodes of the input, if the e-graph narrows any of them.
    fn known_ranges(&self) -> Option<Vec<Interval>> {
        self.ranges_with(&[])
    }

    /// The ranges of the nodes of the input, narrowed by the e-graph and by `proved`, which holds ranges of some nodes.
    fn ranges_with(&self, proved: &[(usize, Interval)]) -> Option<Vec<Interval>> {
        let Problem { e, dag, ranges, values, .. } = &*self.graph;
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
                    None => e.canonical_deep(value).and_then(|sum| e.graph.lookup(Node::Sum(sum.into_owned().into()))),
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

    /// Tighter ranges of those sums of quotients in the input that seem to need a sign or 64 bits. The definitions of
    /// the quotients prove these ranges. Each entry is a node of the input and its range.
    fn proved(&self) -> Vec<(usize, Interval)> {
        let Problem { e, dag, ranges, values, .. } = &*self.graph;
        let known = self.known_ranges();
        let range = |i: usize| known.as_ref().unwrap_or(ranges)[i];
        let mut numerator = vec![false; values.len()];
        for node in dag.nodes().iter().filter(|n| n.op.is_division()) {
            numerator[node.args[0] as usize] = true;
        }
        let mut proved = Vec::new();
        for (i, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            // a product that is multiplied out may have wide partial sums, although its value is narrow
            let product = value.as_atom().is_some_and(|t| e.facts(t).has(Operator::Product));
            let narrow = range(i).fits_i32();
            if narrow && !product && (!numerator[i] || range(i).is_nonneg()) {
                continue;
            }
            // the sum as written, and the sum with its terms replaced by their canonical forms
            for sum in [current(&e.graph, value), e.canonical_deep(value).map(Cow::into_owned)].into_iter().flatten() {
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

    /// The ranges of those parts of the input that the e-graph narrows, by
    /// [`Expr::address`](crate::expr::Expr::address).
    pub(super) fn facts_of_input(&self) -> FxHashMap<usize, Interval> {
        self.known_ranges().map(|known| self.by_address(&known)).unwrap_or_default()
    }

    fn by_address(&self, known: &[Interval]) -> FxHashMap<usize, Interval> {
        let Problem { dag, ranges, .. } = &*self.graph;
        let news = known.iter().zip(ranges).enumerate().filter(|(_, (known, plain))| known != plain);
        news.map(|(i, (known, _))| (dag.origin(i as u32).address(), *known)).collect()
    }
}

/// `op` applied to `args`, without a term 0 of a sum and without numbers as clauses of a conjunction or disjunction.
fn without_neutral<'a>(op: Op, args: impl Iterator<Item = &'a Expr>) -> Expr {
    let args: Vec<Expr> = args.cloned().collect();
    if let (Op::Add, [a, b]) = (&op, &args[..])
        && let Some(sum) = if a.as_const() == Some(0) { Some(b) } else { (b.as_const() == Some(0)).then_some(a) }
    {
        return sum.clone();
    }
    let Some(junction) = Junction::of(&op) else { return Expr::new(op, args) };
    let is_neutral = |e: &Expr| e.as_const().map(|c| (c != 0) == junction.neutral());
    match &args[..] {
        [a, b] if is_neutral(a) == Some(true) && b.op().is_truth() => b.clone(),
        [a, b] if is_neutral(b) == Some(true) && a.op().is_truth() => a.clone(),
        args if args.iter().any(|a| is_neutral(a) == Some(false)) => int(i64::from(!junction.neutral())),
        _ => Expr::new(op, args),
    }
}
