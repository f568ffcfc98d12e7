//! Intervals of bit operations such as `a & b`, on two's complement integers of unlimited width.

use super::Interval;

/// The greatest valid shift count. A shift by more has no value, so the intervals need not cover it.
const MAX_SHIFT: i64 = 126;

/// The two ends of an interval in 128 bits. An open end is `None`.
type Ends = (Option<i128>, Option<i128>);

fn ends(i: Interval) -> Ends {
    (i.lo().map(i128::from), i.hi().map(i128::from))
}

fn interval((lo, hi): Ends) -> Interval {
    Interval::from_wide(lo.unwrap_or(i128::from(i64::MIN)), hi.unwrap_or(i128::from(i64::MAX)))
}

/// The values of `~a`, which equals `-a - 1`.
fn complement((lo, hi): Ends) -> Ends {
    (hi.map(|h| -h - 1), lo.map(|l| -l - 1))
}

/// The part of `i` below 0 if `negative` is `true`, and otherwise the part from 0 on. `None` if that part is empty.
fn part(i: Interval, negative: bool) -> Option<Ends> {
    let half = if negative { Interval::new(i64::MIN, -1) } else { Interval::new(0, i64::MAX) };
    half.and_then(|h| i.meet(h)).map(ends)
}

/// The number with as many bits as `x`, all of them 1. `x` is at least 0.
fn ones(x: i128) -> i128 {
    let bits = 128 - x.leading_zeros();
    if bits >= 127 { i128::MAX } else { (1 << bits) - 1 }
}

/// The values of `a & b` for operands that are at least 0. The values are at most the smaller operand.
fn and_nonneg(a: Ends, b: Ends) -> Ends {
    let hi = match (a.1, b.1) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    };
    (Some(0), hi)
}

/// The values of `a | b` for operands that are at least 0. The values are at least the greater operand, and have no bit
/// above the highest bits of both operands.
fn or_nonneg(a: Ends, b: Ends) -> Ends {
    let hi = a.1.zip(b.1).map(|(x, y)| ones(x.max(y)));
    (a.0.max(b.0), hi)
}

/// The values of `a ^ b` for operands that are at least 0.
fn xor_nonneg(a: Ends, b: Ends) -> Ends {
    (Some(0), or_nonneg(a, b).1)
}

/// The values of `a & b`, where each flag says whether that operand is negative.
fn and_signed(a: Ends, a_negative: bool, b: Ends, b_negative: bool) -> Ends {
    match (a_negative, b_negative) {
        (false, false) => and_nonneg(a, b),
        // the result is the nonnegative operand with some of its bits cleared
        (false, true) => (Some(0), a.1),
        (true, false) => (Some(0), b.1),
        (true, true) => complement(or_nonneg(complement(a), complement(b))),
    }
}

fn xor_signed(a: Ends, a_negative: bool, b: Ends, b_negative: bool) -> Ends {
    let fold = |x, negative| if negative { complement(x) } else { x };
    let both = xor_nonneg(fold(a, a_negative), fold(b, b_negative));
    if a_negative == b_negative { both } else { complement(both) }
}

impl Interval {
    fn by_sign(self, b: Interval, signed: impl Fn(Ends, bool, Ends, bool) -> Ends) -> Interval {
        let mut all: Option<Interval> = None;
        for (a_negative, b_negative) in [(false, false), (false, true), (true, false), (true, true)] {
            let (Some(x), Some(y)) = (part(self, a_negative), part(b, b_negative)) else { continue };
            let some = interval(signed(x, a_negative, y, b_negative));
            all = Some(all.map_or(some, |i| i.hull(some)));
        }
        all.unwrap_or(Interval::ALL)
    }

    /// The values of `a & b`.
    pub fn bit_and(self, b: Interval) -> Interval {
        match (self.as_point(), b.as_point()) {
            (Some(x), Some(y)) => Interval::point(x & y),
            _ => self.by_sign(b, and_signed),
        }
    }

    /// The values of `a | b`.
    pub fn bit_or(self, b: Interval) -> Interval {
        match (self.as_point(), b.as_point()) {
            (Some(x), Some(y)) => Interval::point(x | y),
            // a | b equals ~(~a & ~b)
            _ => self.complement().bit_and(b.complement()).complement(),
        }
    }

    /// The values of `a ^ b`.
    pub fn bit_xor(self, b: Interval) -> Interval {
        match (self.as_point(), b.as_point()) {
            (Some(x), Some(y)) => Interval::point(x ^ y),
            _ => self.by_sign(b, xor_signed),
        }
    }

    /// The values of `~a`, that is `-a - 1`.
    pub fn complement(self) -> Interval {
        interval(complement(ends(self)))
    }

    /// The values of `2**b` for the shifts `b` in 0..=126. `None` when `b` has no value in this range.
    fn power_of_two(b: Interval) -> Option<Interval> {
        let by = b.meet(Interval::new(0, MAX_SHIFT)?)?;
        Some(Interval::from_wide(1 << by.lo()?, 1 << by.hi()?))
    }

    /// The values of `a << b`, or [`Interval::ALL`] when no shift is between 0 and 126.
    pub fn shift_left(self, b: Interval) -> Interval {
        Interval::power_of_two(b).map_or(Interval::ALL, |p| self.times(p))
    }

    /// The values of `a >> b`, or [`Interval::ALL`] when no shift is between 0 and 126.
    pub fn shift_right(self, b: Interval) -> Interval {
        Interval::power_of_two(b).and_then(|p| self.floor_div(p)).unwrap_or(Interval::ALL)
    }
}
