//! The kinds of blocks as data, and the handles of open blocks.

use crate::coalesce::Schedule;
use crate::dims::{Dim, Scope, Unroll};
use quaff::expr::Expr;
use std::sync::Arc;

/// The kind of a block within another block, as data. [`Block::within`](super::Block::within) records a block in a
/// closure. [`Block::open`](super::Block::open) opens a block, which ends with a call. The linked methods of
/// [`Block`](super::Block) describe the kinds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Enter {
    /// A block with temporary settings: [`frame`](super::Block::frame).
    Frame,
    /// A block with the equations of a scope: [`scope`](super::Block::scope).
    Scope(Scope),
    /// A loop over a dimension, with the name of its variable: [`loop_over`](super::Block::loop_over).
    Loop(Dim, Arc<str>, Unroll),
    /// A vector region with the given number of lanes: [`vectorize`](super::Block::vectorize).
    Vector(Dim, i64),
    /// A condition: [`guard`](super::Block::guard).
    If(Expr),
    /// A guard of indices: [`inside`](super::Block::inside).
    Inside(Vec<Dim>),
    /// A guard of indices with a second part for cut vectors: [`inside_or_each`](super::Block::inside_or_each).
    InsideOrEach(Vec<Dim>),
    /// The element that a schedule assigns to a lane: [`scheduled`](super::Block::scheduled).
    Scheduled(Dim, Schedule, Expr),
}

/// An open block. [`Block::close`](super::Block::close) ends it.
#[derive(Debug)]
#[must_use = "the kernel is not complete before the block is closed"]
pub struct Opened {
    /// The number of open blocks before it was opened, and after.
    pub(super) levels: (usize, usize),
    pub(super) variable: Option<Expr>,
}

impl Opened {
    /// If the block is a loop, its variable under its name in the text, or 0 for a loop of one trip. `None` for other
    /// blocks.
    pub fn variable(&self) -> Option<&Expr> {
        self.variable.as_ref()
    }
}
