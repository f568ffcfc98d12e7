//! What blocks are, as data, and the handles of blocks that are open.

use crate::coalesce::Schedule;
use crate::dims::{Dim, Scope, Unroll};
use quaff::expr::Expr;
use std::sync::Arc;

/// What a block within another one is, as data. [`Block::within`](super::Block::within) records one in a closure, and
/// [`Block::open`](super::Block::open) opens one that ends with a call. The methods of [`Block`](super::Block) named here say more.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Enter {
    /// Settings of its own: [`frame`](super::Block::frame).
    Frame,
    /// The equations of a scope: [`scope`](super::Block::scope).
    Scope(Scope),
    /// A loop with the name of its variable: [`loop_over`](super::Block::loop_over).
    Loop(Dim, Arc<str>, Unroll),
    /// The first of so many lanes: [`vectorize`](super::Block::vectorize).
    Vector(Dim, i64),
    /// A condition: [`guard`](super::Block::guard).
    If(Expr),
    /// The guard of indices: [`inside`](super::Block::inside).
    Inside(Vec<Dim>),
    /// The same, with a second part for cut vectors: [`inside_or_each`](super::Block::inside_or_each).
    InsideOrEach(Vec<Dim>),
    /// The element that a schedule gives to a lane: [`scheduled`](super::Block::scheduled).
    Scheduled(Dim, Schedule, Expr),
}

/// A block that is open. [`Block::close`](super::Block::close) ends it.
#[derive(Debug)]
#[must_use = "the kernel is not complete before the block is closed"]
pub struct Opened {
    /// How many blocks are open without it, and with it.
    pub(super) levels: (usize, usize),
    pub(super) variable: Option<Expr>,
}

impl Opened {
    /// The variable of the loop that it is, under the name that it has in the text; 0 for a loop of one trip. `None` for other
    /// blocks.
    pub fn variable(&self) -> Option<&Expr> {
        self.variable.as_ref()
    }
}
