//! What is known of the unknowns of an expression: ranges with symbolic ends, strides, opaque values.
//!
//! A [`Domain`] collects declarations; [`Domain::resolve`] turns them into numbers ([`VarFacts`]) or says what is wrong
//! with them. [`Interval`] and [`Congruence`] are the two kinds of numeric facts, with sound arithmetic on them.
//! Nothing here looks at what an expression is for: it knows ranges, not costs or rules.
//!
//! ```
//! use quaff::domain::{Domain, interval_of};
//! use quaff::expr::Expr;
//!
//! let mut domain = Domain::new().with("n", 1..=100);
//! domain.declare("i = 0..n - 1")?;
//! let facts = domain.resolve()?;
//! let e: Expr = "i*4 + 3".parse()?;
//! let range = interval_of(&e, |name| facts[domain.position(name).unwrap()].interval);
//! assert_eq!(range.to_string(), "3..399");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bits;
mod bounds;
mod by_name;
mod congruence;
mod declare;
mod difference;
mod error;
mod interval;
mod points;
mod ranges;
mod resolve;
mod variables;
mod wanted;

pub(crate) use bounds::intervals_within;
pub use bounds::{interval_of, interval_of_op, intervals_of};
pub(crate) use by_name::RangesByName;
pub use congruence::Congruence;
pub use error::DomainError;
pub use interval::Interval;
pub use points::Points;
pub(crate) use points::{Random, sample};
pub use ranges::Bounds;
pub use variables::{Domain, VarFacts};

/// Floor division: the greatest `q` with `q * b <= a` for `b > 0` (least for `b < 0`).
///
/// The one division of this crate; 128 bits so that no quotient of `i64` values overflows. It is total as in proof
/// assistants, so that `a == b * floor_div(a, b) + floor_mod(a, b)` always holds: `floor_div(a, 0) == 0` and
/// `floor_mod(a, 0) == a`; and the one quotient that 128 bits do not hold, `i128::MIN // -1`, wraps around. Whoever
/// divides by something that may be 0 asks before: an expression that does has no value.
#[inline]
pub fn floor_div(a: i128, b: i128) -> i128 {
    // nearly all operands fit 64 bits, where division is ten times faster; i64::MIN // -1 is the one overflow
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

/// Floor modulo: `a - b * floor_div(a, b)`, which has the sign of `b`; `a` itself when `b` is 0.
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

/// Greatest common divisor, never negative; `gcd(0, 0) == 0`. Of `i128::MIN` with 0 or itself it is 2^127, for which
/// `i128::MAX` is given.
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
