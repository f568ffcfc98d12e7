//! Merges views with variables in their sizes, if the engine proves that they equal a single view.
//!
//! Address and validity are simplified as one access. They form a view if the address is then affine in every index,
//! and the validity is a conjunction of bounds on single indices. Otherwise, nothing is proved.

use super::error::ViewError;
use super::facts::Facts;
use super::locate::{Located, index_domain, index_names, locate};
use super::poly::Poly;
use super::strided::View;
use quaff::Simplifier;
use quaff::access::{Access, Gate};
use quaff::expr::{Expr, Junction, Op, int, var};
use std::sync::Arc;

/// The single view that equals `views`, if the engine finds it.
///
/// # Errors
/// [`ViewError`] for strides and offsets that exceed 64 bits.
pub(super) fn one_view(facts: &Facts, views: &[View]) -> Result<Option<View>, ViewError> {
    let Some(top) = views.last() else { return Ok(None) };
    let names = index_names(facts, top.rank());
    let indices: Vec<Expr> = names.iter().map(|n| var(n.clone())).collect();
    let domain = index_domain(facts, &top.shape, &names)?;
    let Located { address, valid } = locate(facts, views, &indices)?;
    let load = Access::load("value", "data", address).when(valid);
    let Ok(answer) = Simplifier::default().simplify_access(&load, &domain) else { return Ok(None) };
    let [access] = answer.accesses() else { return Ok(None) };
    let Ok(with_indices) = Facts::new(domain) else { return Ok(None) };
    let reader = Reader { facts: &with_indices, names: &names };
    let mut mask: Vec<(Expr, Expr)> = (0..top.rank()).map(|axis| top.valid(axis)).collect();
    match access.gate() {
        Gate::Never => mask = vec![(int(0), int(0)); top.rank()],
        Gate::Always => {}
        Gate::When(condition) => {
            let Some(bounds) = reader.bounds(condition) else { return Ok(None) };
            for Bound { axis, begin, end } in bounds {
                let (least, behind) = &mut mask[axis];
                *least = begin.map_or(Ok(least.clone()), |b| facts.max(least, &b))?;
                *behind = end.map_or(Ok(behind.clone()), |e| facts.min(behind, &e))?;
            }
        }
    }
    let Some((strides, offset)) = reader.affine(access.index()) else { return Ok(None) };
    let view = View { shape: top.shape.clone(), strides, offset, mask: Some(mask) };
    view.canonical(facts).map(Some)
}

/// A bound on one index.
struct Bound {
    axis: usize,
    begin: Option<Expr>,
    /// The exclusive end.
    end: Option<Expr>,
}

/// Recognises expressions that are affine in the indices.
struct Reader<'r> {
    facts: &'r Facts,
    names: &'r [Arc<str>],
}

impl Reader<'_> {
    /// The stride of each index, and the rest of the sum. Strides and rest contain no index.
    fn affine(&self, e: &Expr) -> Option<(Vec<Expr>, Expr)> {
        let (slopes, rest) = self.facts.poly(e).ok()?.split_linear(self.names)?;
        let strides = slopes.iter().map(Poly::to_expr).collect::<Option<Vec<_>>>()?;
        Some((strides, rest.to_expr()?))
    }

    /// The bounds of a conjunction, if each of its conditions bounds a single index.
    fn bounds(&self, condition: &Expr) -> Option<Vec<Bound>> {
        let mut bounds = Vec::new();
        for e in Junction::And.clauses(condition) {
            match (e.op(), e.args()) {
                (Op::Lt, [a, b]) => bounds.push(self.at_least(b, &(a + 1))?),
                (Op::Le, [a, b]) => bounds.push(self.at_least(b, a)?),
                (Op::Gt, [a, b]) => bounds.push(self.at_least(a, &(b + 1))?),
                (Op::Ge, [a, b]) => bounds.push(self.at_least(a, b)?),
                (Op::Eq, [a, b]) => bounds.extend([self.at_least(a, b)?, self.at_least(b, a)?]),
                _ => return None,
            }
        }
        Some(bounds)
    }

    /// The bound of a single index that `a >= b` states, if it has this form.
    fn at_least(&self, a: &Expr, b: &Expr) -> Option<Bound> {
        let difference = self.facts.poly(a).ok()?.minus(&self.facts.poly(b).ok()?)?;
        let (slopes, rest) = difference.split_linear(self.names)?;
        let mut moving = slopes.iter().enumerate().filter(|(_, s)| s.as_const() != Some(0));
        let (Some((axis, slope)), None) = (moving.next(), moving.next()) else { return None };
        // the condition is `x + rest >= 0` or `-x + rest >= 0`
        match slope.as_const()? {
            1 => Some(Bound { axis, begin: Some(rest.scaled(-1)?.to_expr()?), end: None }),
            -1 => Some(Bound { axis, begin: None, end: Some(rest.plus(&Poly::constant(1))?.to_expr()?) }),
            _ => None,
        }
    }
}
