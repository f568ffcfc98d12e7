//! Views of constant sizes as numbers, to compute the address of an index.

use super::strided::View;
use quaff::integer::{floor_div, floor_mod};

/// A view whose sizes, strides, offset and mask are constants.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) shape: Vec<i128>,
    strides: Vec<i128>,
    offset: i128,
    /// The first valid index and the exclusive end along each axis.
    pub(super) valid: Vec<(i128, i128)>,
}

impl Numbers {
    /// The view as numbers. `None` if some part is not constant.
    pub(super) fn of(view: &View) -> Option<Numbers> {
        let number = |e: &quaff::expr::Expr| e.as_const().map(i128::from);
        let all = |es: &[quaff::expr::Expr]| es.iter().map(number).collect::<Option<Vec<_>>>();
        let bounds = |axis| {
            let (begin, end) = view.valid(axis);
            Some((number(&begin)?, number(&end)?))
        };
        Some(Numbers {
            shape: all(&view.shape)?,
            strides: all(&view.strides)?,
            offset: number(&view.offset)?,
            valid: (0..view.rank()).map(bounds).collect::<Option<_>>()?,
        })
    }

    fn is_valid(&self, index: &[i128]) -> bool {
        index.iter().zip(&self.valid).all(|(x, (begin, end))| begin <= x && x < end)
    }

    fn address(&self, index: &[i128]) -> Option<i128> {
        index
            .iter()
            .zip(&self.strides)
            .try_fold(self.offset, |sum, (x, stride)| sum.checked_add(x.checked_mul(*stride)?))
    }

    fn digits(&self, mut address: i128) -> Vec<i128> {
        let mut digits = vec![0; self.shape.len()];
        for axis in (0..self.shape.len()).rev() {
            digits[axis] = floor_mod(address, self.shape[axis]);
            address = floor_div(address, self.shape[axis]);
        }
        digits
    }
}

/// The address of an index of the last view. `None` when the index is not valid.
pub(super) fn address(views: &[Numbers], index: &[i128]) -> Option<i128> {
    let mut index = index.to_vec();
    let mut address = 0;
    for (at, view) in views.iter().enumerate().rev() {
        if !view.is_valid(&index) {
            return None;
        }
        address = view.address(&index)?;
        if let Some(below) = at.checked_sub(1) {
            index = views[below].digits(address);
        }
    }
    Some(address)
}
