//! Checks and normalises the arguments of callers: sizes, masks and bounds.

use super::error::{ErrorKind, ViewError};
use super::facts::Facts;
use super::limits::MAX_AXES;
use super::strided::View;
use quaff::expr::{Expr, int};

impl Facts {
    /// The canonical view with these sizes, strides, offset and mask.
    pub(super) fn view(
        &self,
        shape: &[Expr],
        strides: &[Expr],
        offset: &Expr,
        mask: Option<&[(Expr, Expr)]>,
    ) -> Result<View, ViewError> {
        let shape = self.shape(shape.iter().cloned())?;
        self.one_each(("stride", "strides"), shape.len(), strides.len())?;
        let value = |e: &Expr| self.check(e).and_then(|()| self.normal(e));
        let strides = strides.iter().map(value).collect::<Result<_, _>>()?;
        let mask = mask.map(|mask| self.mask(&shape, mask)).transpose()?;
        View { shape, strides, offset: value(offset)?, mask }.canonical(self)
    }

    /// The sizes of a shape, in normal form.
    pub(super) fn shape<S: Into<Expr>>(&self, sizes: impl IntoIterator<Item = S>) -> Result<Vec<Expr>, ViewError> {
        let mut shape = Vec::new();
        for (axis, size) in sizes.into_iter().enumerate() {
            if axis == MAX_AXES {
                return Err(ErrorKind::TooManyAxes { limit: MAX_AXES }.into());
            }
            let size = size.into();
            self.check(&size)?;
            shape.push(self.not_negative(axis, &size)?);
        }
        // returns an error if the number of elements exceeds 64 bits
        self.product(&shape)?;
        Ok(shape)
    }

    fn not_negative(&self, axis: usize, size: &Expr) -> Result<Expr, ViewError> {
        let size = self.normal(size)?;
        match self.le(&int(0), &size) {
            Some(true) => Ok(size),
            Some(false) => Err(ErrorKind::NegativeSize { axis, size }.into()),
            None => Err(ErrorKind::Undecided { what: "a size", condition: size.ge(0), nearest: None }.into()),
        }
    }

    /// Checks that there are as many arguments as axes.
    pub(super) fn one_each(
        &self,
        what: (&'static str, &'static str),
        axes: usize,
        given: usize,
    ) -> Result<(), ViewError> {
        if axes == given { Ok(()) } else { Err(ErrorKind::Rank { what, axes, given }.into()) }
    }

    pub(super) fn mask(&self, shape: &[Expr], mask: &[(Expr, Expr)]) -> Result<Vec<(Expr, Expr)>, ViewError> {
        self.one_each(("pair of a mask", "pairs of a mask"), shape.len(), mask.len())?;
        let mut out = Vec::with_capacity(mask.len());
        for (axis, ((begin, end), size)) in mask.iter().zip(shape).enumerate() {
            self.check(begin)?;
            self.check(end)?;
            let (begin, end) = (self.normal(begin)?, self.normal(end)?);
            match self.in_order(&begin, &end, size) {
                Ok(true) => out.push((begin, end)),
                Ok(false) => return Err(ErrorKind::Mask { axis, size: size.clone(), begin, end }.into()),
                Err(condition) => {
                    return Err(ErrorKind::Undecided { what: "a mask", condition, nearest: None }.into());
                }
            }
        }
        Ok(out)
    }

    /// Whether `0 <= begin <= end <= size`. If no comparison is known to be false, the error is the first comparison
    /// that is not decided.
    pub(super) fn in_order(&self, begin: &Expr, end: &Expr, size: &Expr) -> Result<bool, Expr> {
        let zero = int(0);
        let parts = [(&zero, begin), (begin, end), (end, size)].map(|(a, b)| (self.le(a, b), a, b));
        if parts.iter().any(|(known, ..)| *known == Some(false)) {
            return Ok(false);
        }
        match parts.iter().find(|(known, ..)| known.is_none()) {
            Some((_, a, b)) => Err(a.le(*b)),
            None => Ok(true),
        }
    }
}
