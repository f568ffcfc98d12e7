//! Linear facts multiplied by values of known sign: what bounds a sum of products.
//!
//! The first level of the reformulation-linearisation technique (Sherali, Adams 1990), where a sum asks for it: of
//! `u - l >= 0` and `v >= 0` follows `u*v - l*v >= 0`, of `u*v - l*v >= 1` and `u > l` follows `v >= 1`.

use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::analysis::linear_constraints::LinearConstraints;
use crate::egraph::build::graph::EGraph;
use crate::egraph::language::linear_form::LinearForm;
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
        if let Some(sign) = sign_of_factor(e, constraints, constraint) {
            constraints.push(Rc::new(sign));
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

/// Of a constraint `f*l - k >= 0` with `k > 0`, where the constraints say which sign `l` has: `f >= 1` or `-f >= 1`, as a constraint.
fn sign_of_factor(e: &mut EGraph, constraints: &LinearConstraints, constraint: &LinearForm) -> Option<LinearForm> {
    let first = *constraint.terms().first()?;
    if constraint.constant >= 0 || !e.facts(first).has(Operator::Product) {
        return None;
    }
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
        if range.is_nonneg() {
            return LinearForm::atom(f).plus_constant(-1);
        }
        if range.hi().is_some_and(|hi| hi <= 0) {
            return LinearForm::term(-1, f).plus_constant(-1);
        }
    }
    None
}
