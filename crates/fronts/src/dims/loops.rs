//! Loops over dimensions, and vector regions.

use super::Dim;
use quaff::expr::{Expr, int, var};
use std::sync::Arc;

/// The way in which the code generator should unroll a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unroll {
    /// The compiler decides.
    #[default]
    Auto,
    /// The loop is unrolled completely. Its number of trips must be known before run time.
    Full,
    /// The loop is unrolled by this many trips at a time. A value of 1 forbids unrolling.
    By(u32),
}

/// An open loop over a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The dimension.
    pub dim: Dim,
    /// The loop variable, which runs from 0 to `trips - 1`.
    pub variable: Arc<str>,
    /// The number of trips, which is the size of the dimension. It is a constant of at least 2, or an expression over
    /// run-time sizes whose value may be 1.
    pub trips: Expr,
    /// The unrolling of the loop.
    pub unroll: Unroll,
}

/// An open vector region.
#[derive(Clone)]
pub(super) struct Region {
    pub(super) dim: u32,
    /// The variable for the number of the lane. No variable of a program has its name.
    pub(super) variable: Arc<str>,
    pub(super) lanes: i64,
    /// The variable of a loop over the lanes. `None` if one access covers all lanes.
    pub(super) looped: Option<Arc<str>>,
}

impl Region {
    /// The lane at which indices are read.
    pub(super) fn read(&self) -> Expr {
        self.looped.as_ref().map_or_else(|| int(0), |variable| var(variable.clone()))
    }
}
