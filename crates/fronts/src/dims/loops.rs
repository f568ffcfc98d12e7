//! Loops over dimensions, and vector regions.

use super::Dim;
use quaff::expr::{Expr, int, var};
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

/// An open vector region.
#[derive(Clone)]
pub(super) struct Region {
    pub(super) dim: u32,
    /// Stands for the lane. No variable of a program has the name.
    pub(super) variable: Arc<str>,
    pub(super) lanes: i64,
    /// The variable of a loop over the lanes; `None` where one access covers them all.
    pub(super) looped: Option<Arc<str>>,
}

impl Region {
    /// The lane that indices are read at.
    pub(super) fn read(&self) -> Expr {
        self.looped.as_ref().map_or_else(|| int(0), |variable| var(variable.clone()))
    }
}
