//! Loops over dimensions.

use super::Dim;
use crate::expr::Expr;
use std::sync::Arc;

/// How the code generator should unroll a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unroll {
    /// Leave it to the compiler.
    #[default]
    Auto,
    /// Completely, which takes a number of trips that is known before run time.
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
    /// Number of trips, the size of the dimension: a constant of at least 2, or an expression over run-time sizes that may
    /// be 1.
    pub trips: Expr,
    /// How to unroll it.
    pub unroll: Unroll,
}
