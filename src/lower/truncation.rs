//! Which instructions compute `truncdiv(x, d)` and `truncmod(x, d)` for a constant `d`, and what they cost.
//!
//! Where the sign of the quotient is known, it is the quotient of a floor division. Else the sign is corrected: before a shift, after
//! a signed multiply-high, or around the division of the absolute value.

use super::Prices;
use super::forms::{DivForm, DivKind, ModForm, ModKind, ends, form_by, is_narrow, remainder_by};
use super::magic::{MulAdd, mulhi_for};
use crate::domain::Interval;

/// What is added where floor division takes the same instructions: the answer is written with that, of which more is known.
const TIE: u32 = 1;

/// How `truncdiv(x, d)` is computed for a constant `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TruncDivForm {
    /// Whether the form works on `-x` and `-d`, where `d` is negative.
    pub(super) negate: bool,
    /// Whether the arithmetic is 64 bits wide.
    pub(super) wide: bool,
    pub(super) kind: TruncDivKind,
}

/// The core of a [`TruncDivForm`], of `x` and a positive `d` where it negates them first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TruncDivKind {
    /// A form of floor division, which negates for itself.
    Floor(DivForm),
    /// A form of floor division of `x + offset`, where the quotient is never positive.
    Ceiling { offset: i64, floor: DivForm },
    /// `(x + bias) >> k`, where the bias of what is negative is `2^k - 1`.
    Shift(u32),
    /// A signed multiply-high that is one too small where `x` is negative.
    SignedMulHi(MulAdd),
    /// The form of `|x| // d`; the sign comes back afterwards.
    Absolute(DivForm),
}

/// How `truncmod(x, d)` is computed for a constant `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TruncModForm {
    /// A form of `x % by`.
    Floor { by: i64, form: ModForm },
    /// `x - d*q`, where `q = truncdiv(x, d)` is there already.
    SharedQuotient { wide: bool },
    /// `x - by*q` with `q = truncdiv(x, by)`.
    Quotient { by: i64, form: TruncDivForm, wide: bool },
}

impl TruncDivForm {
    /// What it costs, in tenths of a simple instruction.
    pub(crate) fn tenths(self, prices: &Prices) -> u32 {
        let Prices { simple, simple64, signed_mulhi, .. } = *prices;
        let own = if self.wide { simple64 } else { simple };
        let negation = if self.negate { own } else { 0 };
        let steps = match self.kind {
            TruncDivKind::Floor(form) => form.tenths(prices).saturating_add(TIE),
            TruncDivKind::Ceiling { offset, floor } => {
                floor.tenths(prices).saturating_add(if offset == 0 { 0 } else { own }).saturating_add(TIE)
            }
            // the top bit is added by the instruction that shifts it down
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
    /// What it costs, in tenths of a simple instruction.
    pub(crate) fn tenths(self, prices: &Prices) -> u32 {
        let multiply_add = |wide: bool| if wide { prices.mul_add64 } else { prices.simple };
        match self {
            TruncModForm::Floor { form, .. } => form.tenths(prices).saturating_add(TIE),
            TruncModForm::SharedQuotient { wide } => multiply_add(wide),
            TruncModForm::Quotient { form, wide, .. } => form.tenths(prices).saturating_add(multiply_add(wide)),
        }
    }
}

/// The cheapest form of `truncdiv(numerator, divisor)` by `prices`; the divisor is not 0.
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
        let offset = if negative { -(c - 1) } else { c - 1 } as i64; // below 2^63
        let floor = form_by(numerator.plus(Interval::point(offset)), divisor, prices);
        return form(TruncDivKind::Ceiling { offset, floor });
    }
    let form = |kind| TruncDivForm { negate: negative, ..form(kind) };
    let mut best = mixed(lo, hi, c, form, prices);
    let two_values = if lo > -c && hi < 2 * c { Some((c, 0)) } else { (lo > -2 * c && hi < c).then_some((1 - c, -1)) };
    if let Some((threshold, base)) = two_values {
        // between `lo` and `hi`
        let kind = DivKind::AtLeast { threshold: threshold as i64, base };
        let compared = DivForm { negate: negative, wide: best.wide, kind, ..zero };
        let compared = TruncDivForm { negate: false, kind: TruncDivKind::Floor(compared), ..best };
        if compared.tenths(prices) < best.tenths(prices) {
            best = compared;
        }
    }
    best
}

/// The form for `lo..=hi` with numbers of both signs, some of them at least `c >= 2`.
fn mixed(lo: i128, hi: i128, c: i128, form: impl Fn(TruncDivKind) -> TruncDivForm, prices: &Prices) -> TruncDivForm {
    if c.count_ones() == 1 {
        return form(TruncDivKind::Shift(c.trailing_zeros()));
    }
    let greatest = hi.max(-lo);
    let sizes = Interval::from_wide(0, greatest);
    let absolute = form(TruncDivKind::Absolute(form_by(sizes, c as i64, prices)));
    // Of `y > 0`, the product with a multiplier that is right up to `y` lies in `y//c < p <= y//c + 1`. So the floor of its opposite is
    // one below the quotient.
    let signed = u32::try_from(c).ok().zip(u32::try_from(greatest).ok()).and_then(|(c, greatest)| {
        let found = mulhi_for(c, greatest).filter(|_| is_narrow(lo, hi))?;
        let multiplier = i32::try_from(found.multiplier).ok()?;
        let product = MulAdd { multiplier, addend: 0, bits: 32 + found.shift };
        Some(form(TruncDivKind::SignedMulHi(product)))
    });
    signed.filter(|s| s.tenths(prices) <= absolute.tenths(prices)).unwrap_or(absolute)
}

/// The cheapest form of `truncmod(numerator, divisor)` by `prices`; `quotient` says that `truncdiv(numerator, divisor)` is computed
/// anyway. The divisor is not 0.
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
    // the greatest number of `i64` has no multiple that is `i64::MIN`
    let size = i64::try_from(c).unwrap_or(i64::MAX);
    let own = if lo >= 0 || hi <= 0 {
        let by = if lo >= 0 { size } else { -size };
        TruncModForm::Floor { by, form: remainder_by(numerator, by, false, prices) }
    } else {
        TruncModForm::Quotient { by: size, form: truncated_by(numerator, size, prices), wide }
    };
    if quotient && shared.tenths(prices) < own.tenths(prices) { shared } else { own }
}
