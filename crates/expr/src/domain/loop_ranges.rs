//! What is said of a variable that changes in loops, and what follows from it.

use std::sync::Arc;

/// Iterations that a loop is taken to run where the range of its variable is open, or has more than 2^24 values.
pub const UNKNOWN_TRIPS: u64 = 4;

/// Values of a variable that counts a loop, at most; more are those of its type.
pub(super) const MOST_VALUES: i64 = 1 << 24;

/// More executions than this count as this many.
pub const MOST_REPEATS: u64 = 1 << 24;

/// How often something is computed that depends on a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Repeats {
    /// Once: the variable is fixed for a thread.
    #[default]
    Once,
    /// In every iteration of a loop: the product of its trips and of those of the loops around it.
    Loop(u64),
    /// In every copy of an unrolled loop, of which there are so many. The value is a constant in each of them.
    Unrolled(u64),
}

/// The loops in which a variable changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Looped {
    /// The variables that count the loops around, the outermost first.
    pub(super) around: Vec<Arc<str>>,
    /// Whether the variable counts one more loop in these.
    pub(super) counts: bool,
}
