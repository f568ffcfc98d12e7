//! Finds two kinds of bounds for the prover. Numbers bound a polynomial, by the ranges of its classes. Polynomials
//! bound a class: if `i` is in `0..n-1`, `n - 1` is an upper bound of `i`.
//!
//! The input is classes and linear forms, which are read as polynomials.

use super::polynomial::{Monomial, Polynomial, without};
use crate::domain::Interval;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::integer::{floor_div, floor_mod};
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The largest depth of nested products that are multiplied out. A class may be a factor of itself: `x == x*n` if `x`
/// is 0.
const MAX_NESTED_PRODUCTS: u32 = 8;

/// The assumptions and the cached bounds of one proof. The e-graph does not change during a proof.
pub(super) struct Known<'a> {
    pub(super) e: &'a EGraph,
    /// Polynomials that are assumed to be at least 0.
    assumed: Vec<Polynomial>,
    ends: FxHashMap<(Id, bool), Rc<[Polynomial]>>,
    quotients: FxHashMap<Id, Rc<[Quotient]>>,
}

impl<'a> Known<'a> {
    pub(super) fn new(e: &'a EGraph, assumed: Vec<Polynomial>) -> Known<'a> {
        Known { e, assumed, ends: FxHashMap::default(), quotients: FxHashMap::default() }
    }

    pub(super) fn assumed(&self) -> &[Polynomial] {
        &self.assumed
    }

    /// Assumes that `more` is at least 0. Returns the number of earlier assumptions, for [`forget`](Self::forget).
    pub(super) fn assume(&mut self, more: Option<Polynomial>) -> usize {
        let before = self.assumed.len();
        self.assumed.extend(more);
        self.ends.clear();
        before
    }

    /// Keeps the first `count` assumptions.
    pub(super) fn forget(&mut self, count: usize) {
        self.assumed.truncate(count);
        self.ends.clear();
    }

    /// Polynomials that are upper bounds of `f` (or, without `upper`, lower bounds).
    pub(super) fn ends(&mut self, f: Id, upper: bool) -> Rc<[Polynomial]> {
        let Known { e, assumed, ends: known, .. } = self;
        known.entry((f, upper)).or_insert_with(|| ends(e, assumed, f, upper).into()).clone()
    }

    /// The divisions by positive divisors that `f` is equal to.
    pub(super) fn quotients(&mut self, f: Id) -> Rc<[Quotient]> {
        let e = self.e;
        self.quotients.entry(f).or_insert_with(|| quotients(e, f).into()).clone()
    }
}

/// `lin` as a polynomial over classes that represent no sums.
pub(super) fn read(e: &EGraph, lin: &LinearForm) -> Option<Polynomial> {
    read_nested(e, lin, MAX_NESTED_PRODUCTS)
}

/// `lin` as a polynomial over classes that represent no sums. Nested products are multiplied out up to the depth
/// `nested`.
fn read_nested(e: &EGraph, lin: &LinearForm, nested: u32) -> Option<Polynomial> {
    let lin = e.canonical_deep(lin)?;
    let mut out = Polynomial::constant(lin.constant.into());
    for (c, t) in lin.iter() {
        if !e.facts(t).has(Operator::Product) {
            out = out.plus(c.into(), &Monomial::new(), &Polynomial::atom(t))?;
            continue;
        }
        let (mut atoms, mut sums) = (Monomial::new(), Vec::new());
        for f in e.factors(t) {
            let value = e.canonical(f);
            match value.as_atom() {
                _ if nested == 0 => atoms.push(e.graph.find(f)),
                Some(_) if f == t || !e.facts(f).has(Operator::Product) => atoms.push(e.graph.find(f)),
                _ => sums.push(read_nested(e, &value, nested - 1)?),
            }
        }
        atoms.sort_unstable();
        let product = sums.iter().try_fold(Polynomial::constant(1), |p, s| p.multiplied(s))?;
        out = out.plus(c.into(), &atoms, &product)?;
    }
    Some(out)
}

/// The range of a product, by the ranges of its factors and by the range of its class, if it has a class.
fn range(e: &EGraph, m: &Monomial) -> Interval {
    let by_factors = range_by_factors(e, m);
    let class = if m.len() > 1 { e.graph.lookup(Node::Product(m.clone())) } else { None };
    let known = class.map_or(Interval::ALL, |class| e.facts(class).interval);
    by_factors.meet(known).unwrap_or(by_factors)
}

fn range_by_factors(e: &EGraph, m: &Monomial) -> Interval {
    let mut range = Interval::point(1);
    let mut at = 0;
    while at < m.len() {
        let f = e.facts(m[at]).interval;
        match m.get(at + 1) {
            // a square
            Some(next) if *next == m[at] && !f.is_nonneg() => {
                let square = f.times(f);
                let least = Interval::new(0, i64::MAX).and_then(|n| square.meet(n));
                range = range.times(least.unwrap_or(square));
                at += 2;
            }
            _ => {
                range = range.times(f);
                at += 1;
            }
        }
    }
    range
}

/// A lower bound of `p` by the ranges of its factors.
pub(super) fn least(e: &EGraph, p: &Polynomial) -> Option<i128> {
    p.iter().try_fold(0i128, |sum, (m, c)| {
        let range = range(e, m);
        let end = if c > 0 { range.lo()? } else { range.hi()? };
        sum.checked_add(c.checked_mul(end.into())?)
    })
}

pub(super) fn is_nonnegative(e: &EGraph, f: Id) -> bool {
    e.facts(f).interval.is_nonneg()
}

pub(super) fn is_positive(e: &EGraph, f: Id) -> bool {
    e.facts(f).interval.lo().is_some_and(|l| l >= 1)
}

/// A quotient: numerator, divisor, and whether the division leaves no remainder.
pub(super) struct Quotient {
    pub(super) numerator: Polynomial,
    pub(super) divisor: Polynomial,
    pub(super) is_exact: bool,
}

/// The divisions by positive divisors that `f` is equal to.
fn quotients(e: &EGraph, f: Id) -> Vec<Quotient> {
    if !e.facts(f).has(Operator::Div) {
        return Vec::new();
    }
    let quotient = |node: &Node| {
        let &Node::Div([x, n]) = node else { return None };
        if !is_positive(e, n) {
            return None;
        }
        let by = e.facts(n).constant();
        let x = e.canonical(x);
        let is_exact = match by {
            Some(n) => {
                let congruence = e.facts_of(&x).1;
                floor_mod(congruence.modulus().into(), n.into()) == 0
                    && floor_mod(congruence.residue().into(), n.into()) == 0
            }
            None => is_multiple(e, f, &x, &e.canonical(n)),
        };
        Some(Quotient { numerator: read(e, &x)?, divisor: read(e, &e.canonical(n))?, is_exact })
    };
    e.nodes(f).iter().filter_map(quotient).collect()
}

/// Whether the e-graph has the product `n * q`, and it is equal to `x`.
fn is_multiple(e: &EGraph, q: Id, x: &LinearForm, n: &LinearForm) -> bool {
    let Some(n) = n.as_atom() else { return false };
    let mut factors = e.factors(n);
    factors.extend(e.factors(q));
    factors.sort_unstable();
    e.graph.lookup(Node::Product(factors)).is_some_and(|product| *e.canonical(product) == *x)
}

/// Polynomials that are upper bounds of `f` (or, without `upper`, lower bounds).
fn ends(e: &EGraph, assumed: &[Polynomial], f: Id, upper: bool) -> Vec<Polynomial> {
    let mut out = Vec::new();
    let concerned = [Operator::Var, Operator::Mod, Operator::Min, Operator::Max, Operator::Div];
    if e.facts(f).operators & Operator::bits(&concerned) == 0 {
        return out;
    }
    let value = |id: Id| read(e, &e.canonical(id));
    for node in e.nodes(f) {
        match node {
            Node::Var(v) => {
                let (lower, higher) = &e.symbolic[*v as usize];
                let end = if upper { higher } else { lower };
                out.extend(end.as_ref().and_then(|end| read(e, end)));
            }
            Node::Mod([x, n]) if upper && is_positive(e, *n) => {
                out.extend(value(*n).and_then(|n| n.plus_constant(-1)));
                if is_nonnegative(e, *x) {
                    out.extend(value(*x));
                }
            }
            Node::Div([x, n]) if is_positive(e, *n) => out.extend(ends_of_quotient(e, assumed, *x, *n, upper)),
            Node::Min(operands) if upper => out.extend(operands.iter().filter_map(|&o| value(o))),
            Node::Max(operands) if !upper => out.extend(operands.iter().filter_map(|&o| value(o))),
            _ => {}
        }
    }
    out
}

/// Bounds of the quotient of `x` by the positive `n`: the ends of `x` divided by `n`. Only ends are used that are a
/// multiple of `n` plus a number between `-n` and `n`.
pub(super) fn ends_of_quotient(e: &EGraph, assumed: &[Polynomial], x: Id, n: Id, upper: bool) -> Vec<Polynomial> {
    let x = e.canonical(x);
    let Some(n) = read(e, &e.canonical(n)) else { return Vec::new() };
    let Some((factors, d)) = n.as_term() else { return Vec::new() };
    let Some(least_divisor) = least(e, &n) else { return Vec::new() };
    let quotient = |end: &Polynomial| {
        let mut q = Polynomial::default();
        for (m, c) in end.iter().filter(|(m, _)| !m.is_empty()) {
            let whole = floor_mod(c, d) == 0;
            q = q.plus(floor_div(c, d), &without(m, factors).filter(|_| whole)?, &Polynomial::constant(1))?;
        }
        let bucket = floor_div(end.constant_term(), least_divisor.max(1));
        (-1..=0).contains(&bucket).then(|| q.plus_constant(bucket))?
    };
    let mut known = match x.as_atom().filter(|&t| !e.facts(t).has(Operator::Div)) {
        Some(t) => ends(e, assumed, t, upper),
        None => Vec::new(),
    };
    if let Some(x) = read(e, &x).filter(|_| upper) {
        // the assumption c >= 0 means that x <= c + x
        let below = |c: &Polynomial| c.clone().plus(1, &Monomial::new(), &x).filter(|sum| sum.size() < c.size());
        known.extend(assumed.iter().filter_map(below));
    }
    known.iter().filter_map(quotient).collect()
}

/// An upper bound of `p` by the ranges of its factors.
pub(super) fn greatest(e: &EGraph, p: &Polynomial) -> Option<i128> {
    let negated = Polynomial::default().plus(-1, &Monomial::new(), p)?;
    least(e, &negated)?.checked_neg()
}
