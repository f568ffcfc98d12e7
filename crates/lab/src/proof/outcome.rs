//! The result of a proof attempt.

use std::fmt;

/// The result of a proof attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// The rule holds for all integers.
    AllIntegers {
        /// The solver and its version.
        solver: String,
    },
    /// The rule is proved for all values of its variables, but only for the tested choices of its constants.
    Constants {
        /// The solver and its version.
        solver: String,
        /// The number of tested choices of constants.
        choices: usize,
    },
    /// Nothing is proved.
    None {
        /// The reason why nothing is proved.
        why: String,
    },
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::AllIntegers { solver } => write!(f, "for all integers by {solver}"),
            Proof::Constants { solver, choices } => write!(f, "for {choices} choices of constants by {solver}"),
            Proof::None { why } => write!(f, "not proved: {why}"),
        }
    }
}
