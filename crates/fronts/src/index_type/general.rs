//! [`General`]: index types with any finite static set, which are closed under more operators than [`Idx`].

use super::error::IndexError;
use super::family::{Family, Ruled};
use super::idx::{Idx, REACH};
use super::numbers::{corners, listed};
use super::parts::Parts;
use super::typed::Typed;
use quaff::expr::var;
use quaff::integer::{floor_div as quotient, floor_mod};
use std::fmt;
use std::ops::Range;

/// The most copies of an index, or pairs of copies, that are enumerated: 65,536.
pub const MAX_COPIES: usize = 1 << 16;

/// A generalised index type `S + m*d`, with a finite set `S`, a multiplier `m >= 0` and an interval for the dynamic
/// number `d`.
///
/// A value is a dynamic number `d`, and denotes the integers `s + m*d` for `s` in `S`. The type is always canonical:
/// `S` is sorted and without repetition. If there is only one value, it is folded into `S` and `m` is 0. Otherwise the
/// least element of `S` is in `0..m`. So `==` compares the denoted sets.
///
/// ```
/// use quaff_fronts::index_type::{General, Idx, Outcome};
///
/// let i = General::from_idx(&Idx::unrolled(0, 32, 8)?)?;
/// // `2*i` is no `idx`, for there are gaps between its copies
/// let Outcome::Exact(twice) = i.times(&General::constant(2)?)? else { panic!() };
/// assert_eq!((twice.to_string(), twice.to_idx()), ("{0, 2, 4, 6, 8, 10, 12, 14} + 16*(0..4)".into(), None));
/// // its half is one again
/// let Outcome::Exact(half) = twice.floor_div(2)? else { panic!() };
/// assert_eq!(half.to_idx(), Some(Idx::unrolled(0, 32, 8)?));
/// # Ok::<(), quaff_fronts::index_type::IndexError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct General {
    statics: Vec<i128>,
    multiplier: i128,
    low: i128,
    high: i128,
}

/// The type of a result, or a weaker description if the result has no type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A type whose set at every dynamic number is the set of integers of the copies. The dynamic interval may contain
    /// numbers that are never computed.
    Exact(General),
    /// Several dynamic parts, each with a separate factor for every copy. A product of copies has such a type.
    Several(Parts),
    /// Plain integers without a common dynamic part.
    Integers {
        /// The number of copies.
        copies: usize,
        /// The least and the greatest integer that any of the copies may be.
        bounds: (i128, i128),
    },
}

impl General {
    /// The type `S + m*d` for `d` in `dynamics`, whose end is exclusive. `statics` may have repetitions and any order.
    ///
    /// # Errors
    /// [`IndexError::Empty`] for an empty set or an empty interval. [`IndexError::TooManyCopies`] above [`MAX_COPIES`].
    /// [`IndexError::Overflow`] when a value is beyond ±2^64 or `multiplier` is negative.
    pub fn new(statics: Vec<i64>, multiplier: i64, dynamics: Range<i64>) -> Result<General, IndexError> {
        if statics.is_empty() {
            return Err(IndexError::Empty { which: "static", low: 0, high: 0 });
        }
        if dynamics.is_empty() {
            return Err(empty(&dynamics));
        }
        if multiplier < 0 {
            return Err(IndexError::Overflow);
        }
        let family = Family {
            offsets: counted(statics.len() as u128, || statics.into_iter().map(i128::from).collect())?,
            m: multiplier.into(),
            low: dynamics.start.into(),
            high: i128::from(dynamics.end) - 1,
            base: var("d"),
        };
        General::of(&family.checked()?)
    }

    /// The type of the single integer `c`.
    ///
    /// # Errors
    /// [`IndexError::Overflow`] beyond ±2^64.
    pub fn constant(c: i64) -> Result<General, IndexError> {
        General::new(vec![c], 0, 0..1)
    }

    /// The equal type of an `Idx`: `idx<ls..hs, ..>` is `[ls, hs) + (hs - ls)*d`.
    ///
    /// # Errors
    /// [`IndexError::TooManyCopies`] above [`MAX_COPIES`].
    pub fn from_idx(idx: &Idx) -> Result<General, IndexError> {
        General::of(&Family::of_idx(idx)?)
    }

    /// The equal `Idx`, if there is one. It exists if `S` is an interval of length `m`, or if there is only one value.
    /// If `S` has one element, the result is a plain integer between the least and the greatest value. This type loses
    /// the fact that the distance from the least value is a multiple of `m`.
    pub fn to_idx(&self) -> Option<Idx> {
        let (first, last) = (*self.statics.first()?, *self.statics.last()?);
        let width = i128::try_from(self.statics.len()).ok()?;
        if last - first != width - 1 {
            return None;
        }
        if self.multiplier == 0 {
            Idx::checked(first, width, 0, 1).ok()
        } else if self.multiplier == width {
            Idx::checked(first, width, self.low, self.high + 1).ok()
        } else if width == 1 {
            Idx::checked(0, 1, first + self.multiplier * self.low, first + self.multiplier * self.high + 1).ok()
        } else {
            None
        }
    }

    /// The type of a family. Copies with the same integer are merged.
    pub(super) fn of(family: &Family) -> Result<General, IndexError> {
        let Family { mut offsets, m, low, high, .. } = family.canonical()?;
        offsets.sort_unstable();
        offsets.dedup();
        Ok(General { statics: offsets, multiplier: m, low, high })
    }

    fn family(&self) -> Family {
        let statics = self.statics.clone();
        Family { offsets: statics, m: self.multiplier, low: self.low, high: self.high, base: var("d") }
    }

    /// The static set `S`, in ascending order.
    pub fn statics(&self) -> &[i128] {
        &self.statics
    }

    /// The multiplier `m`. It is 0 if there is no dynamic part.
    pub fn multiplier(&self) -> i128 {
        self.multiplier
    }

    /// The interval of `d`, with an exclusive end.
    pub fn dynamics(&self) -> Range<i128> {
        self.low..self.high + 1
    }

    /// The set of integers of all copies for the dynamic number `d`, in ascending order. `None` outside of the dynamic
    /// interval.
    pub fn set(&self, d: i128) -> Option<Vec<i128>> {
        let inside = self.dynamics().contains(&d);
        inside.then(|| self.statics.iter().map(|s| s + self.multiplier * d).collect())
    }

    /// The least and the greatest integer that any value denotes.
    pub fn bounds(&self) -> (i128, i128) {
        self.family().bounds()
    }

    fn with_each(&self, other: &General) -> Result<(Family, Family), IndexError> {
        let (a, b) = (self.family(), other.family());
        let (m, n) = (a.offsets.len(), b.offsets.len());
        let pairs = m as u128 * n as u128;
        let left = counted(pairs, || a.offsets.iter().flat_map(|s| std::iter::repeat_n(*s, n)).collect())?;
        let right = counted(pairs, || b.offsets.iter().copied().cycle().take(m * n).collect())?;
        // each operand has its own dynamic number, so the number of the right operand gets the name `e`
        Ok((Family { offsets: left, ..a }, Family { offsets: right, base: var("e"), ..b }))
    }

    /// `self + other` for every pair of a copy of `self` and a copy of `other`. It is always exact.
    ///
    /// # Errors
    /// This method and the following methods return [`IndexError::Overflow`] beyond ±2^64, and
    /// [`IndexError::TooManyCopies`] above [`MAX_COPIES`] pairs.
    pub fn plus(&self, other: &General) -> Result<Outcome, IndexError> {
        let (a, b) = self.with_each(other)?;
        outcome(a.sum(&b, 1), a.offsets.len(), || (0, 0))
    }

    /// `self - other`, like [`General::plus`].
    ///
    /// # Errors
    /// The errors of [`General::plus`].
    pub fn minus(&self, other: &General) -> Result<Outcome, IndexError> {
        let (a, b) = self.with_each(other)?;
        outcome(a.sum(&b, -1), a.offsets.len(), || (0, 0))
    }

    /// `self * other`. It is exact if one factor is a constant, both are static, or both have one copy.
    ///
    /// # Errors
    /// The errors of [`General::plus`].
    pub fn times(&self, other: &General) -> Result<Outcome, IndexError> {
        let (a, b) = self.with_each(other)?;
        let ((p, q), (r, s)) = (a.bounds(), b.bounds());
        let corners = corners([p, q], [r, s])?;
        let ends = || corners.iter().fold((corners[0], corners[0]), |(l, h), &c| (l.min(c), h.max(c)));
        outcome(a.product(&b), a.offsets.len(), ends)
    }

    /// `self // c`, which is exact if one of these holds:
    ///
    /// - `c` divides `m`,
    /// - `m` divides `c` and all of `S` is in `0..m`,
    /// - no set straddles a multiple of `c` (tried for 4,096 dynamic numbers at most),
    /// - or there is only one value.
    ///
    /// # Errors
    /// [`IndexError::ZeroDivisor`], and the errors of [`General::plus`].
    pub fn floor_div(&self, c: i64) -> Result<Outcome, IndexError> {
        let (family, by) = divided(self.family(), c)?;
        let (low, high) = family.bounds();
        let ends = || (quotient(low, by), quotient(high, by));
        let ruled = family.quotient(by)?;
        // the rules of `idx` find further cases that are exact only for small intervals
        if ruled.is_none()
            && let Some(idx) = self.to_idx()
            && let Ok(typed) = Typed::new(idx, var("d")).floor_div(c)
        {
            return Ok(Outcome::Exact(General::from_idx(typed.ty())?));
        }
        outcome(Ok(ruled), self.statics.len(), ends)
    }

    /// `self % c`, which is exact if one of these holds:
    ///
    /// - `c` divides `m` (the result has no dynamic part),
    /// - `S` has all residues modulo `c`,
    /// - `m` divides `c` and all of `S` is in `0..m`,
    /// - all values are between two neighbouring multiples of `c`,
    /// - or there is only one copy.
    ///
    /// # Errors
    /// The errors of [`General::floor_div`].
    pub fn floor_mod(&self, c: i64) -> Result<Outcome, IndexError> {
        let (family, by) = divided(self.family(), c)?;
        let mut residues: Vec<i128> = self.statics.iter().map(|s| floor_mod(*s, by)).collect();
        residues.sort_unstable();
        residues.dedup();
        let ruled = match residues.len() as i128 == by {
            true => Family::fixed(residues),
            false => family.remainder(by),
        };
        let ruled = match (ruled, c < 0) {
            (Ok(Some(family)), true) => family.scaled(-1),
            (ruled, _) => ruled,
        };
        let ends = || if c < 0 { (1 - by, 0) } else { (0, by - 1) };
        outcome(ruled, self.statics.len(), ends)
    }
}

/// The numerator and a positive divisor: `a // -n == -a // n`, and `a % -n == -(-a % n)`.
pub(super) fn divided(family: Family, c: i64) -> Result<(Family, i128), IndexError> {
    match c {
        0 => Err(IndexError::ZeroDivisor),
        // a family can always be negated
        ..0 => Ok((family.scaled(-1)?.unwrap_or(family), -i128::from(c))),
        1.. => Ok((family, c.into())),
    }
}

/// `offsets`, unless there are too many of them.
pub(super) fn counted(copies: u128, offsets: impl FnOnce() -> Vec<i128>) -> Result<Vec<i128>, IndexError> {
    let limit = MAX_COPIES as u128;
    if copies > limit { Err(IndexError::TooManyCopies { copies, limit }) } else { Ok(offsets()) }
}

fn empty(range: &Range<i64>) -> IndexError {
    IndexError::Empty { which: "dynamic", low: range.start.into(), high: range.end.into() }
}

fn outcome(ruled: Ruled, copies: usize, bounds: impl Fn() -> (i128, i128)) -> Result<Outcome, IndexError> {
    match ruled? {
        Some(family) => Ok(Outcome::Exact(General::of(&family)?)),
        None => {
            let bounds = bounds();
            let within = [bounds.0, bounds.1].iter().all(|b| (-REACH..=REACH).contains(b));
            if within { Ok(Outcome::Integers { copies, bounds }) } else { Err(IndexError::Overflow) }
        }
    }
}

impl Family {
    /// The copies of `idx` in order. Their dynamic part is a variable `d`.
    pub(super) fn of_idx(idx: &Idx) -> Result<Family, IndexError> {
        let Idx { first, width, low, high } = idx.canonical();
        let offsets = counted(idx.copies(), || (first..first + width).collect())?;
        Family { offsets, m: width, low, high: high - 1, base: var("d") }.checked()
    }
}

impl fmt::Display for General {
    /// Writes `{0, 2} + 4*(0..8)`, with an exclusive end. Without a dynamic part, writes only the set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&listed(&self.statics))?;
        if self.multiplier == 0 {
            return Ok(());
        }
        write!(f, " + {}*({}..{})", self.multiplier, self.low, self.high + 1)
    }
}
