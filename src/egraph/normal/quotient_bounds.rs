//! Narrows the ranges of quotients by unknown divisors, and of their products with the divisor.
//!
//! The input is the class of such a quotient or product when it is made. Its range is narrowed by its definition,
//! because the ranges of the operands alone give a wide range. For example, `n*(x//n)` is at most `x`, and `x//n` is
//! less than `m` if `x < m*n`. Without these ranges, an address of a kernel with run-time sizes seems to need 64 bits.

use crate::domain::{Congruence, Interval};
use crate::egraph::language::node::{Ids, Node};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::prover::greatest_quotient;
use crate::integer::floor_div;
use crate::rules::operator::Operator;
use egg::Id;

/// Narrows the range of the product `id` of `factors`, if a factor is a quotient and other factors contain its divisor.
pub(super) fn bound_product(e: &mut EGraph, id: Id, factors: &Ids) {
    if !factors.iter().any(|&f| e.facts(f).has(Operator::Div)) {
        return;
    }
    for (i, &q) in factors.iter().enumerate() {
        let mut others = factors.clone();
        others.remove(i);
        let known = e.nodes(q).iter().filter_map(|node| match node {
            Node::Div([x, n]) => multiple_of_divisor(e, *x, *n, &others),
            _ => None,
        });
        if let Some(range) = known.reduce(|a, b| a.meet(b).unwrap_or(a)) {
            e.sharpen(id, range, Congruence::ANY);
        }
    }
}

/// The range of `x//n` times `factors`. `None` unless `x` is never negative, no term of `n` is ever negative, and
/// `factors` contain a term of `n`.
fn multiple_of_divisor(e: &EGraph, x: Id, n: Id, factors: &Ids) -> Option<Interval> {
    let most = e.facts(x).interval.hi().filter(|_| e.facts(x).interval.is_nonneg())?;
    let divisor = e.canonical(n);
    let is_nonneg = |t: Id| e.factors(t).iter().all(|&f| e.facts(f).interval.is_nonneg());
    if divisor.is_constant() || divisor.constant < 0 || !divisor.iter().all(|(c, t)| c > 0 && is_nonneg(t)) {
        return None;
    }
    divisor.iter().find_map(|(c, t)| {
        let mut left = factors.clone();
        for f in e.factors(t) {
            let at = left.iter().position(|&l| l == f)?;
            left.remove(at);
        }
        // c*t*q <= n*q <= x
        let range = Interval::from_wide(0, floor_div(most.into(), c.into()));
        let rest = left.iter().map(|&f| e.facts(f).interval);
        rest.clone().all(Interval::is_nonneg).then(|| rest.fold(range, Interval::times))
    })
}

/// Narrows the range of the quotient `q` of `x` by the unknown `n`, by the symbolic ends of `x`.
pub(super) fn bound_quotient(e: &mut EGraph, q: Id, x: Id, n: Id) {
    if e.facts(n).constant().is_some() || e.facts(n).interval.lo().is_none_or(|l| l < 1) {
        return;
    }
    let most = greatest_quotient(e, x, n).and_then(|most| i64::try_from(most).ok());
    let range = most.and_then(|most| Interval::new(i64::MIN, most));
    // a range of one number is not added here. Rules replace such a quotient, because a trace then shows why
    let leaves_some = |range: &Interval| e.facts(q).interval.meet(*range).is_some_and(|both| both.as_point().is_none());
    if let Some(range) = range.filter(leaves_some) {
        e.sharpen(q, range, Congruence::ANY);
    }
}
