//! Congruences: `x ≡ r (mod m)`.

use super::Interval;
use crate::integer::{floor_div, floor_mod, gcd, inverse};
use std::fmt;

/// The set of the integers `x` with `x ≡ residue (mod modulus)`.
///
/// A modulus of 1 means that nothing is known. A modulus of 0 means that `x` is the constant `residue`. Otherwise
/// `0 <= residue < modulus`. Congruences form a lattice, Granger's lattice of arithmetical congruences. The result of
/// an operation contains every possible value, and may contain others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Congruence {
    modulus: i64,
    residue: i64,
}

impl Congruence {
    /// Every integer.
    pub const ANY: Congruence = Congruence { modulus: 1, residue: 0 };

    /// The congruence `x ≡ residue (mod modulus)`. The sign of `modulus` does not matter, and 0 means a constant.
    #[inline]
    pub fn new(modulus: i64, residue: i64) -> Congruence {
        Congruence::from_wide(modulus as i128, residue as i128)
    }

    /// The constant `c`.
    pub fn point(c: i64) -> Congruence {
        Congruence { modulus: 0, residue: c }
    }

    #[inline]
    fn from_wide(m: i128, r: i128) -> Congruence {
        let m = m.abs();
        if m == 0 {
            return i64::try_from(r).map_or(Congruence::ANY, Congruence::point);
        }
        match i64::try_from(m) {
            Ok(modulus) => Congruence { modulus, residue: floor_mod(r, m) as i64 },
            Err(_) => Congruence::ANY,
        }
    }

    /// The modulus. It is 0 for a constant, and 1 when nothing is known.
    pub fn modulus(self) -> i64 {
        self.modulus
    }

    /// The residue. It lies in `0..modulus` unless the modulus is 0.
    pub fn residue(self) -> i64 {
        self.residue
    }

    /// The residue modulo `n` that all values share, with the sign of `n`. `None` when the values differ modulo `n`, or
    /// `n` is 0.
    #[inline]
    pub fn residue_mod(self, n: i64) -> Option<i64> {
        (n != 0 && floor_mod(self.modulus as i128, n as i128) == 0)
            .then(|| floor_mod(self.residue as i128, n as i128) as i64)
    }

    /// Whether `c` satisfies the congruence.
    pub fn contains(self, c: i64) -> bool {
        let d = c as i128 - self.residue as i128;
        if self.modulus == 0 { d == 0 } else { floor_mod(d, self.modulus as i128) == 0 }
    }

    /// The values common to both congruences, by the Chinese remainder theorem. `None` when there are none.
    pub fn meet(self, other: Congruence) -> Option<Congruence> {
        if self.modulus == 1 || self == other {
            return Some(other);
        }
        if other.modulus == 1 {
            return Some(self);
        }
        if self.modulus == 0 {
            return other.contains(self.residue).then_some(self);
        }
        if other.modulus == 0 {
            return self.contains(other.residue).then_some(other);
        }
        let (m, n) = (self.modulus as i128, other.modulus as i128);
        let (r, s) = (self.residue as i128, other.residue as i128);
        let g = gcd(m, n);
        if floor_mod(r - s, g) != 0 {
            return None;
        }
        let lcm = floor_div(m, g) * n;
        if lcm > i64::MAX as i128 {
            // the exact result is not representable, and the stronger of the two congruences is still sound
            return Some(if m >= n { self } else { other });
        }
        // x = r + m*t with m*t ≡ s-r (mod n)
        let t = floor_mod(floor_div(s - r, g) * inverse(floor_div(m, g), floor_div(n, g)), floor_div(n, g));
        Some(Congruence::from_wide(lcm, r + m * t))
    }

    /// The strongest congruence that the values of both satisfy.
    pub fn join(self, other: Congruence) -> Congruence {
        if self == other {
            return self;
        }
        let m = gcd(gcd(self.modulus as i128, other.modulus as i128), self.residue as i128 - other.residue as i128);
        Congruence::from_wide(m, self.residue as i128)
    }

    /// The values of `a + b`.
    #[inline]
    pub fn plus(self, b: Congruence) -> Congruence {
        if self.modulus == 1 || b.modulus == 1 {
            return Congruence::ANY;
        }
        Congruence::from_wide(gcd(self.modulus as i128, b.modulus as i128), self.residue as i128 + b.residue as i128)
    }

    /// The values of `c * a`.
    #[inline]
    pub fn scaled(self, c: i64) -> Congruence {
        if c == 1 {
            return self;
        }
        Congruence::from_wide(self.modulus as i128 * c as i128, self.residue as i128 * c as i128)
    }

    /// The values of `a * b`.
    pub fn times(self, b: Congruence) -> Congruence {
        let (m, r) = (self.modulus as i128, self.residue as i128);
        let (n, s) = (b.modulus as i128, b.residue as i128);
        // (m p + r)(n q + s) = mn pq + ms p + rn q + rs
        Congruence::from_wide(gcd(gcd(m * n, m * s), r * n), r * s)
    }

    /// The values of `a // c` for a constant `c`. [`Congruence::ANY`] when `c` is 0, because there is no value then.
    pub fn floor_div(self, c: i64) -> Congruence {
        let (m, r, c) = (self.modulus as i128, self.residue as i128, c as i128);
        if c != 0 && floor_mod(m, c) == 0 {
            Congruence::from_wide(floor_div(m, c), floor_div(r, c))
        } else {
            Congruence::ANY
        }
    }

    /// The interval `i` with both ends moved inward to the next value of this congruence. `None` when no value remains.
    #[inline]
    pub fn tighten(self, i: Interval) -> Option<Interval> {
        match self.modulus {
            1 => Some(i),
            0 => i.contains(self.residue).then(|| Interval::point(self.residue)),
            m => {
                let (m, r) = (m as i128, self.residue as i128);
                let lo = i.lo().map(|l| l as i128 + floor_mod(r - l as i128, m));
                let hi = i.hi().map(|h| h as i128 - floor_mod(h as i128 - r, m));
                match (lo, hi) {
                    (Some(l), Some(h)) if l > h => None,
                    _ => Some(Interval::from_wide(lo.unwrap_or(-OPEN), hi.unwrap_or(OPEN))),
                }
            }
        }
    }
}

/// A number beyond every finite end, also after the end is rounded to a multiple of the modulus.
const OPEN: i128 = 1 << 100;

impl fmt::Debug for Congruence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "≡{} mod {}", self.residue, self.modulus)
    }
}
