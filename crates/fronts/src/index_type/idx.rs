//! [`Idx`]: contiguous intervals of equal width.

use super::error::IndexError;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use quaff::integer::{floor_div, floor_mod};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// The greatest magnitude of a value of a type: all integers of 64 bits, with and without a sign, are below it.
pub(super) const REACH: i128 = 1 << 64;

/// The most dynamic numbers that are tried one by one to test whether a set straddles a multiple of a divisor: 4,096.
/// If more numbers are needed, the rule does not apply.
pub(super) const TRIED: i128 = 1 << 12;

/// A constant of an expression.
pub(super) fn literal(c: i128) -> Result<Expr, IndexError> {
    i64::try_from(c).map(int).map_err(|_| IndexError::Overflow)
}

/// The type `idx<ls..hs, ld..hd>` of an index with `k = hs - ls` copies that run together.
///
/// A value is one dynamic number `d` of `ld..hd`, and denotes the `k` consecutive integers from `ls + k*d` on. All
/// intervals have exclusive ends. `==` and hashing compare the denoted sets, by their [`Idx::canonical`] forms.
#[derive(Clone, Copy, Debug)]
pub struct Idx {
    /// The first static offset, the width and the dynamic interval. They have 128 bits, because canonical offsets of
    /// wide types exceed 64 bits.
    pub(super) first: i128,
    pub(super) width: i128,
    pub(super) low: i128,
    pub(super) high: i128,
}

impl Idx {
    /// The type `idx<statics, dynamics>`.
    ///
    /// ```
    /// use quaff_fronts::index_type::Idx;
    ///
    /// let i = Idx::new(0..5, 0..2)?;
    /// assert_eq!(i.set(1), Some(5..10));
    /// // the static interval can be moved by its width
    /// assert_eq!(i, Idx::new(5..10, -1..1)?);
    /// // the unsigned integers of 64 bits
    /// assert_eq!(Idx::new(0..1, 0..1_i128 << 64)?.to_string(), "idx<0..1, 0..18446744073709551616>");
    /// # Ok::<(), quaff_fronts::index_type::IndexError>(())
    /// ```
    ///
    /// # Errors
    /// [`IndexError::Empty`] for an empty interval, and [`IndexError::Overflow`] when a value is beyond ±2^64.
    pub fn new(statics: Range<impl Into<i128>>, dynamics: Range<impl Into<i128>>) -> Result<Idx, IndexError> {
        let (statics, dynamics) = (wide(statics), wide(dynamics));
        if statics.is_empty() {
            return Err(empty("static", &statics));
        }
        if dynamics.is_empty() {
            return Err(empty("dynamic", &dynamics));
        }
        let width = statics.end.checked_sub(statics.start).ok_or(IndexError::Overflow)?;
        Idx::checked(statics.start, width, dynamics.start, dynamics.end)
    }

    /// The type of the single integer `c`, `idx<c..c+1, 0..1>`.
    ///
    /// # Errors
    /// [`IndexError::Overflow`] beyond ±2^64.
    pub fn constant(c: i64) -> Result<Idx, IndexError> {
        Idx::checked(c.into(), 1, 0, 1)
    }

    /// The type of a plain integer in `range`, `idx<0..1, range>`.
    ///
    /// # Errors
    /// The errors of [`Idx::new`].
    pub fn integer(range: Range<impl Into<i128>>) -> Result<Idx, IndexError> {
        Idx::new(0..1, range)
    }

    /// The type of `i` in the body of `for i in low..high unroll factor`.
    ///
    /// The factor only has to divide the number of trips. With `r = low mod factor` the type is
    /// `idx<r..r+factor, (low-r)/factor..(high-r)/factor>`.
    ///
    /// ```
    /// use quaff_fronts::index_type::Idx;
    ///
    /// let i = Idx::unrolled(2, 6, 4)?;
    /// assert_eq!((i.to_string(), i.set(0)), ("idx<2..6, 0..1>".into(), Some(2..6)));
    /// # Ok::<(), quaff_fronts::index_type::IndexError>(())
    /// ```
    ///
    /// # Errors
    /// [`IndexError::Empty`] for a loop without trips. [`IndexError::Unroll`] when the factor is not positive or does
    /// not divide the trips. [`IndexError::Overflow`] beyond ±2^64.
    pub fn unrolled(low: impl Into<i128>, high: impl Into<i128>, factor: impl Into<i128>) -> Result<Idx, IndexError> {
        let (low, high, factor) = (low.into(), high.into(), factor.into());
        let trips = trips(low, high)?;
        if factor <= 0 || floor_mod(trips, factor) != 0 {
            return Err(IndexError::Unroll { low, high, factor, trips });
        }
        let first_trip = floor_div(low, factor);
        Idx::checked(low - first_trip * factor, factor, first_trip, first_trip + floor_div(trips, factor))
    }

    /// The types of `i` in the two loops that `for i in low..high unroll factor` becomes if the factor does not divide
    /// the number of trips. The first loop is the main part, unrolled by the factor. The second loop is the rest with
    /// fewer trips, unrolled completely. One of the loops may be missing.
    ///
    /// ```
    /// use quaff_fronts::index_type::Idx;
    ///
    /// let parts = Idx::unrolled_in_parts(0, 10, 4)?;
    /// assert_eq!(parts, [Idx::unrolled(0, 8, 4)?, Idx::unrolled(8, 10, 2)?]);
    /// assert_eq!(Idx::unrolled_in_parts(0, 3, 4)?, [Idx::unrolled(0, 3, 3)?]);
    /// # Ok::<(), quaff_fronts::index_type::IndexError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Idx::unrolled`], but [`IndexError::Unroll`] only for a factor that is not positive.
    pub fn unrolled_in_parts(
        low: impl Into<i128>,
        high: impl Into<i128>,
        factor: impl Into<i128>,
    ) -> Result<Vec<Idx>, IndexError> {
        let (low, high, factor) = (low.into(), high.into(), factor.into());
        let trips = trips(low, high)?;
        if factor <= 0 {
            return Err(IndexError::Unroll { low, high, factor, trips });
        }
        let rest = floor_mod(trips, factor);
        let parts = [(low, high - rest, factor), (high - rest, high, rest)];
        parts.into_iter().filter(|(low, high, _)| low < high).map(|(l, h, k)| Idx::unrolled(l, h, k)).collect()
    }

    /// The type with these numbers. Returns an error if a value is beyond ±2^64.
    pub(super) fn checked(first: i128, width: i128, low: i128, high: i128) -> Result<Idx, IndexError> {
        let at = |d: i128| width.checked_mul(d).and_then(|x| x.checked_add(first));
        let (Some(least), Some(last)) = (at(low), high.checked_sub(1).and_then(at)) else {
            return Err(IndexError::Overflow);
        };
        let within = least >= -REACH && last.checked_add(width).is_some_and(|end| end <= REACH + 1);
        if within { Ok(Idx { first, width, low, high }) } else { Err(IndexError::Overflow) }
    }

    /// The equal type whose static interval starts in `0..k`. Every type has one canonical form. Two types are equal
    /// exactly when their canonical forms agree in all four numbers.
    pub fn canonical(&self) -> Idx {
        let shift = floor_div(self.first, self.width);
        Idx {
            first: self.first - shift * self.width,
            width: self.width,
            low: self.low + shift,
            high: self.high + shift,
        }
    }

    /// The static interval `ls..hs`.
    pub fn statics(&self) -> Range<i128> {
        self.first..self.first + self.width
    }

    /// The dynamic interval `ld..hd`.
    pub fn dynamics(&self) -> Range<i128> {
        self.low..self.high
    }

    /// The number of copies that run together: `k = hs - ls`, at least 1.
    pub fn copies(&self) -> u128 {
        self.width.unsigned_abs()
    }

    /// The integers of all copies together for the dynamic number `d`. `None` outside of `ld..hd`.
    pub fn set(&self, d: i128) -> Option<Range<i128>> {
        let start = self.dynamics().contains(&d).then(|| self.first + self.width * d)?;
        Some(start..start + self.width)
    }

    /// All integers that the values of the type denote. The sets of successive values follow each other directly, so
    /// these integers are an interval without gaps.
    pub fn values(&self) -> Range<i128> {
        let start = self.first + self.width * self.low;
        start..start + self.width * (self.high - self.low)
    }

    /// Whether the type has only one value, which is then known at compile time.
    pub fn is_static(&self) -> bool {
        self.high - self.low == 1
    }

    /// The integer, if the type denotes only one integer.
    pub fn as_constant(&self) -> Option<i128> {
        (self.is_static() && self.width == 1).then_some(self.first + self.low)
    }

    /// `domain` with a variable `name` that has the integers of the first copy. Its range is open if these integers do
    /// not fit 64 bits.
    ///
    /// ```
    /// use quaff::domain::{Congruence, Domain};
    /// use quaff_fronts::index_type::Idx;
    ///
    /// let domain = Idx::unrolled(0, 64, 8)?.first_copy("i", Domain::new());
    /// let i = &domain.resolve()?[0];
    /// assert_eq!((i.interval.to_string(), i.congruence), ("0..56".into(), Congruence::new(8, 0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_copy(&self, name: &str, domain: Domain) -> Domain {
        let (values, copies) = (self.values(), self.width);
        let short = |n: i128| i64::try_from(n).ok();
        match (short(values.start), short(values.end - copies), short(copies)) {
            (Some(first), Some(last), Some(copies)) => {
                let residue = floor_mod(first.into(), copies.into()) as i64;
                let domain = domain.with(name, first..=last);
                if copies > 1 { domain.stride(name, copies, residue) } else { domain }
            }
            _ => domain.with(name, ..),
        }
    }

    fn key(&self) -> [i128; 4] {
        let c = self.canonical();
        [c.first, c.width, c.low, c.high]
    }
}

fn empty(which: &'static str, range: &Range<i128>) -> IndexError {
    IndexError::Empty { which, low: range.start, high: range.end }
}

fn wide(range: Range<impl Into<i128>>) -> Range<i128> {
    range.start.into()..range.end.into()
}

/// The number of trips of a loop, at least one. The ends of the loop are within the reach of types.
fn trips(low: i128, high: i128) -> Result<i128, IndexError> {
    if high <= low {
        return Err(empty("dynamic", &(low..high)));
    }
    if low < -REACH || high > REACH { Err(IndexError::Overflow) } else { Ok(high - low) }
}

impl PartialEq for Idx {
    fn eq(&self, other: &Idx) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Idx {}

impl Hash for Idx {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Idx {
    /// Writes the type with its original numbers, such as `idx<0..8, 0..4>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (s, d) = (self.statics(), self.dynamics());
        write!(f, "idx<{}..{}, {}..{}>", s.start, s.end, d.start, d.end)
    }
}
