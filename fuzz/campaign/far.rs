//! Numbers at the ends of machine types: ranges at the ends of 64 bits, and constants with which values exceed 64 bits.

use arbitrary::{Result, Unstructured};

/// The kind of numbers in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Small numbers, as in index code, of at most 32 bits.
    Index,
    /// Ranges that touch the ends of `i64`, or that are open.
    Ends,
    /// Ranges and constants with which values have 64 bits and more.
    Wide,
}

impl Family {
    pub(crate) fn choose(u: &mut Unstructured<'_>) -> Result<Family> {
        Ok(match u.int_in_range(0..=7)? {
            0..=5 => Family::Index,
            6 => Family::Ends,
            _ => Family::Wide,
        })
    }
}

/// The ends of the machine types, and the least and the greatest `i64`, which no range can have as an end.
const ENDS: [i64; 14] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MIN + 2,
    -(1 << 62),
    i32::MIN as i64,
    -1,
    0,
    1,
    i32::MAX as i64,
    u32::MAX as i64,
    1 << 62,
    i64::MAX - 2,
    i64::MAX - 1,
    i64::MAX,
];
/// Numbers whose products are near 2^64, and multipliers of every size.
const WIDE: [i64; 16] = [
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 32) + 1,
    1 << 33,
    3 << 31,
    1 << 40,
    1_000_000_007,
    3_037_000_500,
    1_000_000_000_000_000_000,
    1 << 61,
    (1 << 62) - 1,
    1 << 62,
    6_148_914_691_236_517_206,
    i64::MAX - 1,
    i64::MAX,
];

/// The ends of a random range of this family. `None` for an open end.
pub(crate) fn range(u: &mut Unstructured<'_>, family: Family) -> Result<(Option<i64>, Option<i64>)> {
    let ends = if family == Family::Ends { &ENDS[..] } else { &WIDE[..] };
    let (a, b) = (*u.choose(ends)?, *u.choose(ends)?);
    let near = u.int_in_range(0..=9)?;
    let (lo, hi) = match u.int_in_range(0..=3)? {
        0 => (a.min(b), a.max(b)),
        1 => (a, a.saturating_add(near)),
        2 => (a.saturating_sub(near), a),
        _ if family == Family::Wide => (0, a),
        _ => return Ok(if u.arbitrary()? { (None, Some(a)) } else { (Some(a), None) }),
    };
    Ok((Some(lo), Some(hi)))
}

/// A random positive number.
pub(crate) fn divisor(u: &mut Unstructured<'_>) -> Result<i64> {
    Ok(*u.choose(&WIDE)?)
}

/// A random number of either sign.
pub(crate) fn constant(u: &mut Unstructured<'_>) -> Result<i64> {
    let c = *u.choose(&WIDE)?;
    Ok(if u.ratio(1, 4)? { -c } else { c })
}
