//! [`Parts`]: indices with several dynamic parts (parts that all copies share), each with its own factor in each copy.

use super::error::IndexError;
use super::family::Family;
use super::idx::{REACH, literal};
use super::numbers::{corners, listed};
use quaff::domain::Interval;
use quaff::expr::{Expr, Op, int};
use quaff::integer::{floor_div, floor_mod, gcd};
use std::fmt;

/// The most dynamic parts of one type: 16. With more parts, the copies have separate expressions.
const MOST: usize = 16;

/// A type with several dynamic parts: copy `s` has `offset(s) + factor(s)*part + ...`, and all copies share the parts.
///
/// Products have such types. With `i = 8*d + s` and `j = 4*e + t`, `i*j` is `32*d*e + t*8*d + s*4*e + s*t`. The copies
/// share the values of `i*j`, `i` and `j` in the first copy, so each further copy costs additions and multiplications
/// by constants only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    parts: Vec<Part>,
    offsets: Vec<i128>,
}

/// A dynamic part of a type, and its factor in each copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    base: Expr,
    /// The least and the greatest value of the base.
    range: [i128; 2],
    /// A number that divides every value of the base, at least 1.
    multiplier: i128,
    factors: Vec<i128>,
}

impl Part {
    /// The expression that all copies share.
    pub fn base(&self) -> &Expr {
        &self.base
    }

    /// The factor of the part in each copy.
    pub fn factors(&self) -> &[i128] {
        &self.factors
    }

    /// The factor, if it is the same in all copies.
    fn uniform(&self) -> Option<i128> {
        let first = *self.factors.first()?;
        self.factors.iter().all(|f| *f == first).then_some(first)
    }

    fn with_factors(&self, factors: Vec<i128>) -> Part {
        Part { factors, ..self.clone() }
    }
}

/// The result of a rule. `None` if the rule does not apply.
type Ruled = Result<Option<Parts>, IndexError>;

fn product(x: i128, y: i128) -> Result<i128, IndexError> {
    x.checked_mul(y).ok_or(IndexError::Overflow)
}

/// The products of the two numbers of each copy.
fn products(a: &[i128], b: &[i128]) -> Result<Vec<i128>, IndexError> {
    a.iter().zip(b).map(|(x, y)| product(*x, *y)).collect()
}

impl Parts {
    /// The dynamic parts.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The constant of each copy.
    pub fn offsets(&self) -> &[i128] {
        &self.offsets
    }

    /// The least and the greatest integer of any copy. Some values between them may never occur, because parts may
    /// depend on each other.
    pub fn bounds(&self) -> (i128, i128) {
        let each = self.offsets.iter().enumerate().map(|(s, offset)| {
            self.parts.iter().fold((*offset, *offset), |(low, high), part| {
                // the products are within the reach of types, as all values are
                let ends = part.range.map(|end| end.saturating_mul(part.factors[s]));
                (low.saturating_add(ends[0].min(ends[1])), high.saturating_add(ends[0].max(ends[1])))
            })
        });
        each.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
    }

    pub(super) fn interval(&self) -> Interval {
        let (low, high) = self.bounds();
        Interval::from_wide(low, high)
    }

    /// The expression of copy `s`.
    pub(super) fn copy(&self, s: usize) -> Result<Expr, IndexError> {
        let mut sum: Option<Expr> = None;
        for part in &self.parts {
            let term = match part.factors.get(s).copied().unwrap_or(0) {
                0 => continue,
                1 => part.base.clone(),
                factor => &part.base * literal(factor)?,
            };
            sum = Some(sum.map_or(term.clone(), |sum| sum + term));
        }
        let offset = self.offsets.get(s).copied().unwrap_or(0);
        match sum {
            None => literal(offset),
            Some(sum) if offset == 0 => Ok(sum),
            Some(sum) => Ok(sum + literal(offset)?),
        }
    }

    pub(super) fn of(family: &Family) -> Parts {
        let (base, factor) = without_factor(&family.base);
        let ends = [family.m * family.low, family.m * family.high].map(|end| floor_div(end, factor));
        let part = Part {
            base,
            range: [ends[0].min(ends[1]), ends[0].max(ends[1])],
            // the values of the family's base are multiples of `m`, so without the factor they are multiples of this
            // quotient
            multiplier: floor_div(family.m.max(1), gcd(family.m.max(1), factor)),
            factors: vec![factor; family.offsets.len()],
        };
        let parts = if family.m == 0 { Vec::new() } else { vec![part] };
        Parts { parts, offsets: family.offsets.clone() }
    }

    /// The equal family with one dynamic part, if every part has the same factor in all copies.
    pub(super) fn as_family(&self) -> Result<Option<Family>, IndexError> {
        let Some(factors) = self.parts.iter().map(Part::uniform).collect::<Option<Vec<i128>>>() else {
            return Ok(None);
        };
        let (mut m, mut low, mut high, mut base) = (0, 0, 0, None);
        for (part, factor) in self.parts.iter().zip(factors) {
            m = gcd(m, product(part.multiplier, factor)?);
            let ends = [product(part.range[0], factor)?, product(part.range[1], factor)?];
            (low, high) = (low + ends[0].min(ends[1]), high + ends[0].max(ends[1]));
            let term = if factor == 1 { part.base.clone() } else { &part.base * literal(factor)? };
            base = Some(base.map_or(term.clone(), |base: Expr| base + term));
        }
        let offsets = self.offsets.clone();
        let (low, high) = if m == 0 { (0, 0) } else { (floor_div(low, m), floor_div(high, m)) };
        Family { offsets, m, low, high, base: base.unwrap_or_else(|| int(0)) }.checked().map(Some)
    }

    /// Merges parts with the same base, and drops parts whose factor is 0 in all copies. Returns an error if numbers
    /// exceed the reach of types.
    fn checked(self) -> Ruled {
        let mut parts: Vec<Part> = Vec::with_capacity(self.parts.len());
        for part in self.parts {
            match parts.iter_mut().find(|p| p.base == part.base) {
                Some(known) => known.factors.iter_mut().zip(&part.factors).for_each(|(a, b)| *a += b),
                None => parts.push(part),
            }
        }
        parts.retain(|p| p.factors.iter().any(|f| *f != 0));
        if parts.len() > MOST {
            return Ok(None);
        }
        let all = Parts { parts, offsets: self.offsets };
        let far = |n: &i128| !(-REACH..=REACH).contains(n);
        let bounds = all.bounds();
        let is_far = |p: &Part| p.range.iter().chain(&p.factors).any(far);
        match [bounds.0, bounds.1].iter().chain(&all.offsets).any(far) || all.parts.iter().any(is_far) {
            true => Err(IndexError::Overflow),
            false => Ok(Some(all)),
        }
    }

    /// `self + c*other`, copy by copy, where `c` is 1 or -1.
    pub(super) fn sum(&self, other: &Parts, c: i128) -> Ruled {
        let Some(other) = other.scaled(c)? else { return Ok(None) };
        let offsets = self.offsets.iter().zip(&other.offsets).map(|(a, b)| a + b).collect();
        Parts { parts: self.parts.iter().cloned().chain(other.parts).collect(), offsets }.checked()
    }

    /// The product `self * c`.
    pub(super) fn scaled(&self, c: i128) -> Ruled {
        let scaled = |all: &[i128]| all.iter().map(|n| product(*n, c)).collect::<Result<Vec<i128>, IndexError>>();
        let parts = self.parts.iter().map(|p| Ok(p.with_factors(scaled(&p.factors)?)));
        Parts { parts: parts.collect::<Result<_, IndexError>>()?, offsets: scaled(&self.offsets)? }.checked()
    }

    /// `self * other`, copy by copy: the products of each part of one with each part of the other.
    pub(super) fn product(&self, other: &Parts) -> Ruled {
        let mut parts = Vec::new();
        for (a, b) in self.parts.iter().flat_map(|a| other.parts.iter().map(move |b| (a, b))) {
            let ends = corners(a.range, b.range)?;
            let range = [ends.into_iter().min().unwrap_or(0), ends.into_iter().max().unwrap_or(0)];
            let (base, multiplier) = (&a.base * &b.base, product(a.multiplier, b.multiplier)?);
            parts.push(Part { base, range, multiplier, factors: products(&a.factors, &b.factors)? });
        }
        for (part, offsets) in
            self.parts.iter().map(|p| (p, &other.offsets)).chain(other.parts.iter().map(|p| (p, &self.offsets)))
        {
            parts.push(part.with_factors(products(&part.factors, offsets)?));
        }
        Parts { parts, offsets: products(&self.offsets, &other.offsets)? }.checked()
    }

    /// `self // c` for `c >= 1`, if `c` divides every part of every copy.
    pub(super) fn quotient(&self, c: i128) -> Ruled {
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            if part.factors.iter().all(|f| floor_mod(*f, c) == 0) {
                parts.push(part.with_factors(part.factors.iter().map(|f| floor_div(*f, c)).collect()));
            } else if floor_mod(part.multiplier, c) == 0 {
                let base = part.base.floor_div(literal(c)?);
                let (range, multiplier) = (part.range.map(|end| floor_div(end, c)), floor_div(part.multiplier, c));
                parts.push(Part { base, range, multiplier, factors: part.factors.clone() });
            } else {
                return Ok(None);
            }
        }
        Parts { parts, offsets: self.offsets.iter().map(|o| floor_div(*o, c)).collect() }.checked()
    }

    /// `self % c` for `c >= 1`, if `c` divides every part of every copy. The result has no dynamic part.
    pub(super) fn remainder(&self, c: i128) -> Ruled {
        for part in &self.parts {
            // remainders by `c` decide divisibility, and a product of two remainders never exceeds 128 bits
            let is_multiple = |f: &i128| floor_mod(floor_mod(*f, c) * floor_mod(part.multiplier, c), c) == 0;
            if c > REACH || !part.factors.iter().all(is_multiple) {
                return Ok(None);
            }
        }
        Parts { parts: Vec::new(), offsets: self.offsets.iter().map(|o| floor_mod(*o, c)).collect() }.checked()
    }
}

impl fmt::Display for Parts {
    /// Writes `i*x + {0, 1, 2, 3}*x`, with the factors and the constants of copies in the order of the copies.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let term = |part: &Part| match part.uniform() {
            Some(1) => part.base.to_string(),
            Some(factor) => format!("{factor}*({})", part.base),
            None => format!("{}*{}", listed(&part.factors), operand(&part.base)),
        };
        let mut terms: Vec<String> = self.parts.iter().map(term).collect();
        if terms.is_empty() || self.offsets.iter().any(|o| *o != 0) {
            terms.push(listed(&self.offsets));
        }
        f.write_str(&terms.join(" + "))
    }
}

/// `base` without its constant factor, and this factor, which is not 0.
fn without_factor(base: &Expr) -> (Expr, i128) {
    match (base.op(), base.args()) {
        (Op::Neg, [a]) => (a.clone(), -1),
        (Op::Mul, [a, c]) => match c.as_const() {
            Some(c) if c != 0 => (a.clone(), c.into()),
            _ => (base.clone(), 1),
        },
        _ => (base.clone(), 1),
    }
}

/// The text of `base` as a factor.
fn operand(base: &Expr) -> String {
    if base.args().is_empty() { base.to_string() } else { format!("({base})") }
}
