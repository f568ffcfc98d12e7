//! Loops over dimensions.

use super::Dim;
use std::sync::Arc;

/// How the code generator should unroll a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unroll {
    /// Leave it to the compiler.
    #[default]
    Auto,
    /// Completely.
    Full,
    /// This many trips at a time; 1 forbids unrolling.
    By(u32),
}

/// An open loop over a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The dimension.
    pub dim: Dim,
    /// The loop variable, which runs from 0 to `trips - 1`.
    pub variable: Arc<str>,
    /// Number of trips, the size of the dimension; at least 2.
    pub trips: i64,
    /// How to unroll it.
    pub unroll: Unroll,
}
