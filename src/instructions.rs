//! Costs, counted in simple instructions.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A cost in simple 32-bit instructions, counted in tenths.
///
/// A sum of costs that exceeds 64 bits becomes [`Cost::MAX`]. [`Display`](fmt::Display) writes the number of
/// instructions.
///
/// ```
/// use quaff::cost::Cost;
///
/// let (division, shift) = (Cost::from_tenths(11), Cost::from_tenths(10));
/// assert_eq!((division + shift).to_string(), "2.1");
/// assert_eq!([shift; 3].into_iter().sum::<Cost>().to_string(), "3");
/// assert!(shift < division && (division + shift).instructions() == 2.1);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cost {
    tenths: u64,
}

impl Cost {
    /// The cost 0.
    pub const ZERO: Cost = Cost::from_tenths(0);
    /// The greatest cost, which is more than any answer costs.
    pub const MAX: Cost = Cost::from_tenths(u64::MAX);

    /// The cost of `tenths` tenths of a simple 32-bit instruction.
    #[inline]
    pub const fn from_tenths(tenths: u64) -> Cost {
        Cost { tenths }
    }

    /// The cost in tenths of a simple 32-bit instruction.
    #[inline]
    pub const fn tenths(self) -> u64 {
        self.tenths
    }

    /// The cost in tenths, at most `u32::MAX`, so that it can be stored for each of many nodes.
    #[inline]
    pub(crate) fn tenths_u32(self) -> u32 {
        u32::try_from(self.tenths).unwrap_or(u32::MAX)
    }

    /// The cost in simple 32-bit instructions, as the nearest `f64`. The number is exact in its first decimal below
    /// 10^14.
    pub fn instructions(self) -> f64 {
        self.tenths as f64 / 10.0
    }
}

impl Add for Cost {
    type Output = Cost;

    #[inline]
    fn add(self, other: Cost) -> Cost {
        Cost::from_tenths(self.tenths.saturating_add(other.tenths))
    }
}

impl AddAssign for Cost {
    #[inline]
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::ZERO, Cost::add)
    }
}

impl fmt::Display for Cost {
    /// Writes the number of instructions, such as `2.1` or `3`, with the width and precision of the format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.instructions().fmt(f)
    }
}

impl fmt::Debug for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cost({self})")
    }
}
