//! Multiplies constraints by values of known sign. The products are constraints that bound sums of products.
//!
//! This is the first level of the reformulation-linearisation technique (Sherali, Adams 1990). It is applied only if a
//! sum needs it. `u - l >= 0` and `v >= 0` imply `u*v - l*v >= 0`. `u*v - l*v >= 1` and `u > l` imply `v >= 1`.

use crate::domain::Interval;
use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::analysis::linear_constraints::LinearConstraints;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::integer::ceil_div;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

/// The maximum number of constraints that are made for one sum.
const MAX_PRODUCTS: usize = 12;

/// Adds constraints on the products in `lin` that follow from `constraints`. Only products of two factors are
/// considered.
pub(crate) fn multiply_constraints(e: &mut EGraph, constraints: &mut LinearConstraints, lin: &LinearForm) {
    let mut pairs: Vec<(Id, Id)> = Vec::new();
    for &t in lin.terms().iter().filter(|&&t| e.facts(t).has(Operator::Product)) {
        if let &[u, v] = &e.factors(t)[..] {
            pairs.extend([(u, v), (v, u)]);
        }
    }
    if pairs.is_empty() {
        return;
    }
    pairs.dedup();
    let given: Vec<Rc<LinearForm>> = constraints.iter().cloned().collect();
    for constraint in &given {
        if let Some(bound) = bound_of_factor(e, constraints, constraint) {
            constraints.push(Rc::new(bound));
        }
    }
    let mut made: Vec<LinearForm> = Vec::new();
    for (u, v) in pairs {
        let known = e.facts(v).interval;
        let Some(range) = constraints.range(&e.graph, &LinearForm::atom(v), known) else { return };
        let sign = match (range.is_nonneg(), range.hi()) {
            (true, _) => 1,
            (false, Some(hi)) if hi <= 0 => -1,
            _ => continue,
        };
        for constraint in given.iter().filter(|r| r.coeff(u) != 0) {
            if made.len() < MAX_PRODUCTS {
                made.extend(times(e, constraint, sign, v));
            }
        }
    }
    // if a product that `lin` lacks cancels in the sum of two constraints, this sum becomes a constraint. The search
    // would not combine these two constraints, because the first of its two steps would lower the bound
    for (i, a) in made.iter().enumerate() {
        for b in &made[..i] {
            if let Some(sum) = a.plus(1, b)
                && a.iter().any(|(c, t)| lin.coeff(t) == 0 && b.coeff(t) == -c)
            {
                constraints.push(Rc::new(sum));
            }
        }
    }
    made.into_iter().for_each(|constraint| constraints.push(Rc::new(constraint)));
}

/// `sign * v * constraint`, multiplied out.
fn times(e: &mut EGraph, constraint: &LinearForm, sign: i64, v: Id) -> Option<LinearForm> {
    let mut out = LinearForm::default().plus(constraint.constant.checked_mul(sign)?, &LinearForm::atom(v))?;
    for (c, t) in constraint.iter() {
        let product = e.product(&[t, v]);
        out = out.plus(c.checked_mul(sign)?, &LinearForm::atom(product))?;
    }
    Some(out)
}

/// Constraints on single factors that follow from `constraints` on products. For example, `b*d - a*d >= 1` and `b >= a`
/// imply `d >= 1`.
pub(super) fn bounds_of_factors(e: &mut EGraph, constraints: &LinearConstraints) -> Vec<LinearForm> {
    let given: Vec<Rc<LinearForm>> = constraints.iter().cloned().collect();
    given.iter().filter_map(|constraint| bound_of_factor(e, constraints, constraint)).collect()
}

/// The bound of a factor `f` that follows from a constraint `f*l >= k`, if the constraints determine the sign of `l`.
/// The bound is a constraint. `None` if the range of `f` already implies it.
fn bound_of_factor(e: &mut EGraph, constraints: &LinearConstraints, constraint: &LinearForm) -> Option<LinearForm> {
    let first = *constraint.terms().first()?;
    if !e.facts(first).has(Operator::Product) {
        return None;
    }
    let least = constraint.constant.checked_neg()?;
    for f in e.factors(first) {
        let mut other = Some(LinearForm::default());
        for (c, t) in constraint.iter() {
            other = match (other, e.without_factors(t, &[f])) {
                (Some(sum), Some(rest)) => sum.plus(c, &rest),
                _ => None,
            };
        }
        let Some(other) = other else { continue };
        let known = range_by_terms(&e.graph, &other);
        let range = constraints.range(&e.graph, &other, known)?;
        // `l` is `sign` times a value in `size`
        let (sign, size) = match (range.is_nonneg(), range.hi()) {
            (true, _) => (1, range),
            (false, Some(..=0)) => (-1, range.scaled(-1)),
            _ => continue,
        };
        let Some(bound) = least_factor(least, size) else { continue };
        if e.facts(f).interval.scaled(sign).lo().is_none_or(|lo| lo < bound) {
            return LinearForm::term(sign, f).plus_constant(bound.checked_neg()?);
        }
    }
    None
}

/// A lower bound of `f`, if `f * l >= least` for some `l` in `size`. No value in `size` is negative.
fn least_factor(least: i64, size: Interval) -> Option<i64> {
    let by = match (least > 0, size.lo(), size.hi()) {
        (true, _, Some(greatest)) => greatest.max(1),
        // `l` has no upper bound but is not 0
        (true, _, None) => return Some(1),
        (false, Some(smallest @ 1..), _) => smallest,
        _ => return None,
    };
    i64::try_from(ceil_div(least.into(), by.into())).ok()
}
