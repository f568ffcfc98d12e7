//! The bounds of one variable, as a user writes them.

use super::{Interval, interval_of};
use crate::expr::{Dag, Expr, int};
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// An inclusive range. Each end is an expression or open.
///
/// `Bounds` are made from Rust's ranges of any integer type or of [`Expr`], from a pair of inclusive ends, or from an
/// [`Interval`]. Ranges mean what they mean in Rust: `0..16` leaves out 16, and `0..=16` includes it. In *text*
/// ([`Domain::declare`](super::Domain::declare)) both ends of `0..15` are inclusive.
///
/// ```
/// use quaff_expr::domain::Bounds;
/// use quaff_expr::expr::var;
///
/// let same: [Bounds; 3] = [(0..16).into(), (0..=15).into(), (0, 15).into()];
/// assert!(same.iter().all(|b| *b == same[0]));
/// let below_n = Bounds::from((0, var("n") - 1));
/// assert_eq!(below_n.upper().unwrap().to_string(), "n - 1");
/// ```
///
/// A constant end lies in [`Interval::ENDS`]. For any other constant, [`Domain::resolve`](super::Domain::resolve)
/// returns an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    lower: Option<Expr>,
    upper: Option<Expr>,
}

impl Bounds {
    /// The range from `lower` to `upper`, both inclusive. `None` is an open end.
    pub fn new(lower: Option<Expr>, upper: Option<Expr>) -> Bounds {
        Bounds { lower, upper }
    }

    /// The inclusive lower end.
    pub fn lower(&self) -> Option<&Expr> {
        self.lower.as_ref()
    }

    /// The inclusive upper end.
    pub fn upper(&self) -> Option<&Expr> {
        self.upper.as_ref()
    }

    /// The expression that both ends are equal to, unless it is a number. The variable is then equal to this
    /// expression.
    pub(super) fn value(&self) -> Option<&Expr> {
        self.lower.as_ref().filter(|e| e.as_const().is_none() && self.upper.as_ref() == Some(e))
    }

    /// The first end whose value is a number that intervals cannot hold. The end is a constant or an expression without
    /// variables.
    pub(super) fn beyond_reach(&self) -> Option<&Expr> {
        self.lower.iter().chain(&self.upper).find(|e| is_beyond_reach(e))
    }

    fn below(lower: Option<Expr>, end: Expr) -> Bounds {
        match end.as_const() {
            // no integer is below the least one, so the range is empty, and any empty range has the same meaning
            Some(i64::MIN) => Bounds::new(Some(0.into()), Some((-1).into())),
            Some(c) => Bounds::new(lower, Some((c - 1).into())),
            None => Bounds::new(lower, Some(end - 1)),
        }
    }
}

/// Whether `end` is a number outside of [`Interval::ENDS`].
pub(super) fn is_beyond_reach(end: &Expr) -> bool {
    if let Some(c) = end.as_const() {
        return !Interval::ENDS.contains(&c);
    }
    let dag = Dag::new(std::slice::from_ref(end));
    dag.variables().next().is_none() && interval_of(end, |_| Interval::ALL).bounded().is_none()
}

macro_rules! from_ranges {
    ($to_expr:expr, $to_end:expr => $($end:ty),*) => { $(
        impl From<RangeInclusive<$end>> for Bounds {
            fn from(range: RangeInclusive<$end>) -> Bounds {
                let (lower, upper) = range.into_inner();
                Bounds::new(Some($to_expr(lower)), Some($to_expr(upper)))
            }
        }
        impl From<Range<$end>> for Bounds {
            fn from(range: Range<$end>) -> Bounds {
                Bounds::below(Some($to_expr(range.start)), $to_end(range.end))
            }
        }
        impl From<RangeFrom<$end>> for Bounds {
            fn from(range: RangeFrom<$end>) -> Bounds {
                Bounds::new(Some($to_expr(range.start)), None)
            }
        }
        impl From<RangeToInclusive<$end>> for Bounds {
            fn from(range: RangeToInclusive<$end>) -> Bounds {
                Bounds::new(None, Some($to_expr(range.end)))
            }
        }
        impl From<RangeTo<$end>> for Bounds {
            fn from(range: RangeTo<$end>) -> Bounds {
                Bounds::below(None, $to_end(range.end))
            }
        }
    )* };
}

from_ranges!(Expr::from, Expr::from => Expr, i8, i16, i32, i64, u8, u16, u32);
from_ranges!(|end| reachable(wide(end)), |end| excluded(wide(end)) => isize, usize, u64, i128, u128);

/// Converts `end` to 128 bits. A value beyond 128 bits becomes `i128::MAX`, which is out of reach as well.
fn wide(end: impl TryInto<i128>) -> i128 {
    end.try_into().unwrap_or(i128::MAX)
}

/// Converts `end` to an expression. A value outside of `i64` becomes an end for which
/// [`Domain::resolve`](super::Domain::resolve) returns an error.
fn reachable(end: i128) -> Expr {
    i64::try_from(end).unwrap_or(if end < 0 { i64::MIN } else { i64::MAX }).into()
}

/// Converts the exclusive `end` of a range to an expression. If `end` is above `i64::MAX`, the inclusive end `end - 1`
/// must still be out of reach.
fn excluded(end: i128) -> Expr {
    if end > i64::MAX.into() { int(i64::MAX) + 1 } else { reachable(end) }
}

impl From<RangeFull> for Bounds {
    fn from(_: RangeFull) -> Bounds {
        Bounds::default()
    }
}

impl<A: Into<Expr>, B: Into<Expr>> From<(A, B)> for Bounds {
    /// Converts a pair of inclusive ends.
    fn from((lower, upper): (A, B)) -> Bounds {
        Bounds::new(Some(lower.into()), Some(upper.into()))
    }
}

impl From<Interval> for Bounds {
    fn from(interval: Interval) -> Bounds {
        Bounds::new(interval.lo().map(Expr::from), interval.hi().map(Expr::from))
    }
}
