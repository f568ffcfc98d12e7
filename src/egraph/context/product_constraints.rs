//! Linear facts multiplied by values of known sign: what bounds a sum of products.
//!
//! The first level of the reformulation-linearisation technique (Sherali, Adams 1990), where a sum asks for it: of
//! `u - l >= 0` and `v >= 0` follows `u*v - l*v >= 0`, of `u*v - l*v >= 1` and `u > l` follows `v >= 1`.

use crate::domain::Interval;
use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::analysis::linear_constraints::LinearConstraints;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::graph::EGraph;
use crate::integer::ceil_div;
use crate::rules::operator::Operator;
use egg::Id;
use std::rc::Rc;

/// Constraints made for one sum.
const MAX_PRODUCTS: usize = 12;

/// Adds to `constraints` what they say of the products in `lin`; only of products of two factors.
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
    // products that two constraints have and the sum has not: bounds through them would begin with a loss
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

/// What `constraints` say of factors of their products, as constraints: `d >= 1` where `b*d - a*d >= 1` and `b >= a`.
pub(super) fn bounds_of_factors(e: &mut EGraph, constraints: &LinearConstraints) -> Vec<LinearForm> {
    let given: Vec<Rc<LinearForm>> = constraints.iter().cloned().collect();
    given.iter().filter_map(|constraint| bound_of_factor(e, constraints, constraint)).collect()
}

/// Of a constraint `f*l >= k`, where the constraints say which sign `l` has, what that leaves to `f`: a bound that its range does not
/// say, as a constraint.
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
        // `l` is `sign` times a value that lies in `size`
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

/// The least `f` with `f * l >= least` for any `l` in `size`, where no value is negative.
fn least_factor(least: i64, size: Interval) -> Option<i64> {
    let by = match (least > 0, size.lo(), size.hi()) {
        (true, _, Some(greatest)) => greatest.max(1),
        // `l` may be as great as it likes, but not 0
        (true, _, None) => return Some(1),
        (false, Some(smallest @ 1..), _) => smallest,
        _ => return None,
    };
    i64::try_from(ceil_div(least.into(), by.into())).ok()
}
