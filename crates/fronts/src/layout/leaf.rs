//! [`Leaf`]: one size with its stride.

use quaff::expr::{Expr, int};
use std::fmt;

/// One size with its stride: `4:2` has the indices 0, 2, 4, 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf<N = i64> {
    /// The number of coordinates.
    pub size: N,
    /// The difference between the indices of two successive coordinates.
    pub stride: N,
}

impl Leaf {
    /// The same size and stride as constant expressions.
    pub(super) fn wide(&self) -> Leaf<Expr> {
        Leaf { size: int(self.size), stride: int(self.stride) }
    }
}

impl<N: fmt::Display> fmt::Display for Leaf<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.size, self.stride)
    }
}
