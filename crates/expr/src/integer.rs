//! Integer arithmetic: floor division and the functions that are based on it.
//!
//! `//` and `%` mean floor division and floor modulo everywhere in this crate. Only these functions use the operators
//! `/` and `%` of Rust, which round towards zero. Arguments and results have 128 bits, so that no operation on 64-bit
//! integers overflows.

/// Floor division: the greatest `q` with `q * b <= a` for `b > 0` (least for `b < 0`).
///
/// `floor_div` is the only division of this crate. The operands have 128 bits, so that no quotient of `i64` values
/// overflows. As in proof assistants, the function has a value for all arguments: `floor_div(a, 0) == 0` and
/// `floor_mod(a, 0) == a`. So `a == b * floor_div(a, b) + floor_mod(a, b)` always holds. The one quotient that exceeds
/// 128 bits, `i128::MIN // -1`, wraps around. A caller whose divisor may be 0 checks it first, because an expression
/// that divides by 0 has no value.
#[inline]
pub fn floor_div(a: i128, b: i128) -> i128 {
    // nearly all operands fit 64 bits, which divide ten times faster. Only i64::MIN // -1 overflows
    if let (Ok(x), Ok(y)) = (i64::try_from(a), i64::try_from(b))
        && y != -1
        && y != 0
    {
        let (q, r) = (x / y, x % y);
        return i128::from(if r != 0 && (r < 0) != (y < 0) { q - 1 } else { q });
    }
    if b == 0 {
        return 0;
    }
    let q = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

/// Floor modulo, `a - b * floor_div(a, b)`. The result has the sign of `b`, and is `a` when `b` is 0.
#[inline]
pub fn floor_mod(a: i128, b: i128) -> i128 {
    if let (Ok(x), Ok(y)) = (i64::try_from(a), i64::try_from(b))
        && y != -1
        && y != 0
    {
        let r = x % y;
        return i128::from(if r != 0 && (r < 0) != (y < 0) { r + y } else { r });
    }
    if b == 0 {
        return a;
    }
    let r = a.wrapping_rem(b);
    if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
}

/// The quotient `a / b` rounded towards zero, as in C. The quotient is 0 when `b` is 0. `i128::MIN / -1` wraps around.
pub fn trunc_div(a: i128, b: i128) -> i128 {
    let q = floor_div(a, b);
    // the floor of a negative quotient that is no integer is one below the truncated quotient
    if (a < 0) != (b < 0) && floor_mod(a, b) != 0 && b != 0 { q + 1 } else { q }
}

/// The remainder `a - b * trunc_div(a, b)`. The remainder has the sign of `a`, and is `a` when `b` is 0.
pub fn trunc_mod(a: i128, b: i128) -> i128 {
    let r = floor_mod(a, b);
    if (a < 0) != (b < 0) && r != 0 && b != 0 { r - b } else { r }
}

/// The greatest common divisor, which is never negative. `gcd(0, 0) == 0`. For `i128::MIN` with 0 or itself, the
/// divisor would be 2^127, which does not fit. The result is then `i128::MAX`.
#[inline]
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        if let (Ok(mut x), Ok(mut y)) = (u64::try_from(a), u64::try_from(b)) {
            while y != 0 {
                (x, y) = (y, x % y);
            }
            return i128::from(x);
        }
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(i128::MAX)
}

/// The least integer that is not below `a / b`, for `b > 0`.
pub fn ceil_div(a: i128, b: i128) -> i128 {
    match a.checked_neg() {
        Some(minus) => -floor_div(minus, b),
        None => floor_div(a.saturating_add(b.saturating_sub(1)), b),
    }
}

/// The least common multiple of two positive numbers. `None` when it exceeds 128 bits.
pub fn lcm(a: i128, b: i128) -> Option<i128> {
    floor_div(a, gcd(a, b)).checked_mul(b)
}

/// The inverse of `a` modulo `n`. Requires `gcd(a, n) == 1` and `n >= 1`.
pub fn inverse(a: i128, n: i128) -> i128 {
    let (mut r0, mut r1, mut t0, mut t1) = (n, floor_mod(a, n), 0i128, 1i128);
    while r1 != 0 {
        let q = floor_div(r0, r1);
        (r0, r1) = (r1, r0.wrapping_sub(q.wrapping_mul(r1)));
        (t0, t1) = (t1, t0.wrapping_sub(q.wrapping_mul(t1)));
    }
    floor_mod(t0, n)
}
