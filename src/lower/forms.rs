//! The instructions that compute `x // d` and `x % d` for a constant `d`, and their costs.
//!
//! The choice and the cost come from the same functions. The cost model calls [`div_form`] and [`mod_form`] for a cost,
//! and lowering emits exactly the form that was priced. A form is chosen for an interval of numerators, of any sign,
//! and is correct for all of them. No form uses a division instruction.
//!
//! The costs of instructions are given by a table, [`Prices`].
//!
//! ```
//! use quaff::cost::Cost;
//! use quaff::domain::Interval;
//! use quaff::lower::Prices;
//! use quaff::lower::forms::{DivKind, ModKind, div_form, mod_form};
//!
//! let prices = Prices::NVIDIA;
//! let x = Interval::new(0, 1_000_000).unwrap();
//! assert_eq!(div_form(x, 8, &prices).unwrap().kind, DivKind::Shift(3));
//! assert_eq!(div_form(x, 7, &prices).unwrap().kind, DivKind::MulHi { multiplier: 613_566_757, shift: 0 });
//! assert_eq!(div_form(x, 7, &prices).unwrap().cost(&prices), Cost::from_tenths(11));
//!
//! // one unsigned minimum where x < 2*d, else one multiply-subtract after the quotient
//! let y = Interval::new(0, 13).unwrap();
//! assert_eq!(mod_form(y, 7, false, &prices).unwrap().kind, ModKind::UnsignedMin { bucket: 0 });
//! assert_eq!(mod_form(x, 7, false, &prices).unwrap().cost(&prices), Cost::from_tenths(21));
//! assert_eq!(mod_form(x, 7, true, &prices).unwrap().cost(&prices), Cost::from_tenths(10));
//! ```

use super::Prices;
use super::magic::{MulAdd, MulHi, mulhi_for, mulhi64_for, signed_mulhi};
use crate::domain::Interval;
use crate::instructions::Cost;
use crate::integer::floor_div;

/// The form in which `x // d` is computed for a constant `d`. [`div_form`] chooses it.
///
/// The steps are, in this order: negate `x` if [`negate`](DivForm::negate) (and then divide by `-d`), shift right by
/// [`pre_shift`](DivForm::pre_shift), and apply [`kind`](DivForm::kind).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DivForm {
    /// Whether the divisor is negative. Then the form divides `-x` by `-d`.
    pub negate: bool,
    /// Whether the numerator has 64 bits.
    pub wide: bool,
    /// The exponent of a power of two that divides the divisor. The numerator is first shifted right by this exponent.
    /// The exponent is 0 in most forms.
    pub pre_shift: u32,
    /// The last step, which computes the quotient.
    pub kind: DivKind,
}

/// The core of a [`DivForm`]. `x` is the numerator after negation and pre-shift, and `c > 0` is the remaining divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DivKind {
    /// All numerators have the same quotient, which is this constant.
    Constant(i64),
    /// The quotient is `x`, because the divisor is 1.
    Identity,
    /// An arithmetic shift `x >> k`, for numerators of any sign.
    Shift(u32),
    /// The quotient is -1 or 0. It is computed as `x >> 31`, or as `x >> 63` if the numerator has 64 bits.
    SignBit,
    /// Two possible quotients: `(x >= threshold) + base`.
    AtLeast {
        /// The least numerator with the greater quotient.
        threshold: i64,
        /// The lesser quotient.
        base: i64,
    },
    /// `__umulhi(x, multiplier) >> shift`, for `0 <= x < 2^32`.
    MulHi {
        /// The multiplier, as in [`MulHi`].
        multiplier: u32,
        /// The shift, as in [`MulHi`].
        shift: u32,
    },
    /// `t = __umulhi(x, multiplier); (((x - t) >> 1) + t) >> shift`, with a 33-bit multiplier, for `x` up to
    /// `2^32 - 1`.
    MulHiAdd {
        /// The low 32 bits of the multiplier.
        multiplier: u32,
        /// The count of the last shift in the formula.
        shift: u32,
    },
    /// `(int)(((long long)x * multiplier + addend) >> bits)` with `bits >= 32`, for numerators of any sign.
    SignedMulHi(MulAdd),
    /// `(int)(__umulhi((unsigned)x - offset, multiplier) >> shift) + base` with `offset = base * c`. The quotient is
    /// computed in 32 bits for numerators of any size, because the difference fits 32 bits.
    BiasedMulHi {
        /// A multiple of the divisor. No numerator is below this multiple.
        offset: i64,
        /// `offset // c`, which is added after the division.
        base: i64,
        /// The multiplier, as in [`MulHi`].
        multiplier: u32,
        /// The shift, as in [`MulHi`].
        shift: u32,
    },
    /// `s = x >> 31; (int)(__umulhi(x ^ s, multiplier) >> shift) ^ s`, which is right for every `int`.
    SignXor {
        /// The multiplier, as in [`MulHi`].
        multiplier: u32,
        /// The shift, as in [`MulHi`].
        shift: u32,
    },
    /// `__umul64hi(x, multiplier) >> shift`, for `0 <= x < 2^63`.
    MulHi64 {
        /// The multiplier, as in [`MulHi64`](super::magic::MulHi64).
        multiplier: u64,
        /// The shift, as in [`MulHi64`](super::magic::MulHi64).
        shift: u32,
    },
    /// `s = x >> 63; (__umul64hi(x ^ s, multiplier) >> shift) ^ s`, which is right for every `long long`.
    SignXor64 {
        /// The multiplier, as in [`MulHi64`](super::magic::MulHi64).
        multiplier: u64,
        /// The shift, as in [`MulHi64`](super::magic::MulHi64).
        shift: u32,
    },
}

impl DivForm {
    /// The cost of the form by `prices`, without the cost of its numerator.
    pub fn cost(self, prices: &Prices) -> Cost {
        Cost::from_tenths(self.tenths(prices).into())
    }

    /// The cost of the form in tenths of a simple instruction.
    pub(crate) fn tenths(self, prices: &Prices) -> u32 {
        let Prices { simple, simple64, mulhi, .. } = *prices;
        let own = if self.wide { simple64 } else { simple };
        let last = |shift: u32| if shift > 0 { simple } else { 0 };
        let times = |n: u32, price: u32| price.saturating_mul(n);
        let steps: &[u32] = match self.kind {
            DivKind::Constant(_) => return 0,
            DivKind::Identity => &[],
            // the sign of a 64-bit value is the sign of its upper word
            DivKind::SignBit => &[prices.sign],
            DivKind::Shift(32..) => &[simple],
            DivKind::Shift(_) => &[own],
            DivKind::AtLeast { base, .. } => {
                &[if self.wide { prices.two_values64 } else { prices.two_values }, if base != 0 { simple } else { 0 }]
            }
            DivKind::MulHi { shift, .. } => &[mulhi, last(shift)],
            DivKind::MulHiAdd { .. } => &[mulhi, times(3, simple)],
            DivKind::SignedMulHi(m) => &[prices.signed_mulhi, last(m.bits.saturating_sub(32))],
            DivKind::BiasedMulHi { offset, shift, .. } => {
                &[mulhi, last(shift), if offset != 0 { times(2, simple) } else { 0 }]
            }
            DivKind::SignXor { shift, .. } => &[mulhi, last(shift), times(3, simple)],
            DivKind::MulHi64 { shift, .. } => &[prices.mulhi64, if shift > 0 { simple64 } else { 0 }],
            DivKind::SignXor64 { shift, .. } => {
                &[prices.mulhi64, simple, times(2, simple64), if shift > 0 { simple64 } else { 0 }]
            }
        };
        let before = [if self.negate { own } else { 0 }, if self.pre_shift > 0 { own } else { 0 }];
        before.iter().chain(steps).fold(0, |sum: u32, step| sum.saturating_add(*step))
    }

    /// Whether the form uses only the low 32 bits of the numerator. Then the numerator may be computed modulo 2^32.
    pub fn takes_wrapped(self) -> bool {
        matches!(self.kind, DivKind::Constant(_) | DivKind::BiasedMulHi { .. })
    }
}

/// The form in which `x % d` is computed for a constant `d`. [`mod_form`] chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModForm {
    /// Whether the form works on `-x` and `-d` and negates the result. Only the forms with a mask or a minimum do so.
    pub negate: bool,
    /// Whether the arithmetic has 64 bits.
    pub wide: bool,
    /// The operation.
    pub kind: ModKind,
}

/// The operation of a [`ModForm`]. `c` is the absolute value of the divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModKind {
    /// The remainder is 0, because the divisor is 1 or -1.
    Zero,
    /// All numerators have the same quotient, and the remainder is `x - offset`.
    Offset(i64),
    /// A mask `x & mask`, for numerators of any sign.
    Mask(i64),
    /// There are two possible quotients. With `t = x - offset` in `[0, 2c)`, the unsigned minimum `min(t, t - c)`
    /// selects the number that did not wrap. The form is one instruction on sm_90 and sm_100 if the bucket is 0 or -1.
    UnsignedMin {
        /// The lesser quotient. `offset` equals `bucket * c`.
        bucket: i64,
    },
    /// `x - d * q`, where other code already computes the quotient `q = x // d`.
    SharedQuotient,
    /// `x - d * q`, with `q` computed only for this remainder, by the given form.
    Quotient(DivForm),
}

impl ModForm {
    /// The cost of the form by `prices`, without the cost of its numerator.
    pub fn cost(self, prices: &Prices) -> Cost {
        Cost::from_tenths(self.tenths(prices).into())
    }

    /// The cost of the form in tenths of a simple instruction.
    pub(crate) fn tenths(self, prices: &Prices) -> u32 {
        let own = if self.wide { prices.simple64 } else { prices.simple };
        let multiply_add = if self.wide { prices.mul_add64 } else { prices.simple };
        let steps = match self.kind {
            ModKind::Zero | ModKind::Offset(0) => 0,
            ModKind::Offset(_) | ModKind::Mask(_) => own,
            ModKind::UnsignedMin { bucket } => {
                let first = if matches!(bucket, 0 | -1) { 0 } else { own };
                let least = if self.wide { prices.compare64.saturating_add(own) } else { prices.minimum_of_sum };
                first.saturating_add(least)
            }
            ModKind::SharedQuotient => multiply_add,
            ModKind::Quotient(q) => q.tenths(prices).saturating_add(multiply_add),
        };
        let negations = if self.negate { own.saturating_mul(2) } else { 0 };
        steps.saturating_add(negations)
    }
}

/// The ends of a numerator's range, negated if the divisor is negative. An open end is replaced by `-i64::MAX` or
/// `i64::MAX`.
#[inline]
pub(super) fn ends(x: Interval, negate: bool) -> (i128, i128) {
    let (lo, hi) = (x.lo().unwrap_or(-i64::MAX) as i128, x.hi().unwrap_or(i64::MAX) as i128);
    let hi = hi.max(lo); // the range `i64::MIN` alone would be empty
    if negate { (-hi, -lo) } else { (lo, hi) }
}

#[inline]
pub(super) fn is_narrow(lo: i128, hi: i128) -> bool {
    (lo >= i32::MIN as i128 && hi <= i32::MAX as i128) || (lo >= 0 && hi <= u32::MAX as i128)
}

/// The quotients of both ends by `c > 0`. They are divided in 64 bits if possible, which is several times faster than
/// in 128 bits.
#[inline]
fn buckets(lo: i128, hi: i128, c: i128) -> (i128, i128) {
    match (i64::try_from(lo), i64::try_from(hi), i64::try_from(c)) {
        (Ok(lo), Ok(hi), Ok(c)) => (lo.div_euclid(c) as i128, hi.div_euclid(c) as i128),
        _ => (floor_div(lo, c), floor_div(hi, c)),
    }
}

/// The cheapest form of `numerator // divisor` by `prices`.
///
/// An open end of `numerator` counts as `-i64::MAX` or `i64::MAX`. Takes constant time, a few 64-bit divisions. `None`
/// when `divisor` is 0.
pub fn div_form(numerator: Interval, divisor: i64, prices: &Prices) -> Option<DivForm> {
    (divisor != 0).then(|| form_by(numerator, divisor, prices))
}

/// [`div_form`] for a nonzero divisor.
#[inline]
pub(crate) fn form_by(numerator: Interval, divisor: i64, prices: &Prices) -> DivForm {
    let cheaper = |a: DivForm, b: DivForm| if b.tenths(prices) < a.tenths(prices) { b } else { a };
    let negate = divisor < 0;
    let (lo, hi) = ends(numerator, negate);
    let c = divisor.unsigned_abs() as i128;
    let wide = !is_narrow(lo, hi);
    let form = |kind| DivForm { negate, wide, pre_shift: 0, kind };
    if c == 1 {
        return form(DivKind::Identity);
    }
    let (first, last) = buckets(lo, hi, c);
    if first == last {
        return form(DivKind::Constant(first as i64));
    }
    if (first, last) == (-1, 0) {
        return form(DivKind::SignBit);
    }
    if c.count_ones() == 1 {
        return form(DivKind::Shift(c.trailing_zeros()));
    }
    let mut best = if wide { form(wide_div(lo, hi, c)) } else { narrow_div(form, lo, hi, c as u32, first) };
    if last == first + 1 {
        let threshold = ((first + 1) * c) as i64; // between lo and hi
        best = cheaper(best, form(DivKind::AtLeast { threshold, base: first as i64 }));
    }
    // a signed numerator is moved to a nonnegative range only if that is cheaper
    let unsigned = prices.simple.saturating_mul(2).saturating_add(prices.mulhi);
    if !wide
        && prices.signed_mulhi > unsigned
        && matches!(best.kind, DivKind::SignedMulHi(_))
        && let Some(kind) = biased(lo, hi, c, first)
    {
        best = cheaper(best, form(kind));
    }
    if !wide {
        return best;
    }
    // The numerator has 64 bits, so try the forms that compute the quotient in 32 bits.
    if let Some(kind) = biased(lo, hi, c, first) {
        best = cheaper(best, DivForm { wide: false, ..form(kind) });
    }
    let twos = c.trailing_zeros();
    let (l, h, odd) = (lo >> twos, hi >> twos, c >> twos);
    if twos > 0 && is_narrow(l, h) && odd <= u32::MAX as i128 {
        let after =
            narrow_div(|kind| DivForm { negate: false, wide: false, pre_shift: 0, kind }, l, h, odd as u32, first);
        // this form moves the numerator before it applies another form. The other form must not shift or move the
        // numerator as well
        if after.pre_shift == 0 && !matches!(after.kind, DivKind::BiasedMulHi { .. }) {
            best = cheaper(best, DivForm { pre_shift: twos, ..form(after.kind) });
        }
    }
    best
}

/// The form of a division by `c`, which is no power of two, for numerators `lo..=hi` that fit `int` or `unsigned`.
#[inline]
fn narrow_div(form: impl Fn(DivKind) -> DivForm, lo: i128, hi: i128, c: u32, first: i128) -> DivForm {
    if lo < 0 {
        return form(match signed_mulhi(c, lo as i32, hi as i32) {
            Some(m) => DivKind::SignedMulHi(m),
            None => biased(lo, hi, c as i128, first).unwrap_or_else(|| sign_xor(lo, hi, c)),
        });
    }
    if let Some(MulHi { multiplier, shift, .. }) = mulhi_for(c, hi as u32) {
        return form(DivKind::MulHi { multiplier, shift });
    }
    // hi >= 2^31 and no 32-bit multiplier fits: shift a factor of two out, which leaves 31 bits, or use a 33-bit
    // multiplier
    let twos = c.trailing_zeros();
    if twos > 0
        && let Some(MulHi { multiplier, shift, .. }) = mulhi_for(c >> twos, (hi >> twos) as u32)
    {
        return DivForm { pre_shift: twos, ..form(DivKind::MulHi { multiplier, shift }) };
    }
    form(mulhi_add(c))
}

/// The form of Warren, Hacker's Delight, section 10-8. The multiplier `2^32 + m` has 33 bits. Halving the difference
/// keeps the sum in 32 bits.
fn mulhi_add(c: u32) -> DivKind {
    let bits = c.ilog2() + 1; // ceil(log2 c), as c is no power of two
    let m = (1u128 << (32 + bits)).div_ceil(c as u128) - (1 << 32);
    DivKind::MulHiAdd { multiplier: m as u32, shift: bits - 1 }
}

/// A form that moves the whole range to `[0, 2^32)` by a multiple of the divisor.
fn biased(lo: i128, hi: i128, c: i128, first: i128) -> Option<DivKind> {
    let offset = first * c;
    debug_assert!(offset <= lo);
    let (reach, c) = (u32::try_from(hi - offset).ok()?, u32::try_from(c).ok()?);
    let MulHi { multiplier, shift, .. } = mulhi_for(c, reach)?;
    Some(DivKind::BiasedMulHi { offset: i64::try_from(offset).ok()?, base: first as i64, multiplier, shift })
}

/// A form for any range of `int`.
fn sign_xor(lo: i128, hi: i128, c: u32) -> DivKind {
    // x ^ (x >> 31) equals x for x >= 0, and -1-x for x < 0
    let m = mulhi_for(c, hi.max(-1 - lo) as u32).expect("31-bit dividends always have a multiplier");
    DivKind::SignXor { multiplier: m.multiplier, shift: m.shift }
}

fn wide_div(lo: i128, hi: i128, c: i128) -> DivKind {
    let m = mulhi64_for(c as u64, hi.max(-1 - lo) as u64).expect("63-bit dividends always have a multiplier");
    let (multiplier, shift) = (m.multiplier, m.shift);
    if lo >= 0 { DivKind::MulHi64 { multiplier, shift } } else { DivKind::SignXor64 { multiplier, shift } }
}

/// The cheapest form of `numerator % divisor` by `prices`. `quotient_available` says whether other code already
/// computes `numerator // divisor`.
///
/// An open end of `numerator` counts as `-i64::MAX` or `i64::MAX`. Takes constant time. `None` when `divisor` is 0.
pub fn mod_form(numerator: Interval, divisor: i64, quotient_available: bool, prices: &Prices) -> Option<ModForm> {
    (divisor != 0).then(|| remainder_by(numerator, divisor, quotient_available, prices))
}

/// [`mod_form`] for a nonzero divisor.
#[inline]
pub(crate) fn remainder_by(numerator: Interval, divisor: i64, quotient_available: bool, prices: &Prices) -> ModForm {
    let negate = divisor < 0;
    let (lo, hi) = ends(numerator, negate);
    let c = divisor.unsigned_abs() as i128;
    let form = |negate, wide, kind| ModForm { negate, wide, kind };
    if c == 1 {
        return form(false, false, ModKind::Zero);
    }
    let (first, last) = buckets(lo, hi, c);
    // If the divisor has 32 bits, the result has them, too. Then everything but the quotient is computed in 32 bits,
    // because x - d*q may wrap.
    let wide = c > if negate { 1 << 31 } else { 1 << 32 };
    if first == last
        && let Ok(offset) = i64::try_from(first * divisor as i128)
    {
        let (l, h) = if negate { (-hi, -lo) } else { (lo, hi) };
        let wide = !is_narrow(l - offset as i128, h - offset as i128);
        return form(false, wide, ModKind::Offset(offset));
    }
    if c.count_ones() == 1 {
        let mask = form(negate, wide, ModKind::Mask((c - 1) as i64));
        if !(negate && quotient_available) {
            return mask;
        }
    }
    let mut best = if quotient_available {
        form(false, wide, ModKind::SharedQuotient)
    } else {
        form(false, wide, ModKind::Quotient(form_by(numerator, divisor, prices)))
    };
    if last == first + 1 && i64::try_from(first * c).is_ok() {
        // t in [0, 2c) must fit 32 bits. If t < c, then t-c wraps to a number above t, so the minimum is the remainder
        let wide = hi - first * c > u32::MAX as i128 || c > u32::MAX as i128;
        let min = form(negate, wide, ModKind::UnsignedMin { bucket: first as i64 });
        if min.tenths(prices) <= best.tenths(prices) {
            best = min;
        }
    }
    best
}

#[cfg(test)]
mod tests;
