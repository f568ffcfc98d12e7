//! The instructions that compute `truncdiv(x, d)` and `truncmod(x, d)` for a constant `d`, and their costs.
//!
//! If the sign of the quotient is known, a floor division computes it. Otherwise the sign is corrected: before a shift,
//! after a signed multiply-high, or around the division of the absolute value.

use super::Prices;
use super::forms::{DivForm, DivKind, ModForm, ModKind, ends, form_by, is_narrow, remainder_by};
use super::magic::{MulAdd, mulhi_for};
use crate::domain::Interval;

/// The price that is added to a truncating division if floor division takes the same instructions. Extraction then
/// chooses floor division, for which more rules and facts exist.
const TIE: u32 = 1;

/// The form in which `truncdiv(x, d)` is computed for a constant `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TruncDivForm {
    /// Whether the form works on `-x` and `-d`, because `d` is negative.
    pub(super) negate: bool,
    /// Whether the arithmetic has 64 bits.
    pub(super) wide: bool,
    pub(super) kind: TruncDivKind,
}

/// The core of a [`TruncDivForm`]. If `negate` is true, `x` and `d` are the negated operands, and `d` is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TruncDivKind {
    /// A form of floor division, which negates its operands itself.
    Floor(DivForm),
    /// A form of floor division of `x + offset`, for quotients that are never positive.
    Ceiling { offset: i64, floor: DivForm },
    /// `(x + bias) >> k`. The bias is `2^k - 1` for negative `x`, and 0 otherwise.
    Shift(u32),
    /// A signed multiply-high, whose result is one too small for negative `x`.
    SignedMulHi(MulAdd),
    /// The form of `|x| // d`. The sign is applied afterwards.
    Absolute(DivForm),
}

/// The form in which `truncmod(x, d)` is computed for a constant `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TruncModForm {
    /// A form of `x % by`.
    Floor { by: i64, form: ModForm },
    /// `x - d*q`, where other code already computes `q = truncdiv(x, d)`.
    SharedQuotient { wide: bool },
    /// `x - by*q` with `q = truncdiv(x, by)`.
    Quotient { by: i64, form: TruncDivForm, wide: bool },
}

impl TruncDivForm {
    /// The cost of the form, in tenths of a simple instruction.
    pub(crate) fn tenths(self, prices: &Prices) -> u32 {
        let Prices { simple, simple64, signed_mulhi, .. } = *prices;
        let own = if self.wide { simple64 } else { simple };
        let negation = if self.negate { own } else { 0 };
        let steps = match self.kind {
            TruncDivKind::Floor(form) => form.tenths(prices).saturating_add(TIE),
            TruncDivKind::Ceiling { offset, floor } => {
                floor.tenths(prices).saturating_add(if offset == 0 { 0 } else { own }).saturating_add(TIE)
            }
            // one instruction shifts the top bit down and adds it
            TruncDivKind::Shift(1) => own.saturating_mul(2),
            TruncDivKind::Shift(_) => own.saturating_mul(3),
            TruncDivKind::SignedMulHi(m) => {
                let last = if m.bits > 32 { simple } else { 0 };
                signed_mulhi.saturating_add(last).saturating_add(simple)
            }
            TruncDivKind::Absolute(form) => {
                form.tenths(prices).saturating_add(simple).saturating_add(own.saturating_mul(2))
            }
        };
        steps.saturating_add(negation)
    }
}

impl TruncModForm {
    /// The cost of the form, in tenths of a simple instruction.
    pub(crate) fn tenths(self, prices: &Prices) -> u32 {
        let multiply_add = |wide: bool| if wide { prices.mul_add64 } else { prices.simple };
        match self {
            TruncModForm::Floor { form, .. } => form.tenths(prices).saturating_add(TIE),
            TruncModForm::SharedQuotient { wide } => multiply_add(wide),
            TruncModForm::Quotient { form, wide, .. } => form.tenths(prices).saturating_add(multiply_add(wide)),
        }
    }
}

/// The cheapest form of `truncdiv(numerator, divisor)` by `prices`. The divisor is not 0.
pub(crate) fn truncated_by(numerator: Interval, divisor: i64, prices: &Prices) -> TruncDivForm {
    let negative = divisor < 0;
    let (lo, hi) = ends(numerator, negative);
    let c = i128::from(divisor.unsigned_abs());
    let form = |kind| TruncDivForm { negate: false, wide: !is_narrow(lo, hi), kind };
    if lo >= 0 || c == 1 {
        return form(TruncDivKind::Floor(form_by(numerator, divisor, prices)));
    }
    let zero = DivForm { negate: false, wide: false, pre_shift: 0, kind: DivKind::Constant(0) };
    let greatest = hi.max(-lo);
    if greatest < c {
        return form(TruncDivKind::Floor(zero));
    }
    if hi <= 0 {
        let offset = if negative { -(c - 1) } else { c - 1 } as i64; // fits, because c - 1 is below 2^63
        let floor = form_by(numerator.plus(Interval::point(offset)), divisor, prices);
        return form(TruncDivKind::Ceiling { offset, floor });
    }
    let form = |kind| TruncDivForm { negate: negative, ..form(kind) };
    let mut best = mixed(lo, hi, c, form, prices);
    let two_values = if lo > -c && hi < 2 * c { Some((c, 0)) } else { (lo > -2 * c && hi < c).then_some((1 - c, -1)) };
    if let Some((threshold, base)) = two_values {
        // the threshold is between `lo` and `hi`
        let kind = DivKind::AtLeast { threshold: threshold as i64, base };
        let compared = DivForm { negate: negative, wide: best.wide, kind, ..zero };
        let compared = TruncDivForm { negate: false, kind: TruncDivKind::Floor(compared), ..best };
        if compared.tenths(prices) < best.tenths(prices) {
            best = compared;
        }
    }
    best
}

/// The form for `lo..=hi` with numbers of both signs. Some absolute values are at least `c`, which is at least 2.
fn mixed(lo: i128, hi: i128, c: i128, form: impl Fn(TruncDivKind) -> TruncDivForm, prices: &Prices) -> TruncDivForm {
    if c.count_ones() == 1 {
        return form(TruncDivKind::Shift(c.trailing_zeros()));
    }
    let greatest = hi.max(-lo);
    let sizes = Interval::from_wide(0, greatest);
    let absolute = form(TruncDivKind::Absolute(form_by(sizes, c as i64, prices)));
    // For `y > 0` and a multiplier that is right up to `y`, the exact product `p` satisfies `y//c < p <= y//c + 1`. So
    // the floor of `-p` is one below the quotient of `-y`.
    let signed = u32::try_from(c).ok().zip(u32::try_from(greatest).ok()).and_then(|(c, greatest)| {
        let found = mulhi_for(c, greatest).filter(|_| is_narrow(lo, hi))?;
        let multiplier = i32::try_from(found.multiplier).ok()?;
        let product = MulAdd { multiplier, addend: 0, bits: 32 + found.shift };
        Some(form(TruncDivKind::SignedMulHi(product)))
    });
    signed.filter(|s| s.tenths(prices) <= absolute.tenths(prices)).unwrap_or(absolute)
}

/// The cheapest form of `truncmod(numerator, divisor)` by `prices`. `quotient` says whether other code already computes
/// `truncdiv(numerator, divisor)`. The divisor is not 0.
pub(crate) fn truncated_remainder_by(
    numerator: Interval,
    divisor: i64,
    quotient: bool,
    prices: &Prices,
) -> TruncModForm {
    let (lo, hi) = ends(numerator, false);
    let c = divisor.unsigned_abs();
    let wide = c > 1 << 32;
    let floor = |form| TruncModForm::Floor { by: divisor, form };
    let plain = |kind| ModForm { negate: false, wide, kind };
    if c == 1 {
        return floor(plain(ModKind::Zero));
    }
    if hi.max(-lo) < i128::from(c) {
        return floor(plain(ModKind::Offset(0)));
    }
    let shared = TruncModForm::SharedQuotient { wide };
    // no multiple of the greatest `i64` is `i64::MIN`
    let size = i64::try_from(c).unwrap_or(i64::MAX);
    let own = if lo >= 0 || hi <= 0 {
        let by = if lo >= 0 { size } else { -size };
        TruncModForm::Floor { by, form: remainder_by(numerator, by, false, prices) }
    } else {
        TruncModForm::Quotient { by: size, form: truncated_by(numerator, size, prices), wide }
    };
    if quotient && shared.tenths(prices) < own.tenths(prices) { shared } else { own }
}
