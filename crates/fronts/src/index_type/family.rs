//! [`Family`]: the offset of each copy (unrolled iteration), and one dynamic part that all copies share.

use super::error::IndexError;
use super::idx::{REACH, TRIED, literal};
use quaff::expr::{Expr, int};
use quaff::integer::{floor_div, floor_mod, gcd};

/// The integers of several copies: copy `s` has `offsets[s] + m*d` for a dynamic number `d` in `low..=high` that all
/// copies share.
///
/// Unlike a set of integers, a family records which copy has which integer.
#[derive(Clone, Debug)]
pub(super) struct Family {
    pub(super) offsets: Vec<i128>,
    /// The multiplier, at least 0.
    pub(super) m: i128,
    pub(super) low: i128,
    pub(super) high: i128,
    /// The dynamic part `m*d`. It is the constant 0 if there is none.
    pub(super) base: Expr,
}

/// The result of a rule. `None` if the copies of the result do not share a dynamic part.
pub(super) type Ruled = Result<Option<Family>, IndexError>;

impl Family {
    /// Copies that are constants.
    pub(super) fn fixed(offsets: Vec<i128>) -> Ruled {
        Family { offsets, m: 0, low: 0, high: 0, base: int(0) }.checked().map(Some)
    }

    pub(super) fn least(&self) -> i128 {
        self.offsets.iter().copied().min().unwrap_or(0)
    }

    pub(super) fn greatest(&self) -> i128 {
        self.offsets.iter().copied().max().unwrap_or(0)
    }

    /// The least and the greatest integer over all copies and dynamic numbers.
    pub(super) fn bounds(&self) -> (i128, i128) {
        (self.least() + self.m * self.low, self.greatest() + self.m * self.high)
    }

    /// Whether there is no dynamic part.
    pub(super) fn is_fixed(&self) -> bool {
        self.m == 0 || self.low == self.high
    }

    /// The constant, if all copies always have the same integer.
    pub(super) fn as_constant(&self) -> Option<i128> {
        (self.is_fixed() && self.least() == self.greatest()).then(|| self.least() + self.m * self.low)
    }

    /// The same values with a constant dynamic part folded into the offsets. Returns an error if values exceed the
    /// reach of types.
    pub(super) fn checked(mut self) -> Result<Family, IndexError> {
        let end = |offset: i128, d: i128| self.m.checked_mul(d).and_then(|x| x.checked_add(offset));
        let ends = [end(self.least(), self.low), end(self.greatest(), self.high)];
        let within = |e: &Option<i128>| e.is_some_and(|e| (-REACH..=REACH).contains(&e));
        let parts = [self.least(), self.greatest(), self.m];
        if !ends.iter().all(within) || parts.iter().any(|p| !(-2 * REACH..=2 * REACH).contains(p)) {
            return Err(IndexError::Overflow);
        }
        if self.is_fixed() {
            let by = self.m * self.low;
            self.offsets.iter_mut().for_each(|o| *o += by);
            (self.m, self.low, self.high, self.base) = (0, 0, 0, int(0));
        }
        Ok(self)
    }

    /// The family with the same values whose least offset is in `0..m`.
    pub(super) fn canonical(&self) -> Result<Family, IndexError> {
        let shift = floor_div(self.least(), self.m);
        if self.m == 0 || shift == 0 {
            return Ok(self.clone());
        }
        let by = shift * self.m;
        let offsets = self.offsets.iter().map(|o| o - by).collect();
        let base = &self.base + literal(by)?;
        Ok(Family { offsets, m: self.m, low: self.low + shift, high: self.high + shift, base })
    }

    /// `self + c*other`, copy by copy, where `c` is 1 or -1.
    pub(super) fn sum(&self, other: &Family, c: i128) -> Ruled {
        let offsets: Vec<i128> = self.offsets.iter().zip(&other.offsets).map(|(a, b)| a + c * b).collect();
        if self.m == other.m && self.base == other.base {
            // both operands have the same dynamic part, so it is multiplied by `1 + c`. A sum of two independent
            // dynamic parts would have too wide a range
            let twice = Family { offsets: vec![0; self.offsets.len()], ..self.clone() }.scaled(1 + c)?;
            return twice.map_or(Ok(None), |f| Family { offsets, ..f }.checked().map(Some));
        }
        let m = gcd(self.m, other.m);
        let (x, y) = (floor_div(self.m, m), c * floor_div(other.m, m));
        let (p, q) = (y * other.low, y * other.high);
        let base = match (self.m, other.m, c) {
            (0, 0, _) => int(0),
            (_, 0, _) => self.base.clone(),
            (0, _, 1) => other.base.clone(),
            (0, ..) => -other.base.clone(),
            (.., 1) => &self.base + &other.base,
            _ => Expr::from(&self.base) - &other.base,
        };
        Family { offsets, m, low: x * self.low + p.min(q), high: x * self.high + p.max(q), base }.checked().map(Some)
    }

    /// The product `self * c`.
    pub(super) fn scaled(&self, c: i128) -> Ruled {
        let wide = |o: &i128| o.checked_mul(c).ok_or(IndexError::Overflow);
        let offsets = self.offsets.iter().map(wide).collect::<Result<Vec<_>, _>>()?;
        let m = wide(&self.m)?;
        let (low, high) = if m < 0 { (-self.high, -self.low) } else { (self.low, self.high) };
        let base = match (m, c) {
            (0, _) => int(0),
            (_, 1) => self.base.clone(),
            (_, -1) => -self.base.clone(),
            _ => &self.base * literal(c)?,
        };
        Family { offsets, m: m.abs(), low, high, base }.checked().map(Some)
    }

    /// `self * other`, if one is constant, both are static, or all copies of each have the same integer.
    pub(super) fn product(&self, other: &Family) -> Ruled {
        if let Some(c) = other.as_constant() {
            return self.scaled(c);
        }
        if let Some(c) = self.as_constant() {
            return other.scaled(c);
        }
        if self.is_fixed() && other.is_fixed() {
            let pairs = self.offsets.iter().zip(&other.offsets);
            let products = pairs.map(|(a, b)| a.checked_mul(*b).ok_or(IndexError::Overflow));
            return Family::fixed(products.collect::<Result<_, _>>()?);
        }
        if self.least() != self.greatest() || other.least() != other.greatest() {
            return Ok(None);
        }
        let m = gcd(self.least(), self.m).checked_mul(gcd(other.least(), other.m)).ok_or(IndexError::Overflow)?;
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y));
        let corners = corners.into_iter().collect::<Option<Vec<_>>>().ok_or(IndexError::Overflow)?;
        let ends = |pick: fn(i128, i128) -> i128| corners.iter().copied().reduce(pick).unwrap_or(0);
        let (low, high) = (floor_div(ends(i128::min), m), floor_div(ends(i128::max), m));
        let base = self.copy(0)? * other.copy(0)?;
        Family { offsets: vec![0; self.offsets.len()], m, low, high, base }.checked().map(Some)
    }

    /// The quotient `self // c` for `c >= 1`.
    pub(super) fn quotient(&self, c: i128) -> Ruled {
        if floor_mod(self.m, c) == 0 {
            let offsets = self.offsets.iter().map(|o| floor_div(*o, c)).collect();
            let base = if self.m == 0 || c == 1 { self.base.clone() } else { self.base.floor_div(literal(c)?) };
            return Family { offsets, m: floor_div(self.m, c), low: self.low, high: self.high, base }
                .checked()
                .map(Some);
        }
        let canonical = self.canonical()?;
        let divides = floor_mod(c, self.m) == 0 && canonical.greatest() < self.m;
        let shared = if divides { 0 } else { self.least() };
        if !divides && self.straddles(c) {
            return Ok(None);
        }
        let from = if divides { &canonical } else { self };
        let (low, high) = (floor_div(shared + from.m * from.low, c), floor_div(shared + from.m * from.high, c));
        let sum = if shared == 0 { from.base.clone() } else { &from.base + literal(shared)? };
        let base = sum.floor_div(literal(c)?);
        Family { offsets: vec![0; self.offsets.len()], m: 1, low, high, base }.checked().map(Some)
    }

    /// The remainder `self % c` for `c >= 1`.
    pub(super) fn remainder(&self, c: i128) -> Ruled {
        if floor_mod(self.m, c) == 0 {
            // the dynamic part is a multiple of `c`
            return Family::fixed(self.offsets.iter().map(|o| floor_mod(*o, c)).collect());
        }
        let (least, greatest) = self.bounds();
        let quotient = floor_div(least, c);
        if quotient == floor_div(greatest, c) {
            let offsets = self.offsets.iter().map(|o| o - quotient * c).collect();
            return Family { offsets, ..self.clone() }.checked().map(Some);
        }
        let canonical = self.canonical()?;
        if floor_mod(c, self.m) == 0 && canonical.greatest() < self.m {
            let base = canonical.base.floor_mod(literal(c)?);
            let high = floor_div(c, self.m) - 1;
            return Family { offsets: canonical.offsets, m: self.m, low: 0, high, base }.checked().map(Some);
        }
        if self.least() != self.greatest() {
            return Ok(None);
        }
        let m = gcd(self.m, c);
        let offset = floor_mod(self.least(), m);
        let whole = self.copy(0)?.floor_mod(literal(c)?);
        let base = if offset == 0 { whole } else { whole - literal(offset)? };
        Family { offsets: vec![offset; self.offsets.len()], m, low: 0, high: floor_div(c, m) - 1, base }
            .checked()
            .map(Some)
    }

    /// Whether, at some dynamic number, a multiple of `c` is between two copies. It is also `true` if the test would
    /// take too long.
    fn straddles(&self, c: i128) -> bool {
        let span = self.greatest() - self.least();
        if span == 0 {
            return false;
        }
        let period = floor_div(c, gcd(self.m, c));
        let tried = period.min(self.high - self.low + 1);
        tried > TRIED || (0..tried).any(|d| floor_mod(self.least() + self.m * (self.low + d), c) + span >= c)
    }

    /// The expression of copy `s`. Its offset is a constant.
    pub(super) fn copy(&self, s: usize) -> Result<Expr, IndexError> {
        let offset = self.offsets.get(s).copied().unwrap_or(0);
        match (self.m, offset) {
            (0, _) => literal(offset),
            (_, 0) => Ok(self.base.clone()),
            _ => Ok(&self.base + literal(offset)?),
        }
    }
}
