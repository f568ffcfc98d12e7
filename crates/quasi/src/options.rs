//! The limits within which the equality of two expressions is decided.

use std::num::NonZeroUsize;
use std::time::Duration;

/// The limits of one comparison of two expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most points that are enumerated, 2^24 by default. The limit applies to all parts of the difference together.
    /// If this enumeration decides nothing, the expressions themselves are enumerated, again with this limit.
    pub max_points: u64,
    /// The most steps of algebra, 2^24 by default. If they do not suffice, the same number of steps may be used to find
    /// periods. A step is one term of a polynomial that is read, written or kept, or two operators whose period in one
    /// variable is found. A step takes some tens of nanoseconds, and some tens of bytes if the term is kept.
    pub max_steps: u64,
    /// The most operators that are evaluated at all enumerated points together, 2^32 by default. Some operators take a
    /// nanosecond. Expressions with more than 2^14 operators are evaluated point by point, and each of their operators
    /// counts eightfold.
    pub max_evaluations: u64,
    /// If a comparison has more points than this number, the ranges of the variables are used to shorten the
    /// difference: 4,096 by default. With fewer points, only identities that hold for all integers are used.
    pub ranges_above: u64,
    /// If a comparison has more points than this number, it is split into cases: 65,536 by default.
    pub split_above: u64,
    /// The number of corner and random points that are tried if the exact procedure gives up: 4,096 by default.
    pub samples: u32,
    /// The seed of the random points.
    pub seed: u64,
    /// The most threads that enumerate: one for each core by default. The answer does not depend on the number of
    /// threads.
    pub threads: NonZeroUsize,
    /// The time limit of a solver, 5 seconds by default. With 0, no solver is used. Whether a solver decides depends on
    /// whether one is installed and how fast the machine is. All other results are the same on every machine.
    pub smt_timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_points: 1 << 24,
            max_steps: 1 << 24,
            max_evaluations: 1 << 32,
            ranges_above: 1 << 12,
            split_above: 1 << 16,
            samples: 1 << 12,
            seed: 0x71a5_1aff,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            smt_timeout: Duration::from_secs(5),
        }
    }
}

impl Options {
    pub(super) fn cores(&self) -> usize {
        self.threads.get()
    }
}
