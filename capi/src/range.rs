//! Ranges of integers.

use quaff::domain::Interval;

/// Integers from `lower` to `upper`, both inclusive. `INT64_MIN` and `INT64_MAX` are open ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_range {
    /// The least integer.
    pub lower: i64,
    /// The greatest integer.
    pub upper: i64,
}

impl quaff_range {
    pub(crate) fn of(range: Interval) -> quaff_range {
        quaff_range { lower: range.lo().unwrap_or(i64::MIN), upper: range.hi().unwrap_or(i64::MAX) }
    }
}

impl Default for quaff_range {
    /// The range of all integers.
    fn default() -> quaff_range {
        quaff_range::of(Interval::ALL)
    }
}
