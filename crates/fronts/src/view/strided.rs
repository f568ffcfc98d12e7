//! One strided window with a mask.

use super::error::{ErrorKind, ViewError};
use super::facts::Facts;
use quaff::expr::{Expr, int};
use std::fmt;

/// A strided window. Element `x` is at address `offset + sum(x[i] * strides[i])` if `mask[i].0 <= x[i] < mask[i].1` for
/// all axes. All other indices have no element.
///
/// Sizes, strides and addresses are counted in elements. A view is made by [`ViewStack`](super::ViewStack), and it is
/// always in canonical form:
///
/// - An axis with one valid index has stride 0 (the offset includes its contribution).
/// - A mask that excludes no index is dropped.
/// - A view without a valid index has strides and offset 0, and the mask `(0, 0)` on every axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub(super) shape: Vec<Expr>,
    pub(super) strides: Vec<Expr>,
    pub(super) offset: Expr,
    pub(super) mask: Option<Vec<(Expr, Expr)>>,
}

impl View {
    /// The number of indices along each axis.
    pub fn shape(&self) -> &[Expr] {
        &self.shape
    }

    /// The difference between the addresses of neighbouring indices along each axis.
    pub fn strides(&self) -> &[Expr] {
        &self.strides
    }

    /// The address of index 0. This index need not be valid, so the address may be negative.
    pub fn offset(&self) -> &Expr {
        &self.offset
    }

    /// For each axis, the first valid index and the exclusive end. `None` when all indices are valid.
    pub fn mask(&self) -> Option<&[(Expr, Expr)]> {
        self.mask.as_deref()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Whether the view contains no variable.
    pub(super) fn is_constant(&self) -> bool {
        let mask = self.mask.iter().flatten().flat_map(|(begin, end)| [begin, end]);
        let all = self.shape.iter().chain(&self.strides).chain([&self.offset]).chain(mask);
        all.into_iter().all(|e| e.as_const().is_some())
    }

    /// The valid indices of an axis as first index and exclusive end.
    pub(super) fn valid(&self, axis: usize) -> (Expr, Expr) {
        match &self.mask {
            Some(mask) => mask[axis].clone(),
            None => (int(0), self.shape[axis].clone()),
        }
    }

    /// The view that reads a buffer of shape `shape` in row-major order.
    pub(super) fn row_major(facts: &Facts, shape: Vec<Expr>) -> Result<View, ViewError> {
        let mut strides = vec![int(1); shape.len()];
        let mut stride = int(1);
        for axis in (0..shape.len()).rev() {
            strides[axis] = stride.clone();
            stride = facts.mul(&stride, &shape[axis])?;
        }
        View { shape, strides, offset: int(0), mask: None }.canonical(facts)
    }

    /// The canonical form of this window.
    pub(super) fn canonical(mut self, facts: &Facts) -> Result<View, ViewError> {
        let valid: Vec<(Expr, Expr)> = (0..self.rank()).map(|axis| self.valid(axis)).collect();
        if valid.iter().any(|(begin, end)| facts.le(end, begin) == Some(true)) {
            return Ok(self.without_points());
        }
        for (axis, (begin, end)) in valid.iter().enumerate() {
            if self.strides[axis].as_const() != Some(0) && facts.is(&facts.sub(end, begin)?, 1) {
                let adds = facts.mul(begin, &self.strides[axis])?;
                self.offset = facts.add(&self.offset, &adds)?;
                self.strides[axis] = int(0);
            }
        }
        let all =
            |axis: usize| facts.is(&valid[axis].0, 0) && facts.same(&valid[axis].1, &self.shape[axis]) == Some(true);
        if self.mask.is_some() && (0..self.rank()).all(all) {
            self.mask = None;
        }
        Ok(self)
    }

    /// The view with the same shape and no valid index.
    fn without_points(self) -> View {
        let rank = self.rank();
        let has_none = self.shape.iter().any(|s| s.as_const() == Some(0));
        // if there is no index at all, a mask is unnecessary
        let mask = (!has_none).then(|| vec![(int(0), int(0)); rank]);
        View { shape: self.shape, strides: vec![int(0); rank], offset: int(0), mask }
    }

    /// Whether the view is known to have no valid index.
    pub(super) fn is_empty(&self, facts: &Facts) -> bool {
        (0..self.rank()).any(|axis| {
            let (begin, end) = self.valid(axis);
            facts.le(&end, &begin) == Some(true)
        })
    }

    /// The least and the greatest address of a valid index, if there is one.
    ///
    /// # Errors
    /// [`ViewError`] when an address exceeds 64 bits, or the sign of a stride is not known.
    pub(super) fn reach(&self, facts: &Facts) -> Result<(Expr, Expr), ViewError> {
        let (mut least, mut most) = (self.offset.clone(), self.offset.clone());
        for axis in 0..self.rank() {
            let stride = &self.strides[axis];
            if stride.as_const() == Some(0) {
                continue;
            }
            let (begin, end) = self.valid(axis);
            let (first, last) = (facts.mul(&begin, stride)?, facts.mul(&facts.sub(&end, &int(1))?, stride)?);
            let (low, high) = match facts.le(&int(0), stride) {
                Some(true) => (first, last),
                Some(false) => (last, first),
                None => {
                    let what = "the direction of an axis in memory";
                    return Err(ErrorKind::Undecided { what, condition: stride.ge(0), nearest: None }.into());
                }
            };
            (least, most) = (facts.add(&least, &low)?, facts.add(&most, &high)?);
        }
        Ok((least, most))
    }
}

impl fmt::Display for View {
    /// Writes shape, strides, offset and mask, such as `(8, 14):(12, 1) - 1, mask (0, 8) (1, 13)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |all: &[Expr]| all.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ");
        write!(f, "({}):({})", list(&self.shape), list(&self.strides))?;
        match self.offset.as_const() {
            Some(0) => {}
            Some(c) if c < 0 => write!(f, " - {}", c.unsigned_abs())?,
            _ => write!(f, " + {}", self.offset)?,
        }
        if let Some(mask) = &self.mask {
            f.write_str(", mask")?;
            for (begin, end) in mask {
                write!(f, " ({begin}, {end})")?;
            }
        }
        Ok(())
    }
}
