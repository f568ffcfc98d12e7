//! Quotients of sums as the upper half of one product of a scaled sum: `(x*57 + 902)//9` is `__umulhi(x*16 + 253, 1700091221)`.
//!
//! A multiplication that adds a constant takes a register for that constant; a shift by a constant adds one for nothing. So the factor
//! and the constant of a numerator go into the multiplier and into what is added after a shift. The same form divides numerators of
//! both signs without an addend of 64 bits.

use super::build::Builder;
use super::divide::Operand;
use super::forms::{DivForm, DivKind, form_by};
use super::graph::{Instr, Type};
use super::magic::MulAdd;
use super::plan::{How, is_int};
use super::translator::Translator;
use crate::domain::Interval;
use crate::expr::Op;
use crate::integer::{floor_div, gcd};

/// A numerator `factor * t + constant`, where `t` lies in `lo..=hi`, and a divisor that is positive.
#[derive(Clone, Copy, Debug)]
struct Question {
    factor: i64,
    constant: i64,
    divisor: i64,
    lo: i64,
    hi: i64,
}

/// The quotient as `((t << shift) + addend) * multiplier >> 32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scaled {
    shift: u32,
    addend: i64,
    multiplier: i64,
    /// Whether the product is one of numbers with signs; else neither factor is negative.
    is_signed: bool,
}

const INT: std::ops::RangeInclusive<i128> = i32::MIN as i128..=i32::MAX as i128;

impl Question {
    /// The form with the least shift. At most 31 steps.
    fn answer(self) -> Option<Scaled> {
        (0..31).find_map(|shift| self.with_shift(shift))
    }

    /// With `f(t) = c*((t << k) + a)*m - (g*t + b)*2^32` and `r` the remainder of `g*t + b` by `c`, the form is right where
    /// `-r*2^32 <= f(t) < (c - r)*2^32`. Of the remainders, which differ by multiples of `d = gcd(g, c)`, the least is `b % d` and the
    /// greatest `c - d + b % d`; and `f` is linear in `t`, so that its ends decide. `m` is the nearest to `g*2^(32-k)/c`, and `a` makes
    /// `f(0)` the middle of what is allowed.
    fn with_shift(self, shift: u32) -> Option<Scaled> {
        let [g, b, c] = [self.factor, self.constant, self.divisor].map(i128::from);
        let d = gcd(g, c);
        let least = b.rem_euclid(d);
        let nearest = |n: i128, by: i128| floor_div(2 * n * by.signum() + by.abs(), 2 * by.abs());
        let multiplier = nearest(g << (32 - shift), c);
        if multiplier == 0 {
            return None;
        }
        let addend = nearest((2 * (b - least) + d) << 32, 2 * c * multiplier);
        let scaled = |t: i64| (i128::from(t) << shift) + addend;
        let ends = [self.lo, self.hi];
        let right = ends.iter().all(|&t| {
            let f = c * scaled(t) * multiplier - ((g * i128::from(t) + b) << 32);
            (-least << 32..(d - least) << 32).contains(&f)
        });
        let fits = ends.iter().all(|&t| INT.contains(&(i128::from(t) << shift)) && INT.contains(&scaled(t)));
        let is_signed = multiplier < 0 || ends.iter().any(|&t| scaled(t) < 0);
        let most = if is_signed { i128::from(i32::MAX) } else { i128::from(u32::MAX) };
        let takes = multiplier.abs() <= most && INT.contains(&addend);
        let (addend, multiplier) = (i64::try_from(addend).ok()?, i64::try_from(multiplier).ok()?);
        (right && fits && takes).then_some(Scaled { shift, addend, multiplier, is_signed })
    }
}

impl Builder {
    /// `t // c` for a numerator that may be negative, unless that is one multiplication already.
    pub(super) fn scaled_by(&mut self, t: Operand, divisor: i64, form: DivForm) -> Option<u32> {
        let DivKind::SignedMulHi(m) = form.kind else { return None };
        if !self.scales || form.pre_shift > 0 || form.negate || m.addend == 0 && m.bits == 32 {
            return None;
        }
        self.scaled(t, 1, 0, divisor)
    }

    /// `(factor*t + constant) // divisor` of an `int`.
    fn scaled(&mut self, t: Operand, factor: i64, constant: i64, divisor: i64) -> Option<u32> {
        let (lo, hi) = t.range.bounded().filter(|_| is_int(t.range))?;
        let found = Question { factor, constant, divisor, lo, hi }.answer()?;
        let (power, addend) = (self.int(1 << found.shift), self.int(found.addend));
        let range = t.range.scaled(1 << found.shift);
        let product = self.ring(Instr::Mul, &[t.id, power], How::Exact32, range);
        let range = range.plus(Interval::point(found.addend));
        let sum = self.ring(Instr::Add, &[product, addend], How::Exact32, range);
        if found.is_signed {
            let m = MulAdd { multiplier: i32::try_from(found.multiplier).ok()?, addend: 0, bits: 32 };
            return Some(self.emit(Instr::SignedMulHi(m), Type::Int, &[sum]));
        }
        let sum = self.cast(sum, Type::Unsigned);
        let multiplier = self.typed(found.multiplier, Type::Unsigned);
        Some(self.emit(Instr::MulHi, Type::Unsigned, &[sum, multiplier]))
    }
}

impl Translator<'_> {
    /// `x // divisor` where `x` is a sum with a constant whose terms have a common factor, and nothing else uses it.
    pub(super) fn scaled_quotient(&mut self, x: u32, divisor: i64, out: Interval) -> Option<u32> {
        let range = self.plan.range(x);
        let alone = self.plan.uses[x as usize] == 1 && self.builder.scales && divisor > 1 && is_int(range);
        let is_sum = matches!(self.dag.nodes()[x as usize].op, Op::Add | Op::Sub);
        if !alone || !is_sum || !self.is_part(x) {
            return None;
        }
        let (mut terms, constant) = self.terms(x);
        let constant = i64::try_from(constant).ok().filter(|c| *c != 0)?;
        let first = terms.first()?;
        let sign = if terms.iter().all(|t| t.coefficient < 0) { -1 } else { 1 };
        let factor = terms.iter().fold(0, |g, t| gcd(g, t.coefficient.into()));
        let factor = i64::try_from(factor).ok()? * sign;
        let form = form_by(range, divisor);
        // a constant beside terms without a factor is added for nothing as it is
        let pays = match form.kind {
            DivKind::MulHi { .. } | DivKind::SignedMulHi(_) => true,
            // the compiler takes a shift after a product with signs for one of 64 bits
            DivKind::Shift(_) => range.is_nonneg() || factor < 0,
            _ => false,
        };
        if !pays || factor.abs() == 1 || terms.iter().any(|t| t.depth != first.depth) {
            return None;
        }
        for term in &mut terms {
            term.coefficient = i64::try_from(floor_div(term.coefficient.into(), factor.into())).ok()?;
        }
        // what is known of the sum is known of `t`
        let of_terms = terms.iter().map(|t| self.plan.range(t.node).scaled(t.coefficient)).reduce(Interval::plus)?;
        let of_sum = range.plus(Interval::point(constant.checked_neg()?)).floor_div(Interval::point(factor))?;
        let t = of_terms.meet(of_sum).filter(|t| is_int(*t))?;
        let sum = self.add_up(terms, 0)?;
        let sum = self.builder.settle(sum, t);
        let q = self.builder.scaled(Operand { id: sum, range: t }, factor, constant, divisor)?;
        Some(self.builder.settle(q, out))
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
                        let Some(s) = (Question { factor, constant, divisor, lo, hi }).answer() else { continue };
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
                let of = |hi: i64| Question { factor, constant, divisor, lo: 0, hi }.with_shift(shift);
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
