//! Encodes bit operations on unbounded integers, bit by bit.

use super::encode::{Encoded, Encoder};
use easy_smt::SExpr;

/// Asserts that `common` is `x & mask`: it has the bits of `x` at the 1 bits of `mask`. For a negative mask, it also
/// has all bits of `x` above the 64 bits of the mask.
pub(super) fn masked(e: &mut Encoder<'_, '_>, x: SExpr, mask: i64, common: SExpr) -> Encoded<()> {
    let two = e.number(2);
    let digits = i64::BITS - if mask < 0 { (!mask).leading_zeros() } else { mask.leading_zeros() };
    let (mut rest, mut parts) = (x, vec![e.number(0), e.number(0)]);
    for i in 0..digits {
        // each step splits off the lowest bit: rest == 2 * half + digit
        let (digit, half) = (e.fresh()?, e.fresh()?);
        e.equal(rest, e.c.plus(e.c.times(two, half), digit))?;
        e.assert(e.c.and(e.c.lte(e.number(0), digit), e.c.lt(digit, two)))?;
        // the other assertions imply that `half` is the quotient of `x` by a power of two, but this assertion helps the
        // solver
        let below = e.c.times(e.c.numeral(2u64 << i), half);
        e.assert(e.c.and(e.c.lte(below, x), e.c.lt(x, e.c.plus(below, e.c.numeral(2u64 << i)))))?;
        if mask >> i & 1 == 1 {
            parts.push(e.c.times(e.c.numeral(1u64 << i), digit));
        }
        rest = half;
    }
    if mask < 0 {
        parts.push(e.c.times(e.c.numeral(1u64 << digits), rest));
    }
    e.equal(common, e.c.plus_many(parts))
}
