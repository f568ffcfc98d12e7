//! [`Typed`]: the typing rules of `idx`, which also compute the dynamic number of each result.

use super::error::IndexError;
use super::idx::{Idx, TRIED, literal};
use super::numbers::corners;
use quaff::expr::{Expr, int};
use quaff::integer::{floor_div, floor_mod, gcd};

/// An index: its type, and the expression of its dynamic number.
///
/// Every rule is exact: at every dynamic number of the operands, the set of the result is the set of results of the
/// operator. Any copy of one operand is combined with any copy of the other, as in two unrolled loops. If no rule
/// applies, the result is an error. The dynamic interval may contain numbers that are never computed, for example after
/// a product.
///
/// ```
/// use quaff::expr::var;
/// use quaff_fronts::index_type::{Idx, Typed};
///
/// let i = Typed::new(Idx::unrolled(0, 32, 8)?, var("d"));
/// let row = i.floor_div(16)?;
/// assert_eq!((row.ty().to_string(), row.value().to_string()), ("idx<0..1, 0..2>".into(), "d//2".into()));
/// let column = i.floor_mod(16)?;
/// assert_eq!((column.ty().to_string(), column.value().to_string()), ("idx<0..8, 0..2>".into(), "d%2".into()));
/// // nothing is computed to add a constant
/// let next = i.plus(&Typed::constant(5)?)?;
/// assert_eq!((next.ty().to_string(), next.value().to_string()), ("idx<5..13, 0..4>".into(), "d".into()));
/// # Ok::<(), quaff_fronts::index_type::IndexError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    ty: Idx,
    value: Expr,
}

fn inexact(operator: &'static str, why: &'static str) -> IndexError {
    IndexError::Inexact { operator, why }
}

/// `e + c`, or `e` if `c` is 0.
fn shifted(e: &Expr, c: i128) -> Result<Expr, IndexError> {
    if c == 0 { Ok(e.clone()) } else { Ok(e + literal(c)?) }
}

/// `e * c`, or `e` if `c` is 1.
fn scaled(e: &Expr, c: i128) -> Result<Expr, IndexError> {
    if c == 1 { Ok(e.clone()) } else { Ok(e * literal(c)?) }
}

impl Typed {
    /// An index of type `ty` whose dynamic number is `value`, which must be in the dynamic interval.
    pub fn new(ty: Idx, value: Expr) -> Typed {
        Typed { ty, value }
    }

    /// The constant `c`, with the dynamic number 0.
    ///
    /// # Errors
    /// [`IndexError::Overflow`] beyond ±2^64.
    pub fn constant(c: i64) -> Result<Typed, IndexError> {
        Ok(Typed::new(Idx::constant(c)?, int(0)))
    }

    /// The type.
    pub fn ty(&self) -> &Idx {
        &self.ty
    }

    /// The dynamic number.
    pub fn value(&self) -> &Expr {
        &self.value
    }

    /// The same index with the canonical type and the corresponding dynamic number.
    pub fn canonical(&self) -> Result<Typed, IndexError> {
        let ty = self.ty.canonical();
        Ok(Typed { ty, value: shifted(&self.value, ty.low - self.ty.low)? })
    }

    fn negated(&self) -> Result<Typed, IndexError> {
        let Idx { first, width, low, high } = self.ty;
        let ty = Idx::checked(1 - first - width, width, 1 - high, 1 - low)?;
        let value = if self.ty.is_static() { literal(-low)? } else { -self.value.clone() };
        Ok(Typed { ty, value })
    }

    /// `self + other`. It is exact if one operand is a constant, both are plain integers, or both are static. Otherwise
    /// the sets have the width `k + k' - 1` and begin at distances that are no multiples of this width, so they have no
    /// type.
    ///
    /// # Errors
    /// [`IndexError::Inexact`] if the sum has no type, and [`IndexError::Overflow`] beyond ±2^64.
    pub fn plus(&self, other: &Typed) -> Result<Typed, IndexError> {
        let (a, b) = (self.ty, other.ty);
        if let Some(c) = b.as_constant() {
            return Ok(Typed { ty: Idx::checked(a.first + c, a.width, a.low, a.high)?, value: self.value.clone() });
        }
        if a.as_constant().is_some() {
            return other.plus(self);
        }
        if a.width == 1 && b.width == 1 {
            let ty = Idx::checked(a.first + b.first, 1, a.low + b.low, a.high + b.high - 1)?;
            return Ok(Typed { ty, value: &self.value + &other.value });
        }
        if a.is_static() && b.is_static() {
            let ty = Idx::checked(a.values().start + b.values().start, a.width + b.width - 1, 0, 1)?;
            return Ok(Typed { ty, value: int(0) });
        }
        Err(inexact("+", "sums of two sets overlap those of the next dynamic number"))
    }

    /// `self - other`, which is `self + (0 - other)`. The type of `c - i` is `idx<c-hs+1..c-ls+1, 1-hd..1-ld>`.
    ///
    /// # Errors
    /// The errors of [`Typed::plus`].
    pub fn minus(&self, other: &Typed) -> Result<Typed, IndexError> {
        self.plus(&other.negated()?).map_err(|e| match e {
            IndexError::Inexact { why, .. } => inexact("-", why),
            other => other,
        })
    }

    /// `self * other`. It is exact for a factor of -1, 0 or 1, and for two plain integers.
    ///
    /// # Errors
    /// [`IndexError::Inexact`] in all other cases, because multiples of consecutive integers are not consecutive.
    /// [`IndexError::Overflow`] beyond ±2^64.
    pub fn times(&self, other: &Typed) -> Result<Typed, IndexError> {
        let (a, b) = (self.ty, other.ty);
        match b.as_constant() {
            Some(0) => return Typed::constant(0),
            Some(1) => return Ok(self.clone()),
            Some(-1) => return self.negated(),
            Some(c) if a.width == 1 => {
                let at = |d: i128| c.checked_mul(a.first + d).ok_or(IndexError::Overflow);
                let (x, y) = (at(a.low)?, at(a.high - 1)?);
                let value = scaled(&shifted(&self.value, a.first)?, c)?;
                return Ok(Typed { ty: Idx::checked(0, 1, x.min(y), x.max(y) + 1)?, value });
            }
            Some(_) => return Err(inexact("*", "multiples of consecutive integers are not consecutive")),
            None if a.as_constant().is_some() => return other.times(self),
            None => {}
        }
        if a.width > 1 || b.width > 1 {
            return Err(inexact("*", "multiples of consecutive integers are not consecutive"));
        }
        let (x, y) = (a.values(), b.values());
        let corners = corners([x.start, x.end - 1], [y.start, y.end - 1])?;
        let (low, high) = corners.iter().fold((corners[0], corners[0]), |(l, h), &c| (l.min(c), h.max(c)));
        let value = shifted(&self.value, a.first)? * shifted(&other.value, b.first)?;
        Ok(Typed { ty: Idx::checked(0, 1, low, high + 1)?, value })
    }

    /// `self // c`, which is exact if one of these holds:
    ///
    /// - `c` divides both ends of every set (`d` does not change),
    /// - `k` divides `c` and the sets begin at its multiples (`d//(c/k)`),
    /// - no set straddles a multiple of `c`,
    /// - or the type is static.
    ///
    /// At most 4,096 dynamic numbers are tried to find a set that straddles a multiple.
    ///
    /// # Errors
    /// [`IndexError::ZeroDivisor`] for a divisor of 0, [`IndexError::Inexact`] if no rule applies, and
    /// [`IndexError::Overflow`] beyond ±2^64.
    pub fn floor_div(&self, c: i64) -> Result<Typed, IndexError> {
        if c == 0 {
            return Err(IndexError::ZeroDivisor);
        }
        if c < 0 {
            return self.negated()?.quotient(-i128::from(c));
        }
        self.quotient(c.into())
    }

    /// [`Typed::floor_div`] by a positive number.
    fn quotient(&self, c: i128) -> Result<Typed, IndexError> {
        let Idx { first, width, low, high } = self.ty;
        if floor_mod(width, c) == 0 && floor_mod(first, c) == 0 {
            let ty = Idx::checked(floor_div(first, c), floor_div(width, c), low, high)?;
            return Ok(Typed { ty, value: self.value.clone() });
        }
        let all = self.ty.values();
        let (least, last) = (floor_div(all.start, c), floor_div(all.end - 1, c));
        if self.ty.is_static() {
            return Ok(Typed { ty: Idx::checked(least, last - least + 1, 0, 1)?, value: int(0) });
        }
        let canonical = self.canonical()?;
        if floor_mod(c, width) == 0 && canonical.ty.first == 0 {
            let by = literal(floor_div(c, width))?;
            return Ok(Typed { ty: Idx::checked(0, 1, least, last + 1)?, value: canonical.value.floor_div(by) });
        }
        let Some((wide, residue)) = aligned(&self.ty, c) else {
            return Err(inexact("//", "quotients of different sets overlap, or differ in number"));
        };
        let quotient = shifted(&scaled(&self.value, width)?, first)?.floor_div(literal(c)?);
        let of = |q: i128| floor_div(q - residue, wide);
        let value = if wide == 1 { quotient } else { shifted(&quotient, -residue)?.floor_div(literal(wide)?) };
        Ok(Typed { ty: Idx::checked(residue, wide, of(least), of(last - wide + 1) + 1)?, value })
    }

    /// `self % c`, which is exact if one of these holds:
    ///
    /// - a set has all residues modulo `c`,
    /// - `k` divides `c` and the sets begin at its multiples (`d%(c/k)`),
    /// - all values are between two neighbouring multiples of `c`,
    /// - or the type is static and does not wrap.
    ///
    /// If `k > c`, several copies of a set have the same residue. The type describes the set of integers, but does not
    /// say which copy has which integer.
    ///
    /// # Errors
    /// [`IndexError::ZeroDivisor`] for a divisor of 0, [`IndexError::Inexact`] if no rule applies, and
    /// [`IndexError::Overflow`] beyond ±2^64.
    pub fn floor_mod(&self, c: i64) -> Result<Typed, IndexError> {
        if c == 0 {
            return Err(IndexError::ZeroDivisor);
        }
        if c < 0 {
            // the rule `a % -n == -(-a % n)`
            return self.negated()?.remainder(-i128::from(c))?.negated();
        }
        self.remainder(c.into())
    }

    /// [`Typed::floor_mod`] by a positive number.
    fn remainder(&self, c: i128) -> Result<Typed, IndexError> {
        let Idx { first, width, low, high } = self.ty;
        if width >= c {
            return Ok(Typed { ty: Idx::checked(0, c, 0, 1)?, value: int(0) });
        }
        let all = self.ty.values();
        let quotient = floor_div(all.start, c);
        if quotient == floor_div(all.end - 1, c) {
            let ty = Idx::checked(first - c * quotient, width, low, high)?;
            return Ok(Typed { ty, value: self.value.clone() });
        }
        let canonical = self.canonical()?;
        if floor_mod(c, width) == 0 && canonical.ty.first == 0 {
            // the values cross a multiple of `c`, so all remainders between 0 and the last may occur
            let by = floor_div(c, width);
            return Ok(Typed { ty: Idx::checked(0, width, 0, by)?, value: canonical.value.floor_mod(literal(by)?) });
        }
        Err(inexact("%", "remainders of a set are not consecutive"))
    }
}

/// The width and the least residue of the type that denotes the quotients of the sets of `ty` by `c`. All sets must
/// have equally many quotients, and their least quotients must agree modulo the number of quotients. Otherwise, or if
/// the test takes too long, the result is `None`.
fn aligned(ty: &Idx, c: i128) -> Option<(i128, i128)> {
    let quotients = |d: i128| {
        let start = ty.first + ty.width * d;
        let first = floor_div(start, c);
        (first, floor_div(start + ty.width - 1, c) - first + 1)
    };
    let (first, wide) = quotients(ty.low);
    let residue = floor_mod(first, wide);
    // after `period` dynamic numbers, all quotients have grown by the same number
    let common = gcd(ty.width, c);
    let (period, step) = (floor_div(c, common), floor_div(ty.width, common));
    let all = ty.high - ty.low;
    if all > period && floor_mod(step, wide) != 0 {
        return None;
    }
    let tried = all.min(period);
    let fits = |d: i128| {
        let (first, own) = quotients(ty.low + d);
        own == wide && floor_mod(first, wide) == residue
    };
    (tried <= TRIED && (0..tried).all(fits)).then_some((wide, residue))
}
