//! Exact multipliers that replace a division by a constant.
//!
//! `x // c` is the high part of one product, `(x*m) >> (32+s)` with `m = ceil(2^(32+s) / c)`, for every
//! `0 <= x <= X(c)`. The functions here return the limit `X(c)` exactly, and not only a power of two below it. Index
//! ranges are nearly always below the limit for `s = 0`. The whole division is then one instruction.
//!
//! The method is from Granlund and Montgomery, *Division by invariant integers using multiplication* (1994). See also
//! Warren, *Hacker's Delight*, chapter 10. The exact limits are derived in the comments below.
//!
//! ```
//! use quaff::lower::magic::mulhi;
//!
//! let seven = mulhi(7, 0).unwrap();
//! assert_eq!((seven.multiplier, seven.limit), (613_566_757, 1_431_655_769));
//! assert_eq!((1_000_000 * seven.multiplier as u64) >> 32, 142_857);
//! ```

/// A multiplier with `x // c == (x * multiplier) >> (32 + shift)` for `0 <= x <= limit`. The equation does not hold for
/// `limit + 1`, unless `limit` is `u32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MulHi {
    /// `ceil(2^(32+shift) / c)`. Common factors of two may be divided out of this number and of the power of two.
    pub multiplier: u32,
    /// The number of bits by which the high word is shifted.
    pub shift: u32,
    /// The greatest dividend up to which all results are right, at most `u32::MAX`.
    pub limit: u32,
}

/// A multiplier with `x // c == (x * multiplier) >> (64 + shift)` for `0 <= x <= limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MulHi64 {
    /// The multiplier, as in [`MulHi`] with 64 in place of 32.
    pub multiplier: u64,
    /// The number of bits by which the high word is shifted.
    pub shift: u32,
    /// The greatest dividend up to which all results are right, at most `u64::MAX`.
    pub limit: u64,
}

/// Numbers with `x // c == (x * multiplier + addend) >> bits` for all `x` in a given range, including negative `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MulAdd {
    /// The factor of a signed multiplication. The factor is positive if the divisor is positive.
    pub multiplier: i32,
    /// The addend that makes negative dividends round to the floor. The addend is never negative.
    pub addend: i64,
    /// The total shift: at least 32 in results of [`signed_mulhi`], and below 32 in results of [`mul_shift`].
    pub bits: u32,
}

/// The multiplier for `c` with the given `shift`, and its exact limit. Takes constant time, three 64-bit divisions.
///
/// `None` when `c < 2` or when the multiplier has more than 32 bits (`2^shift >= c`).
///
/// # Why the limit is exact
/// Let `k = 32+shift` and `e = m*c - 2^k`, so that `0 <= e < c`. Because `m >= 2^k/c`, the result is never too small.
/// Among the `x` with `x // c = Q-1`, the product is largest at `x = Q*c - 1`. The result is wrong there exactly if
/// `(Q*c-1)*m >= Q*2^k`, that is, if `Q*e >= m`. This is monotone in `Q`, so the first failure has `Q = ceil(m/e)`. The
/// first failing dividend is the least `x` with `x*m >= Q*2^k`, because smaller quotients never reach that product. So
/// the limit is `X = (Q*2^k - 1) // m`.
#[inline]
pub fn mulhi(c: u32, shift: u32) -> Option<MulHi> {
    // 2^shift < c keeps the multiplier below 2^32
    if c < 2 || shift > 31 || 1 << shift >= c {
        return None;
    }
    let (c, k) = (c as u64, 32 + shift);
    let m = (1u64 << k).div_ceil(c);
    let e = m * c - (1 << k);
    let limit = if e == 0 {
        u32::MAX
    } else {
        let q = m.div_ceil(e);
        // If Q*2^k has more than 64 bits, X >= 2^64 / m is beyond every 32-bit dividend.
        if q > u64::MAX >> k { u32::MAX } else { ((q << k) - 1).div_euclid(m).min(u32::MAX as u64) as u32 }
    };
    Some(MulHi { multiplier: m as u32, shift, limit })
}

/// The cheapest multiplier that divides every `0 <= x <= hi` by `c`. The multiplier has no shift if possible. Takes
/// constant time.
///
/// `None` when `c < 2` or no 32-bit multiplier is right up to `hi`, which happens only for `hi >= 2^31`.
///
/// It suffices to try two shifts. One more bit of shift turns `e/2^k` into `2e/2^(k+1)` or `(2e-c)/2^(k+1)`. So the
/// error at each dividend never grows with the shift, and the largest shift has the largest limit.
#[inline]
pub fn mulhi_for(c: u32, hi: u32) -> Option<MulHi> {
    let plain = mulhi(c, 0)?;
    if hi <= plain.limit {
        return Some(plain);
    }
    let mut found = mulhi(c, (c - 1).ilog2()).filter(|m| hi <= m.limit)?;
    let common = found.multiplier.trailing_zeros().min(found.shift);
    found.multiplier >>= common;
    found.shift -= common;
    Some(found)
}

/// The 64-bit counterpart of [`mulhi`].
pub fn mulhi64(c: u64, shift: u32) -> Option<MulHi64> {
    if c < 2 || shift > 63 || 1 << shift >= c {
        return None;
    }
    let (c, k) = (c as u128, 64 + shift);
    let m = (1u128 << k).div_ceil(c);
    let e = m * c - (1 << k);
    let limit = if e == 0 {
        u64::MAX
    } else {
        let q = m.div_ceil(e);
        if q > u128::MAX >> k { u64::MAX } else { ((q << k) - 1).div_euclid(m).min(u64::MAX as u128) as u64 }
    };
    Some(MulHi64 { multiplier: m as u64, shift, limit })
}

/// The 64-bit counterpart of [`mulhi_for`]. The result is never `None` for `c >= 2` and `hi < 2^63`.
pub fn mulhi64_for(c: u64, hi: u64) -> Option<MulHi64> {
    let plain = mulhi64(c, 0)?;
    if hi <= plain.limit {
        return Some(plain);
    }
    let mut found = mulhi64(c, (c - 1).ilog2()).filter(|m| hi <= m.limit)?;
    let common = found.multiplier.trailing_zeros().min(found.shift);
    found.multiplier >>= common;
    found.shift -= common;
    Some(found)
}

/// Floor division of `lo <= x <= hi` (any sign, `int`) by `c` as `(x*m + b) >> (32+s)` in 64 bits. The form is one
/// signed multiply-high with a constant addend if `s` is 0. Takes constant time. `None` when no `m < 2^31` is exact.
///
/// A range of up to 2^30 values always has a result.
#[inline]
pub fn signed_mulhi(c: u32, lo: i32, hi: i32) -> Option<MulAdd> {
    if c < 3 || lo > hi {
        return None;
    }
    let (lo, hi) = (lo as i64, hi as i64);
    mul_add(c, lo, hi, 32).or_else(|| {
        // the largest shift with m < 2^31, because a smaller shift never helps (see `mulhi_for`)
        let shift = (c - 1).ilog2().saturating_sub(1);
        (shift > 0).then(|| mul_add(c, lo, hi, 32 + shift)).flatten()
    })
}

/// Floor division of `lo <= x <= hi` by `c` as `(x*m + b) >> s`, completely in 32 bits. The type is `unsigned` if
/// `lo >= 0`, and otherwise `int`. No intermediate value overflows. This form is for targets on which the high product
/// is slow. Takes at most 31 steps.
pub fn mul_shift(c: u32, lo: i32, hi: i32) -> Option<MulAdd> {
    if c < 3 || lo > hi {
        return None;
    }
    let (lo, hi) = (lo as i64, hi as i64);
    (1..32).rev().find_map(|bits| {
        let found = mul_add(c, lo, hi, bits)?;
        let (m, b) = (found.multiplier as i64, found.addend);
        let fits = if lo >= 0 {
            b <= u32::MAX as i64 && hi * m + b <= u32::MAX as i64
        } else {
            let int = i32::MIN as i64..=i32::MAX as i64;
            int.contains(&b) && int.contains(&(lo * m)) && int.contains(&(hi * m)) && int.contains(&(hi * m + b))
        };
        fits.then_some(found)
    })
}

/// The form `(x*m + b) >> k` with `m = ceil(2^k / c) < 2^31`. `None` when it cannot be exact.
///
/// With `f(x) = x*m + b - (x // c)*2^k`, the result is right exactly if `0 <= f(x) < 2^k`. Among the `x` with the same
/// quotient, `f` grows. So it suffices to check `lo`, `hi`, and the first and the last `x` of each quotient. For a
/// first one, `f(q*c) = q*e + b` with `e = m*c - 2^k >= 0`, so the least `q` decides. For a last one,
/// `f(Q*c - 1) = Q*e - m + 2^k + b`, so the greatest `Q` decides. Each of these four conditions gives one bound of `b`.
#[inline]
fn mul_add(c: u32, lo: i64, hi: i64, k: u32) -> Option<MulAdd> {
    let (c, one) = (c as i64, 1i128 << k);
    let m = (1u64 << k).div_ceil(c as u64) as i64;
    if m >= 1 << 31 {
        return None;
    }
    let e = (m * c) as i128 - one;
    let (first, last) = (lo.div_euclid(c), hi.div_euclid(c)); // floors, because c > 0
    let at = |x: i64, bucket: i64| x as i128 * m as i128 - bucket as i128 * one;
    let mut least = -at(lo, first);
    let mut most = one - 1 - at(hi, last);
    if first < last {
        // there is a multiple of c after lo, and the number before it is below hi
        least = least.max(-(first + 1) as i128 * e);
        most = most.min(m as i128 - 1 - last as i128 * e);
    }
    let b = least.max(0);
    (b <= most).then_some(MulAdd { multiplier: m as i32, addend: b as i64, bits: k })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_failure(c: u64, m: u64, k: u32, upto: u64) -> Option<u64> {
        // only the last dividends of a quotient can fail, so it suffices to try one dividend for each quotient
        (1..=upto.div_euclid(c) + 1).find(|q| (q * c - 1) * m >= q << k).map(|q| (q << k).div_ceil(m))
    }

    #[test]
    fn limits_match_a_walk() {
        for c in (2..=5000u32).chain([65_535, 65_537, 99_991, 1_000_003, 123_456_789, 2_147_483_647, 4_294_967_295]) {
            for shift in 0..32 {
                let Some(found) = mulhi(c, shift) else { continue };
                let (m, k, limit) = (found.multiplier as u64, 32 + shift, found.limit as u64);
                let right = |x: u64| ((x as u128 * m as u128) >> k) as u64 == x.div_euclid(c as u64);
                assert!(right(limit) && right(limit.saturating_sub(c as u64)), "{c} {shift}");
                if found.limit < u32::MAX {
                    assert!(!right(limit + 1), "{c} {shift}: {limit} is not the end");
                    if c > 3000 && shift == 0 {
                        assert_eq!(first_failure(c as u64, m, k, limit + 1), Some(limit + 1), "{c}");
                    }
                }
            }
        }
    }

    #[test]
    fn limits_match_every_dividend() {
        // All dividends up to the limit, for divisors whose limit is small enough.
        for c in [1_000_003u32, 4097 * 1009, 99_991_003] {
            let found = mulhi(c, 0).unwrap();
            let first = (0..=u32::MAX as u64).find(|&x| (x * found.multiplier as u64) >> 32 != x.div_euclid(c as u64));
            assert_eq!(first, Some(found.limit as u64 + 1), "{c}");
        }
    }

    #[test]
    fn known_limits() {
        let table = [(3, 1431655766, 2147483647), (5, 858993460, 1073741823), (10, 429496730, 1073741828)];
        let more = [(12, 357913942, 536870914), (1000, 4294968, 6100998), (4097, 1048321, 1118479)];
        for (c, multiplier, limit) in table.into_iter().chain(more) {
            assert_eq!(mulhi(c, 0), Some(MulHi { multiplier, shift: 0, limit }));
        }
        assert_eq!((2..=1024).map(|c| mulhi(c, 0).unwrap().limit).min(), Some(4_215_781));
    }

    #[test]
    fn every_31_bit_dividend_has_a_multiplier() {
        for c in (2..20_000u32).chain((0..31).flat_map(|k| [(1u32 << k) + 1, (2u32 << k) - 1])) {
            if c >= 2 {
                let found = mulhi_for(c, i32::MAX as u32).unwrap_or_else(|| panic!("{c}"));
                assert!(found.limit >= i32::MAX as u32);
                let wide = mulhi64_for(c as u64, i64::MAX as u64).unwrap_or_else(|| panic!("{c}"));
                assert!(wide.limit >= i64::MAX as u64);
            }
        }
    }

    #[test]
    fn wide_limits_hold_at_their_ends() {
        for c in [3u64, 7, 10, 641, 1 << 33, (1 << 40) + 1, 6_700_417 * 641, (1 << 62) + 12_345, i64::MAX as u64] {
            for hi in [1000, 1 << 33, 1 << 45, i64::MAX as u64] {
                let found = mulhi64_for(c, hi).unwrap();
                for x in [0, 1, c - 1, c, c + 1, hi - 1, hi, hi.div_euclid(c) * c, (hi.div_euclid(c) * c).max(1) - 1] {
                    if x > hi {
                        continue;
                    }
                    let product = num_mul(x, found.multiplier) >> found.shift;
                    assert_eq!(product, x.div_euclid(c), "{x} // {c}");
                }
            }
        }
    }

    fn num_mul(a: u64, b: u64) -> u64 {
        ((a as u128 * b as u128) >> 64) as u64
    }

    #[test]
    fn signed_forms_are_exact_and_complete() {
        // Comparison with a search over all addends: the same ranges have a result, and each result is right for all
        // dividends.
        for c in 3u32..40 {
            for bits in 5u32..12 {
                for lo in -60i64..3 {
                    for hi in (lo..70).step_by(3) {
                        let m = (1u64 << bits).div_ceil(c as u64) as i64;
                        let right = |b: i64| (lo..=hi).all(|x| (x * m + b) >> bits == x.div_euclid(c as i64));
                        match mul_add(c, lo, hi, bits) {
                            Some(found) => assert!(right(found.addend), "{c} {bits} {lo} {hi} {found:?}"),
                            None => assert!(!(0..200).any(right), "{c} {bits} {lo} {hi}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn signed_forms_reach_thirty_bits() {
        for c in [3u32, 5, 6, 7, 10, 100, 641, 1000, 4097, 65_537, 1_000_003, 123_456_789, 2_000_000_011] {
            for (lo, hi) in
                [(-1, 1), (-1000, 5), (-(1 << 29), (1 << 29) - 1), (-(1 << 30), 0), (i32::MIN, i32::MIN + 9)]
            {
                let found = signed_mulhi(c, lo, hi).unwrap_or_else(|| panic!("{c} {lo} {hi}"));
                for x in [lo, lo + 1, hi - 1, hi, 0.clamp(lo, hi), (-1).clamp(lo, hi)] {
                    let q = (x as i64 * found.multiplier as i64 + found.addend) >> found.bits;
                    assert_eq!(q, (x as i64).div_euclid(c as i64), "{x} // {c}");
                }
            }
        }
    }

    #[test]
    fn low_forms_are_right_and_do_not_overflow() {
        for c in 3u32..300 {
            for (lo, hi) in [(0, 50), (0, 5000), (-7, 100), (-500, 500), (-3000, 10), (0, 40_000)] {
                let Some(found) = mul_shift(c, lo, hi) else { continue };
                for x in lo..=hi {
                    let q = if lo >= 0 {
                        (((x as u32).checked_mul(found.multiplier as u32).unwrap() + found.addend as u32) >> found.bits)
                            as i32
                    } else {
                        x.checked_mul(found.multiplier).unwrap().checked_add(found.addend as i32).unwrap() >> found.bits
                    };
                    assert_eq!(q, x.div_euclid(c as i32), "{x} // {c} {found:?}");
                }
            }
        }
    }
}
