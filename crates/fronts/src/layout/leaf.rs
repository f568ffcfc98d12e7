//! [`Leaf`]: one size with its stride.

use std::fmt;

/// One size with its stride: `4:2` has the indices 0, 2, 4, 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Leaf {
    /// How many coordinates there are.
    pub size: i64,
    /// How much further the index of the next coordinate is.
    pub stride: i64,
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.size, self.stride)
    }
}
