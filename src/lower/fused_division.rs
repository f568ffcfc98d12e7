//! Finds a shift, an addend and a multiplier with which one product computes a quotient of a sum.
//!
//! `(factor*t + constant) // divisor` equals `((t << shift) + addend) * multiplier >> 32` for `t` in a range. Both the
//! price and the text use this module, so the priced form is the printed form.

use super::forms::DivKind;
use crate::integer::{floor_div, gcd};

/// A numerator `factor * t + constant` with `t` in `lo..=hi`, and a positive divisor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaledNumerator {
    pub(crate) factor: i64,
    pub(crate) constant: i64,
    pub(crate) divisor: i64,
    pub(crate) lo: i64,
    pub(crate) hi: i64,
}

/// A quotient of the form `((t << shift) + addend) * multiplier >> 32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scaled {
    pub(crate) shift: u32,
    pub(crate) addend: i64,
    pub(crate) multiplier: i64,
    /// Whether the product is signed. If it is unsigned, neither factor is negative.
    pub(crate) is_signed: bool,
}

/// Whether the quotient of a sum takes fewer instructions in this form than in the form `kind`, which divides the
/// finished sum.
pub(crate) fn pays(kind: DivKind, factor: i64, constant: i64, is_nonneg: bool) -> bool {
    let (has_factor, has_constant) = (factor.unsigned_abs() != 1, constant != 0);
    match kind {
        // the constant of a signed numerator replaces the addend that the form needs in any case
        DivKind::SignedMulHi(_) => has_factor || has_constant,
        // adding the constant to terms without a factor costs nothing in the usual form either. So this form saves
        // instructions only if it also removes a factor or a shift
        DivKind::MulHi { shift, .. } => has_factor && has_constant || shift > 0 && (has_factor || has_constant),
        // the compiler treats a shift after a signed product as a 64-bit shift
        DivKind::Shift(_) => has_factor && has_constant && (is_nonneg || factor < 0),
        _ => false,
    }
}

const INT: std::ops::RangeInclusive<i128> = i32::MIN as i128..=i32::MAX as i128;

impl ScaledNumerator {
    /// The form with the least shift. `None` for a divisor that is not positive. Takes at most 31 steps.
    pub(crate) fn form(self) -> Option<Scaled> {
        (0..if self.divisor > 0 { 31 } else { 0 }).find_map(|shift| self.with_shift(shift))
    }

    /// The form with the given shift. Let `f(t) = c*((t << k) + a)*m - (g*t + b)*2^32`, and let `r` be the remainder of
    /// `g*t + b` by `c`. The form is right if `-r*2^32 <= f(t) < (c - r)*2^32`. The remainders differ by multiples of
    /// `d = gcd(g, c)`. So the least is `b % d`, and the greatest is `c - d + b % d`. Because `f` is linear in `t`, it
    /// suffices to check its ends. `m` is the integer nearest to `g*2^(32-k)/c`, and `a` moves `f(0)` to the middle of
    /// the permitted interval.
    fn with_shift(self, shift: u32) -> Option<Scaled> {
        let [g, b, c] = [self.factor, self.constant, self.divisor].map(i128::from);
        let d = gcd(g, c);
        let least = b.rem_euclid(d);
        let nearest = |n: i128, by: i128| floor_div(2 * n * by.signum() + by.abs(), 2 * by.abs());
        let multiplier = nearest(g << (32 - shift), c);
        let ends = [self.lo, self.hi];
        // larger numbers exceed 32 bits, and the following products would exceed 128 bits
        if multiplier == 0
            || multiplier.abs() > u32::MAX.into()
            || !ends.iter().all(|&t| INT.contains(&(i128::from(t) << shift)))
        {
            return None;
        }
        let addend = nearest((2 * (b - least) + d) << 32, 2 * c * multiplier);
        let scaled = |t: i64| (i128::from(t) << shift) + addend;
        if !INT.contains(&addend) || !ends.iter().all(|&t| INT.contains(&scaled(t))) {
            return None;
        }
        let right = ends.iter().all(|&t| {
            let f = c * scaled(t) * multiplier - ((g * i128::from(t) + b) << 32);
            (-least << 32..(d - least) << 32).contains(&f)
        });
        let is_signed = multiplier < 0 || ends.iter().any(|&t| scaled(t) < 0);
        let most = if is_signed { i128::from(i32::MAX) } else { i128::from(u32::MAX) };
        let takes = multiplier.abs() <= most;
        let (addend, multiplier) = (i64::try_from(addend).ok()?, i64::try_from(multiplier).ok()?);
        (right && takes).then_some(Scaled { shift, addend, multiplier, is_signed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(s: Scaled, t: i64) -> i128 {
        let sum = (i128::from(t) << s.shift) + i128::from(s.addend);
        assert!(INT.contains(&sum));
        if s.is_signed {
            assert!(INT.contains(&i128::from(s.multiplier)));
        } else {
            assert!(sum >= 0 && u32::try_from(s.multiplier).is_ok());
        }
        (sum * i128::from(s.multiplier)) >> 32
    }

    #[test]
    fn right_wherever_they_are_given() {
        let mut found = 0;
        for divisor in [2, 3, 5, 7, 8, 9, 12, 24, 97, 360, 4097] {
            for factor in [-57, -9, -1, 1, 2, 3, 6, 24, 57, 96, 1296] {
                for constant in [-4000, -7, -1, 0, 1, 5, 96, 902, 4224] {
                    for (lo, hi) in [(0, 9), (0, 1000), (-50, 50), (-1000, -3), (900, 1100)] {
                        let Some(s) = (ScaledNumerator { factor, constant, divisor, lo, hi }).form() else { continue };
                        found += 1;
                        for t in lo..=hi {
                            let exact = i128::from((factor * t + constant).div_euclid(divisor));
                            assert_eq!(value(s, t), exact, "({factor}*{t} + {constant})//{divisor} {s:?}");
                        }
                    }
                }
            }
        }
        assert!(found > 4000, "{found}");
    }

    #[test]
    fn refused_beyond_the_last_numerator_that_they_take() {
        for (factor, constant, divisor) in [(57, 902, 9), (3, 1, 11), (-9, 85, 5), (1, 0, 7), (17, -2, 16)] {
            for shift in 1..20 {
                let of = |hi: i64| ScaledNumerator { factor, constant, divisor, lo: 0, hi }.with_shift(shift);
                let Some(s) = of(1) else { continue };
                let (mut taken, mut refused) = (1, i64::from(i32::MAX));
                while taken + 1 < refused {
                    let middle = taken.midpoint(refused);
                    if of(middle).is_some() { taken = middle } else { refused = middle }
                }
                for t in taken - 20.min(taken)..=taken {
                    let exact = (i128::from(factor) * i128::from(t) + i128::from(constant)).div_euclid(divisor.into());
                    assert_eq!(value(s, t), exact, "({factor}*{t} + {constant})//{divisor} {s:?}");
                }
            }
        }
    }
}
