//! The address and the validity of an index, without simplification.

use super::error::{ErrorKind, ViewError};
use super::facts::Facts;
use super::strided::View;
use quaff::domain::Domain;
use quaff::expr::name::free;
use quaff::expr::{Expr, int};
use std::sync::Arc;

/// The address of an element, and the condition under which the element exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The address in elements, not simplified. If the condition does not hold, the address may be any number, even a
    /// negative number.
    pub address: Expr,
    /// 1 if there is an element, and 0 otherwise. It is the constant 1 if every index has an element.
    pub valid: Expr,
}

/// The address and the validity at `indices`, with one index for each axis of the last view.
pub(super) fn locate(facts: &Facts, views: &[View], indices: &[Expr]) -> Result<Located, ViewError> {
    if views.iter().any(|v| v.is_empty(facts)) {
        return Ok(Located { address: int(0), valid: int(0) });
    }
    let mut valid: Option<Expr> = None;
    let mut digits = indices.to_vec();
    let mut address = int(0);
    for (at, view) in views.iter().enumerate().rev() {
        if let Some(condition) = condition(view, &digits) {
            valid = Some(match valid {
                Some(before) => before.and(condition),
                None => condition,
            });
        }
        address = address_of(view, &digits);
        if let Some(below) = at.checked_sub(1) {
            digits = row_major_digits(facts, &address, &views[below])?;
        }
    }
    Ok(Located { address, valid: valid.unwrap_or_else(|| int(1)) })
}

/// The sum `offset + sum(index * stride)`, without terms that are 0.
fn address_of(view: &View, indices: &[Expr]) -> Expr {
    let mut sum: Option<Expr> = None;
    for (index, stride) in indices.iter().zip(&view.strides) {
        let term = match stride.as_const() {
            Some(0) => continue,
            Some(1) => index.clone(),
            _ => index * stride,
        };
        sum = Some(match sum {
            Some(sum) => sum + term,
            None => term,
        });
    }
    match (sum, view.offset.as_const()) {
        (None, _) => view.offset.clone(),
        (Some(sum), Some(0)) => sum,
        (Some(sum), Some(c)) if c < 0 && c != i64::MIN => sum - -c,
        (Some(sum), _) => sum + &view.offset,
    }
}

/// The condition that the indices are within the mask, without bounds that always hold. `None` if no bound remains.
fn condition(view: &View, indices: &[Expr]) -> Option<Expr> {
    let mut all: Option<Expr> = None;
    let mut and = |bound: Expr| {
        all = Some(match all.take() {
            Some(before) => before.and(bound),
            None => bound,
        });
    };
    for ((index, (begin, end)), size) in indices.iter().zip(view.mask.iter().flatten()).zip(&view.shape) {
        if begin.as_const() != Some(0) {
            and(index.ge(begin));
        }
        if end != size {
            and(index.lt(end));
        }
    }
    all
}

/// The index of the element of `view` that has the number `address` in row-major order.
fn row_major_digits(facts: &Facts, address: &Expr, view: &View) -> Result<Vec<Expr>, ViewError> {
    let mut digits = vec![int(0); view.rank()];
    let outermost = view.shape.iter().position(|s| s.as_const() != Some(1));
    let mut weight = int(1);
    for axis in (0..view.rank()).rev() {
        let size = &view.shape[axis];
        if size.as_const() == Some(1) {
            continue;
        }
        let quotient = if weight.as_const() == Some(1) { address.clone() } else { address.floor_div(&weight) };
        // a valid index is within the view, so the outermost digit needs no remainder
        digits[axis] = if outermost == Some(axis) { quotient } else { quotient.floor_mod(size) };
        weight = facts.mul(&weight, size)?;
    }
    Ok(digits)
}

/// The facts about the sizes, extended by `0 <= index < size` for each name.
pub(super) fn index_domain(facts: &Facts, shape: &[Expr], names: &[Arc<str>]) -> Result<Domain, ViewError> {
    let mut domain = facts.domain().clone();
    for (name, size) in names.iter().zip(shape) {
        if domain.contains(name) {
            return Err(ErrorKind::NameTaken { name: name.clone() }.into());
        }
        let last = match size.as_const() {
            Some(c) => int(c.saturating_sub(1).max(0)),
            None => size - 1,
        };
        domain.add_bounds(name.clone(), (int(0), last));
    }
    Ok(domain)
}

/// The names `i0`, `i1` and so on, or longer names if variables in sizes have these names.
pub(super) fn index_names(facts: &Facts, rank: usize) -> Vec<Arc<str>> {
    let is_taken = |prefix: &str| (0..rank).any(|k| facts.domain().contains(&format!("{prefix}{k}")));
    let prefix = free("i".into(), is_taken);
    (0..rank).map(|k| format!("{prefix}{k}").into()).collect()
}
