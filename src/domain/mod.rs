//! What is known of the unknowns of an expression.

mod congruence;
mod interval;

pub use congruence::Congruence;
pub use interval::Interval;

/// Floor division: the greatest `q` with `q * b <= a` for `b > 0` (least for `b < 0`).
///
/// `b` must not be 0. The one division of this crate; 128 bits so that no quotient of `i64` values overflows.
#[inline]
pub fn floor_div(a: i128, b: i128) -> i128 {
    let q = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }
}

/// Floor modulo: `a - b * floor_div(a, b)`, which has the sign of `b`. `b` must not be 0.
#[inline]
pub fn floor_mod(a: i128, b: i128) -> i128 {
    let r = a % b;
    if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
}

/// Greatest common divisor, never negative; `gcd(0, 0) == 0`.
#[inline]
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}
