//! The loops in which a variable changes, and how often values that depend on the variable are computed.

use std::sync::Arc;

/// The number of iterations assumed for a loop whose variable has an open range or more than 2^24 values.
pub const UNKNOWN_TRIPS: u64 = 4;

/// The most values of a variable that counts a loop. A range with more values comes from a machine type and says
/// nothing about the loop.
pub(super) const MOST_VALUES: i64 = 1 << 24;

/// The greatest number of executions. A larger number is replaced by this limit.
pub const MOST_REPEATS: u64 = 1 << 24;

/// How often a value is computed if it depends on a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Repeats {
    /// Once, because the value of the variable is fixed for a thread.
    #[default]
    Once,
    /// In every iteration of a loop. The number is the product of the trips of this loop and of all loops around it.
    Loop(u64),
    /// In every copy of an unrolled loop. The number is the number of copies. In each copy, the variable is a constant.
    Unrolled(u64),
}

/// The loops in which a variable changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Looped {
    /// The variables that count the loops around this variable, the outermost first.
    pub(super) around: Vec<Arc<str>>,
    /// Whether the variable itself counts a loop, which is inside these loops.
    pub(super) counts: bool,
}
