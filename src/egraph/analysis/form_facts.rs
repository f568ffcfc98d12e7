//! Computes the facts about a linear form from the facts about its terms.
//!
//! The input is a linear form, which need not be a node. The output is its range, its congruence or its weight.

use crate::domain::{Congruence, Interval};
use crate::egraph::analysis::facts::{MAX_WEIGHT, NODE};
use crate::egraph::analysis::graph::{Graph, facts};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::rules::operator::Operator;
use egg::Id;
use smallvec::SmallVec;

/// Interval and congruence of `lin`, from the facts about its terms and from the linear constraints of the context.
pub(crate) fn facts_by_terms(graph: &Graph, lin: &LinearForm) -> (Interval, Congruence) {
    let mut i = Interval::point(lin.constant);
    let mut c = Congruence::point(lin.constant);
    for (f, id) in lin.iter() {
        let d = facts(graph, id);
        i = i.plus(d.interval.scaled(f));
        if c != Congruence::ANY {
            c = c.plus(d.congruence.scaled(f));
        }
    }
    if c.modulus() & 1 == 1
        && let Some(parity) = parity(graph, lin)
    {
        c = c.meet(parity).unwrap_or(c);
    }
    let i = graph.analysis.constraints.range(graph, lin, i).unwrap_or(i);
    (c.tighten(i).unwrap_or(i), c)
}

/// The parity of `lin` if powers of a value cancel modulo 2, as in `x*x + x`.
fn parity(graph: &Graph, lin: &LinearForm) -> Option<Congruence> {
    let has_product = lin.iter().any(|(c, t)| c & 1 == 1 && facts(graph, t).has(Operator::Product));
    if !has_product || lin.len() < 2 {
        return None;
    }
    // the terms that do not cancel modulo 2, as products of different factors
    let mut left: SmallVec<[SmallVec<[Id; 4]>; 4]> = SmallVec::new();
    let mut constant = lin.constant & 1;
    for (_, t) in lin.iter().filter(|(c, _)| c & 1 == 1) {
        if let Some(known) = facts(graph, t).congruence.residue_mod(2) {
            constant ^= known;
            continue;
        }
        let factors = factors_once(graph, t);
        match left.iter().position(|own| *own == factors) {
            Some(at) => drop(left.swap_remove(at)),
            None => left.push(factors),
        }
    }
    left.is_empty().then(|| Congruence::new(2, constant))
}

/// The factors of the class `t`, each once and in order. If `t` is no product, `t` is the only factor.
fn factors_once(graph: &Graph, t: Id) -> SmallVec<[Id; 4]> {
    let product = graph[graph.find(t)].nodes.iter().find_map(|node| match node {
        Node::Product(factors) => Some(factors),
        _ => None,
    });
    let mut factors: SmallVec<[Id; 4]> = match product {
        Some(factors) => factors.iter().map(|&factor| graph.find(factor)).collect(),
        None => SmallVec::from_slice(&[graph.find(t)]),
    };
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// Interval and congruence of `lin`. If `lin` is a single class, these are the facts of that class.
pub(crate) fn facts_of_form(graph: &Graph, lin: &LinearForm) -> (Interval, Congruence) {
    match lin.as_atom() {
        Some(id) => (facts(graph, id).interval, facts(graph, id).congruence),
        None => facts_by_terms(graph, lin),
    }
}

/// The interval of `lin` that its terms and the constraints give.
pub(crate) fn range_by_terms(graph: &Graph, lin: &LinearForm) -> Interval {
    facts_by_terms(graph, lin).0
}

/// The weight of a class that is the sum `lin`: the weights of its terms, plus the bits of its coefficients.
pub(crate) fn weight_of_form(graph: &Graph, lin: &LinearForm) -> u32 {
    let bits = |c: i64| 64 - c.unsigned_abs().leading_zeros();
    lin.iter().fold(NODE + bits(lin.constant), |w, (c, t)| {
        w.saturating_add(facts(graph, t).weight.min(MAX_WEIGHT)).saturating_add(bits(c) - 1)
    })
}

/// A linear form as its least value plus multiples of values that are never negative: `low + Σ |c| * v`. For each term
/// `c * t`, `v` is the distance of `t` from the end of its range at which the term is least. For example, for `t` in
/// 0..15, `-3*t` is `-45 + 3*(15 - t)`.
pub(crate) struct Units {
    /// The sum of the values `v`.
    pub(crate) sum: LinearForm,
    /// The least value of the form.
    pub(crate) low: i64,
    /// The least of the factors `|c|`. For a constant, which has no factors, it is `i64::MAX`.
    pub(crate) step: i64,
}

/// `lin` in units. `None` if the range of a term is open on the side that `low` needs.
pub(crate) fn units(graph: &Graph, lin: &LinearForm) -> Option<Units> {
    let mut units = Units { sum: LinearForm::default(), low: lin.constant, step: i64::MAX };
    for (c, t) in lin.iter() {
        let range = facts(graph, t).interval;
        let end = if c > 0 { range.lo()? } else { range.hi()? };
        units.low = units.low.checked_add(c.checked_mul(end)?)?;
        units.step = units.step.min(c.checked_abs()?);
        units.sum.push(t, c.signum());
        units.sum.constant = units.sum.constant.checked_add(end.checked_mul(-c.signum())?)?;
    }
    Some(units)
}
