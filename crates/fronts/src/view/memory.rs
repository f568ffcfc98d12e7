//! Properties of the memory that a stack reads: contiguity, strides, and the least and the greatest address.

use super::error::ViewError;
use super::merge::{MergedDim, merged};
use super::stack::ViewStack;
use super::strided::View;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Dag, Expr, int, var};
use quaff::quasi::{Options, Verdict, decide};
use std::sync::Arc;
use std::time::Duration;

/// The most points that are enumerated for a question that the engine does not decide, and the most steps of algebra.
const MAX_POINTS: u64 = 1 << 20;
/// The most operators that are evaluated for a question that the engine does not decide.
const MAX_EVALUATIONS: u64 = 1 << 26;

impl ViewStack {
    /// The groups of neighbouring axes of the last view, as [`merge_dims`](super::merge_dims) finds them.
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let view = ViewStack::row_major([2, 2, 2])?;
    /// assert_eq!(view.merged()?.iter().map(|m| m.to_string()).collect::<Vec<_>>(), ["8:1 (8)"]);
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`] when a size or stride exceeds 64 bits.
    ///
    /// The time is linear in the number of axes.
    pub fn merged(&self) -> Result<Vec<MergedDim>, ViewError> {
        merged(self.facts(), self.top())
    }

    /// Whether the stack is known to read all elements in row-major order from address 0. It is then one view without a
    /// mask.
    pub fn is_contiguous(&self) -> bool {
        let facts = self.facts();
        let Some(view) = self.as_view() else { return false };
        let Ok(plain) = View::row_major(facts, view.shape.clone()) else { return false };
        let same = |a: &Expr, b: &Expr| facts.same(a, b) == Some(true);
        view.mask.is_none()
            && same(&view.offset, &plain.offset)
            && view.strides.iter().zip(&plain.strides).all(|(a, b)| same(a, b))
    }

    /// For each axis, the difference of the addresses of two neighbouring valid indices, if it is known to be the same
    /// everywhere. The entry of an axis is 0 if no two neighbours along it are valid. For a single view, the entries
    /// are its strides.
    ///
    /// # Errors
    /// [`ViewError`] when address and validity cannot be simplified.
    pub fn real_strides(&self) -> Result<Vec<Option<Expr>>, ViewError> {
        if let Some(view) = self.as_view() {
            return Ok(view.strides.iter().cloned().map(Some).collect());
        }
        let names = self.index_names();
        let indices: Vec<Expr> = names.iter().map(|n| var(n.clone())).collect();
        let here = self.at(&indices)?;
        let mut strides = Vec::with_capacity(names.len());
        for (axis, size) in self.shape().iter().enumerate() {
            let mut next = indices.clone();
            next[axis] = &indices[axis] + 1;
            let next = self.at(&next)?;
            let both = here.valid.and(next.valid).and(indices[axis].lt(size - 1));
            let domain = self.index_domain(&names)?;
            strides.push(match known(&both, &domain) {
                Some(false) => Some(int(0)),
                _ => constant_under(&(next.address - &here.address), both, domain, &names),
            });
        }
        Ok(strides)
    }

    /// The axis along which neighbours are nearest in memory, with the number of addresses between them. This is the
    /// axis with the least absolute stride that is not 0. `None` when no axis has a stride other than 0, or when it is
    /// not known which stride is the least.
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let columns = ViewStack::row_major([8, 12])?.permute(&[1, 0])?;
    /// assert_eq!(columns.innermost()?, Some((0, 1.into())));
    /// assert_eq!(columns.flip(&[0])?.innermost()?, Some((0, 1.into())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`real_strides`](Self::real_strides).
    pub fn innermost(&self) -> Result<Option<(usize, Expr)>, ViewError> {
        let facts = self.facts();
        let mut least: Option<(usize, Expr)> = None;
        // of equal strides, the last axis is chosen
        for (axis, stride) in self.real_strides()?.into_iter().enumerate().rev() {
            let Some(stride) = stride else { return Ok(None) };
            if facts.is(&stride, 0) {
                continue;
            }
            let size = match facts.le(&int(0), &stride) {
                Some(true) => stride,
                Some(false) => facts.neg(&stride)?,
                None => return Ok(None),
            };
            match &least {
                None => least = Some((axis, size)),
                Some((_, so_far)) => match facts.lt(&size, so_far) {
                    Some(true) => least = Some((axis, size)),
                    Some(false) => {}
                    None => return Ok(None),
                },
            }
        }
        Ok(least)
    }

    /// The least and the greatest address that are read. `None` when nothing is read. A buffer must have as many
    /// elements as the greatest address plus 1. For several views, these addresses are bounds outside of which no
    /// address is read.
    ///
    /// # Errors
    /// [`ViewError`] when the sign of a stride is not known, and for addresses beyond 64 bits.
    pub fn reach(&self) -> Result<Option<(Expr, Expr)>, ViewError> {
        let facts = self.facts();
        if self.views().iter().any(|v| v.is_empty(facts)) {
            return Ok(None);
        }
        self.views().first().map(|lowest| lowest.reach(facts)).transpose()
    }
}

/// The value of `e` under `condition`, if the engine finds an expression for it without any of `names`.
fn constant_under(e: &Expr, condition: Expr, domain: Domain, names: &[Arc<str>]) -> Option<Expr> {
    let domain = if condition.as_const().is_some() { domain } else { domain.assume(condition) };
    let answer = Simplifier::default().simplify(e, &domain).ok()?;
    let mentions = Dag::new(answer.exprs()).variables().any(|v| names.contains(v));
    (!mentions).then(|| answer.expr().clone())
}

/// Whether a condition holds everywhere (`true`) or fails somewhere (`false`). `None` if neither is known.
pub(super) fn holds(condition: &Expr, domain: &Domain) -> Option<bool> {
    if known(condition, domain) == Some(true) {
        return Some(true);
    }
    let options = Options {
        max_points: MAX_POINTS,
        max_steps: MAX_POINTS,
        max_evaluations: MAX_EVALUATIONS,
        smt_timeout: Duration::ZERO,
        ..Options::default()
    };
    match decide(&condition.differs(0), &int(1), domain, &options).verdict {
        Verdict::Equal => Some(true),
        Verdict::Differs { .. } => Some(false),
        Verdict::Undecided { .. } => None,
    }
}

/// Whether the engine proves that a condition holds everywhere (`true`) or nowhere (`false`).
fn known(condition: &Expr, domain: &Domain) -> Option<bool> {
    let answer = Simplifier::default().simplify(condition, domain).ok()?;
    answer.expr().as_const().map(|c| c != 0)
}
