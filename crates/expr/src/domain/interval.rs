//! Inclusive integer intervals. Either end may be open.

use crate::integer::{floor_div, floor_mod};
use std::fmt;
use std::ops::RangeInclusive;

/// The integers from [`lo`](Interval::lo) to [`hi`](Interval::hi), inclusive. Either end may be open.
///
/// Ends are `i64`. An end that leaves `i64` in an operation becomes open, so every operation has a result that contains
/// all values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    lo: i64,
    hi: i64,
}

const MINUS_INFINITY: i64 = i64::MIN;
const PLUS_INFINITY: i64 = i64::MAX;
const SMALL: i64 = 1 << 61;
const SHORT: i64 = 1 << 30;

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { lo: MINUS_INFINITY, hi: PLUS_INFINITY };
    /// The numbers that an end can be. The least and the greatest `i64` are left out, because they mean open ends.
    pub const ENDS: RangeInclusive<i64> = MINUS_INFINITY + 1..=PLUS_INFINITY - 1;
    /// The values of a comparison, 0 and 1.
    pub const BOOL: Interval = Interval { lo: 0, hi: 1 };

    /// The interval `lo..=hi`. `i64::MIN` and `i64::MAX` mean open ends. `None` when the interval is empty.
    pub fn new(lo: i64, hi: i64) -> Option<Interval> {
        (lo <= hi).then_some(Interval { lo, hi })
    }

    /// The interval with the one value `c`. `i64::MIN` and `i64::MAX` mean open ends, so for them the interval has more
    /// values.
    pub fn point(c: i64) -> Interval {
        Interval { lo: c, hi: c }
    }

    /// The interval between two ends of 128 bits, in either order. Ends outside `i64` become open.
    #[inline]
    pub fn from_wide(lo: i128, hi: i128) -> Interval {
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (hi, lo) };
        // a lower end above all `i64`, or an upper end below them, has no value: keep the interval nonempty and sound
        let lo = if lo <= MINUS_INFINITY as i128 { MINUS_INFINITY } else { lo.min(PLUS_INFINITY as i128 - 1) as i64 };
        let hi = if hi >= PLUS_INFINITY as i128 { PLUS_INFINITY } else { hi.max(MINUS_INFINITY as i128 + 1) as i64 };
        Interval { lo, hi }
    }

    /// The least value. `None` when the lower end is open.
    pub fn lo(self) -> Option<i64> {
        (self.lo != MINUS_INFINITY).then_some(self.lo)
    }

    /// The greatest value. `None` when the upper end is open.
    pub fn hi(self) -> Option<i64> {
        (self.hi != PLUS_INFINITY).then_some(self.hi)
    }

    /// Both ends. `None` when one of them is open.
    #[inline]
    pub fn bounded(self) -> Option<(i64, i64)> {
        (self.lo != MINUS_INFINITY && self.hi != PLUS_INFINITY).then_some((self.lo, self.hi))
    }

    /// The only value of the interval. `None` when the interval has more than one.
    #[inline]
    pub fn as_point(self) -> Option<i64> {
        // `i64::MIN` and `i64::MAX` mean open ends. Such an interval is not one value, even when both ends are the same
        // number
        (self.lo == self.hi && self.bounded().is_some()).then_some(self.lo)
    }

    /// Whether every value lies in `lo..=hi`.
    #[inline]
    pub fn within(self, lo: i128, hi: i128) -> bool {
        self.lo != MINUS_INFINITY && self.hi != PLUS_INFINITY && lo <= self.lo as i128 && self.hi as i128 <= hi
    }

    /// Whether `c` is one of the values.
    pub fn contains(self, c: i64) -> bool {
        self.lo <= c && c <= self.hi
    }

    /// Whether every value is >= 0.
    #[inline]
    pub fn is_nonneg(self) -> bool {
        self.lo >= 0
    }

    /// Whether every value fits 32 bits with a sign.
    #[inline]
    pub fn fits_i32(self) -> bool {
        self.within(i32::MIN.into(), i32::MAX.into())
    }

    /// The number of values. `None` when an end is open, or the number exceeds `u64`.
    pub fn count(self) -> Option<u64> {
        let (lo, hi) = self.bounded()?;
        u64::try_from(hi as i128 - lo as i128 + 1).ok()
    }

    /// The values common to both intervals. `None` when there are none.
    #[inline]
    pub fn meet(self, other: Interval) -> Option<Interval> {
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// The smallest interval that holds both intervals.
    #[inline]
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Whether the sum of two ends of this size is a valid end as well. Nearly all ends are small, and their sums need
    /// no 128 bits.
    #[inline]
    fn is_small(self) -> bool {
        -SMALL <= self.lo && self.hi <= SMALL
    }

    /// Whether the product of two ends of this size is a valid end as well.
    #[inline]
    fn is_short(self) -> bool {
        -SHORT <= self.lo && self.hi <= SHORT
    }

    #[inline]
    fn wide(self) -> (i128, i128) {
        // the infinities are far beyond every sum and product of two finite `i64`
        let lo = if self.lo == MINUS_INFINITY { -WIDE_INFINITY } else { self.lo as i128 };
        let hi = if self.hi == PLUS_INFINITY { WIDE_INFINITY } else { self.hi as i128 };
        (lo, hi)
    }

    /// The values of `a + b`.
    #[inline]
    pub fn plus(self, b: Interval) -> Interval {
        if self.is_small() && b.is_small() {
            return Interval { lo: self.lo + b.lo, hi: self.hi + b.hi };
        }
        let ((a0, a1), (b0, b1)) = (self.wide(), b.wide());
        // the sum of two infinities of one sign overflows 128 bits
        Interval::from_wide(a0.saturating_add(b0), a1.saturating_add(b1))
    }

    /// The values of `c * a`.
    #[inline]
    pub fn scaled(self, c: i64) -> Interval {
        if c == 0 {
            return Interval::point(0);
        }
        if self.is_small()
            && let (Some(x), Some(y)) = (self.lo.checked_mul(c), self.hi.checked_mul(c))
        {
            let i = Interval { lo: x.min(y), hi: x.max(y) };
            if i.is_small() {
                return i;
            }
        }
        let (a0, a1) = self.wide();
        let (x, y) = (mul(a0, c as i128), mul(a1, c as i128));
        Interval::from_wide(x.min(y), x.max(y))
    }

    /// The values of `a * b`.
    pub fn times(self, b: Interval) -> Interval {
        if self.is_short() && b.is_short() {
            let corners = [self.lo * b.lo, self.lo * b.hi, self.hi * b.lo, self.hi * b.hi];
            let (lo, hi) = corners.iter().fold((corners[0], corners[0]), |(l, h), &c| (l.min(c), h.max(c)));
            return Interval { lo, hi };
        }
        let ((a0, a1), (b0, b1)) = (self.wide(), b.wide());
        let corners = [mul(a0, b0), mul(a0, b1), mul(a1, b0), mul(a1, b1)];
        let (mut lo, mut hi) = (corners[0], corners[0]);
        for c in corners {
            lo = lo.min(c);
            hi = hi.max(c);
        }
        Interval::from_wide(lo, hi)
    }

    /// The values of `a // b`. `None` when `b` contains 0.
    pub fn floor_div(self, b: Interval) -> Option<Interval> {
        if b.contains(0) {
            return None;
        }
        if self.is_small() && b.lo == b.hi && b.lo > 0 && b.is_small() {
            // for a positive divisor, Euclidean division is floor division
            return Some(Interval { lo: self.lo.div_euclid(b.lo), hi: self.hi.div_euclid(b.lo) });
        }
        let ((a0, a1), (b0, b1)) = (self.wide(), b.wide());
        let corners = [div(a0, b0), div(a0, b1), div(a1, b0), div(a1, b1)];
        let (mut lo, mut hi) = (corners[0], corners[0]);
        for c in corners {
            lo = lo.min(c);
            hi = hi.max(c);
        }
        Some(Interval::from_wide(lo, hi))
    }

    /// The values of `a % b`. `None` when `b` contains 0.
    pub fn floor_mod(self, b: Interval) -> Option<Interval> {
        if b.contains(0) {
            return None;
        }
        let ((a0, a1), (b0, b1)) = (self.wide(), b.wide());
        if b0 == b1 && self.bounded().is_some() && floor_div(a0, b0) == floor_div(a1, b0) {
            return Some(Interval::from_wide(floor_mod(a0, b0), floor_mod(a1, b0)));
        }
        Some(if b0 > 0 {
            let hi = if a0 >= 0 { (b1 - 1).min(a1) } else { b1 - 1 };
            // every dividend is nonnegative and below every divisor, so the remainder is the dividend
            let lo = if a0 >= 0 && a1 < b0 { a0 } else { 0 };
            Interval::from_wide(lo, hi)
        } else {
            let lo = if a1 <= 0 { (b0 + 1).max(a0) } else { b0 + 1 };
            let hi = if a1 <= 0 && a0 > b1 { a1 } else { 0 };
            Interval::from_wide(lo, hi)
        })
    }

    /// The values of `truncdiv(a, b)`. `None` when `b` contains 0.
    pub fn trunc_div(self, b: Interval) -> Option<Interval> {
        self.towards_zero(b, Interval::floor_div).map(|i| if b.lo < 0 { i.scaled(-1) } else { i })
    }

    /// The values of `truncmod(a, b)`. `None` when `b` contains 0.
    pub fn trunc_mod(self, b: Interval) -> Option<Interval> {
        self.towards_zero(b, Interval::floor_mod)
    }

    /// The hull of two results of `divide`, one for dividends from 0 on and one for negative dividends. All divisors
    /// have one sign, and their absolute values are used. A negative dividend is negated before the division, and the
    /// quotient or remainder is negated afterwards.
    fn towards_zero(self, b: Interval, divide: impl Fn(Interval, Interval) -> Option<Interval>) -> Option<Interval> {
        let size = if b.lo < 0 { b.scaled(-1) } else { b };
        let above = self.meet(Interval { lo: 0, hi: PLUS_INFINITY }).and_then(|a| divide(a, size));
        let below = self.meet(Interval { lo: MINUS_INFINITY, hi: 0 }).and_then(|a| divide(a.scaled(-1), size));
        match (above, below.map(|i| i.scaled(-1))) {
            (Some(above), Some(below)) => Some(above.hull(below)),
            (above, below) => above.or(below),
        }
    }

    /// The values of `min(a, b)`.
    pub fn min(self, b: Interval) -> Interval {
        Interval { lo: self.lo.min(b.lo), hi: self.hi.min(b.hi) }
    }

    /// The values of `max(a, b)`.
    pub fn max(self, b: Interval) -> Interval {
        Interval { lo: self.lo.max(b.lo), hi: self.hi.max(b.hi) }
    }
}

const WIDE_INFINITY: i128 = 1 << 126;

/// The product of two numbers. A product with an infinity is an infinity, and its absolute value is above every product
/// of two finite `i64`.
#[inline]
fn mul(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 {
        return 0;
    }
    if a.abs() >= WIDE_INFINITY || b.abs() >= WIDE_INFINITY {
        return if (a < 0) == (b < 0) { WIDE_INFINITY } else { -WIDE_INFINITY };
    }
    a * b
}

#[inline]
fn div(a: i128, b: i128) -> i128 {
    if a.abs() >= WIDE_INFINITY {
        // the quotient of an infinite dividend is infinite: the divisor with the least |b| is a corner and reaches
        // infinity
        return if (a < 0) == (b < 0) { WIDE_INFINITY } else { -WIDE_INFINITY };
    }
    if b.abs() >= WIDE_INFINITY {
        return if a == 0 || (a < 0) == (b < 0) { 0 } else { -1 };
    }
    floor_div(a, b)
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lo(), self.hi()) {
            (Some(l), Some(h)) => write!(f, "{l}..{h}"),
            (Some(l), None) => write!(f, "{l}.."),
            (None, Some(h)) => write!(f, "..{h}"),
            (None, None) => write!(f, ".."),
        }
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}
