//! Makes candidates that fuse several operations, if the cost model has a price for the fused operation. There are two
//! kinds. A multiple of a quotient in a sum can be computed as a number with its low bits cleared: `x//8*8` is
//! `x & -8`. A quotient can be computed together with the sum that it divides: `(x + y)//8`.
//!
//! The input is sums and quotients of classes. The output is further candidates for these classes.

use crate::cost::fused::{cleared_bits, clears_bits, may_fuse, quotient_of_sum};
use crate::cost::loop_nest::executed;
use crate::cost::{CostModel, Operation};
use crate::domain::Interval;
use crate::egraph::extract::loops::Term;
use crate::egraph::extract::operations::{Builder, FUSED, Role, Write};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::language::price::sum_is_wide;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::spellings::spellings;
use crate::rules::operator::Operator;
use egg::Id;
use smallvec::SmallVec;
use std::rc::Rc;

/// For each term of `lin`, the divisor `d` if the term is `d*(x//d)` or its negation and can be computed as `x` with
/// its low bits cleared. 0 for other terms. `None` if there is no such term.
pub(super) fn cleared_terms(e: &EGraph, model: &dyn CostModel, lin: &LinearForm) -> Option<SmallVec<[i64; 8]>> {
    let clears = |c: i64, t: Id| {
        let divisor = c.checked_abs().filter(|d| clears_bits(c.into(), *d) && e.facts(t).has(Operator::Div))?;
        numerators(e, t, divisor).any(|a| cleared_bits(model, e.facts(a).interval).is_some()).then_some(divisor)
    };
    // most sums have no such term
    lin.iter().find(|&(c, t)| clears(c, t).is_some())?;
    let divisors: SmallVec<[i64; 8]> = lin.iter().map(|(c, t)| clears(c, t).unwrap_or(0)).collect();
    let narrow = || !sum_is_wide(lin, &|t| e.facts(t).interval);
    narrow().then_some(divisors)
}

/// The numerators of the divisions by `divisor` in the class `quotient`.
fn numerators(e: &EGraph, quotient: Id, divisor: i64) -> impl Iterator<Item = Id> {
    e.nodes(quotient).iter().filter_map(move |node| match node {
        Node::Div([a, b]) if e.facts(*b).constant() == Some(divisor) => Some(e.graph.find(*a)),
        _ => None,
    })
}

impl Builder<'_> {
    /// A second candidate for the sum `lin`, in which some terms are numbers with their low bits cleared.
    pub(super) fn clearing_sum(&mut self, id: Id, lin: &Rc<LinearForm>) -> Option<u32> {
        let divisors = cleared_terms(self.e, self.model, lin)?;
        Some(self.clearing(id, Write::Sum(lin.clone()), lin, &divisors))
    }

    /// The candidate that writes the sum `lin`. `divisors` are as in [`cleared_terms`]: a term with a divisor other
    /// than 0 is computed as a number with its low bits cleared.
    pub(super) fn clearing(&mut self, id: Id, write: Write, lin: &LinearForm, divisors: &[i64]) -> u32 {
        let terms = lin.terms().iter().zip(divisors);
        let mut operands: SmallVec<[u32; 4]> = terms.map(|(&t, &d)| self.term(Term { class: t, cleared: d })).collect();
        let price = self.sum_price(lin, divisors, self.is_root(id), &mut operands);
        self.push(id, write, price, operands, None)
    }

    /// The place of a term of a sum.
    pub(super) fn term(&mut self, term: Term) -> u32 {
        if term.cleared == 0 {
            return self.place(term.class, Role::Operation);
        }
        let class = self.e.graph.find(term.class);
        if let Some(&place) = self.cleared.get(&(class, term.cleared)) {
            return place;
        }
        let place = self.graph.choices.places.len() as u32;
        self.graph.choices.places.push(SmallVec::new());
        self.cleared.insert((class, term.cleared), place);
        let e = self.e;
        for node in e.nodes(class) {
            let Node::Div([a, b]) = node else { continue };
            let price = cleared_bits(self.model, e.facts(*a).interval);
            if let Some(price) = price.filter(|_| e.facts(*b).constant() == Some(term.cleared)) {
                // the candidate writes the quotient, and the sum that uses it multiplies it by the divisor
                let price = self.loops.executed(e, price, &[*a]);
                let operands = [*a, *b].iter().map(|&c| self.place(c, Role::Any)).collect();
                let candidate = self.push(class, Write::ClearedBits(node.clone()), price, operands, None);
                self.graph.choices.candidates[candidate as usize].price += FUSED;
                self.graph.choices.places[place as usize].push(candidate);
            }
        }
        place
    }

    /// Adds the quotient `a // b`, fused with each sum that is equal to `a`.
    pub(super) fn quotients_of_sums(&mut self, id: Id, a: Id, b: Id, out: &mut SmallVec<[u32; 4]>) {
        let Some(divisor) = self.e.facts(b).constant().filter(|d| *d > 1) else { return };
        let numerator = self.e.facts(a);
        let is_plain = |lin: &LinearForm| lin.constant == 0 && lin.content() == 1;
        let is_canon_plain = numerator.canon().is_none_or(|lin| is_plain(lin));
        if is_canon_plain && numerator.spellings.iter().all(|s| is_plain(&s.lin)) {
            return;
        }
        for lin in spellings(self.e, a) {
            out.extend(self.quotient_of_sum(id, &lin, numerator.interval, divisor));
        }
    }

    /// Adds candidates for `q + k` and `k - q` with a quotient `q = a // d`: the quotients of `a + k*d` and of
    /// `k*d + d - 1 - a` by `d`.
    pub(super) fn moved_quotients(&mut self, id: Id, lin: &LinearForm, out: &mut SmallVec<[u32; 4]>) {
        let (e, sign, quotient) = match (lin.coeffs(), lin.terms()) {
            (&[c @ (1 | -1)], &[t]) if self.e.facts(t).has(Operator::Div) => (self.e, c, t),
            _ => return,
        };
        for node in e.nodes(quotient) {
            let Node::Div([a, b]) = node else { continue };
            let Some(divisor) = e.facts(*b).constant().filter(|d| *d > 1) else { continue };
            // -(a // d) is (d - 1 - a) // d
            let rounding = if sign < 0 { divisor - 1 } else { 0 };
            let Some(more) = lin.constant.checked_mul(divisor).and_then(|m| m.checked_add(rounding)) else { continue };
            let range = e.facts(*a).interval.scaled(sign).plus(Interval::point(more));
            let quotient = Operation::Div { numerator: range, divisor: Interval::point(divisor) };
            if !may_fuse(self.model.price(&quotient)) {
                continue;
            }
            for numerator in spellings(e, *a) {
                let moved = numerator.scaled(sign).and_then(|n| n.plus_constant(more));
                if let Some(moved) = moved {
                    out.extend(self.quotient_of_sum(id, &Rc::new(moved), range, divisor));
                }
            }
        }
    }

    /// `lin // divisor` as one candidate. `None` if the model has no price for it, or if some terms of `lin` are
    /// computed more often than others.
    fn quotient_of_sum(&mut self, id: Id, lin: &Rc<LinearForm>, range: Interval, divisor: i64) -> Option<u32> {
        let e = self.e;
        if lin.constant == 0 && lin.content() == 1 {
            return None;
        }
        let mut times = lin.terms().iter().map(|&t| self.loops.times(e, t));
        let first = times.next()?;
        if times.any(|t| t != first) || sum_is_wide(lin, &|t| e.facts(t).interval) {
            return None;
        }
        let terms: SmallVec<[(i64, Interval); 8]> = lin.iter().map(|(c, t)| (c, e.facts(t).interval)).collect();
        let price = quotient_of_sum(self.model, &terms, lin.constant, range, divisor)?;
        if cleared_terms(e, self.model, lin).is_some() {
            return None;
        }
        let operands = self.operations(lin);
        let write = Write::QuotientOfSum(lin.clone(), range, divisor);
        let candidate = self.push(id, write, executed(price, first), operands, None);
        self.graph.choices.candidates[candidate as usize].price += FUSED;
        Some(candidate)
    }
}
