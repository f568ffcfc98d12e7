//! The limits of a decision.

use std::num::NonZeroUsize;
use std::time::Duration;

/// Limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Points that are enumerated at most: 2^24 by default, over all parts of the difference, and as many of both
    /// expressions where that did not suffice.
    pub max_points: u64,
    /// Steps of algebra that are taken at most, and as many to find periods where that did not suffice: 2^24 by default. A
    /// step is one term of a polynomial that is read, written or kept, or two operators whose period in one variable is
    /// found; it takes some tens of nanoseconds, and some tens of bytes where it is kept.
    pub max_steps: u64,
    /// Operators that are evaluated at most, at all points that are enumerated together: 2^32 by default, of which some
    /// take a nanosecond. What has more than 2^14 operators is evaluated point by point, which counts eightfold.
    pub max_evaluations: u64,
    /// Points above which the ranges of the variables are used to write the difference shorter, 4,096 by default. Below,
    /// only identities that hold for all integers are relied on.
    pub ranges_above: u64,
    /// Points above which a question is split in cases, 65,536 by default.
    pub split_above: u64,
    /// Corner and random points that are tried when the exact procedure gives up: 4,096 by default.
    pub samples: u32,
    /// Determines the random points.
    pub seed: u64,
    /// The most threads that enumerate: one for each core by default. The answer does not depend on it.
    pub threads: NonZeroUsize,
    /// How long a solver may take; 0 to use none, 5 seconds by default. What a solver decides depends on whether it is
    /// installed and how fast the machine is, all else is the same on every machine.
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
