//! Polynomials over classes of the e-graph. The prover reads sums of products as polynomials, so it makes no nodes.
//!
//! The input is monomials with coefficients. The output is their sums and products. Coefficients have 128 bits. There
//! is no result if a coefficient would be too large, or if there would be too many terms.

use crate::integer::{floor_div, gcd};
use egg::Id;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// A sorted product of classes. A power repeats its class. The empty product is 1.
pub(super) type Monomial = SmallVec<[Id; 4]>;

/// The maximum number of terms of a polynomial.
const MAX_TERMS: usize = 32;
/// The maximum number of factors of a monomial.
const MAX_DEGREE: usize = 8;
/// The largest coefficient, far above 64 bits. Nothing is proved with larger ones.
const MAX_COEFFICIENT: u128 = 1 << 100;

/// A sum of monomials with coefficients that are not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Polynomial {
    /// The terms, sorted by monomial. Each monomial occurs once.
    terms: Vec<(Monomial, i128)>,
}

impl Polynomial {
    pub(super) fn constant(c: i128) -> Polynomial {
        Polynomial { terms: if c == 0 { Vec::new() } else { vec![(Monomial::new(), c)] } }
    }

    pub(super) fn atom(id: Id) -> Polynomial {
        Polynomial { terms: vec![(Monomial::from_slice(&[id]), 1)] }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.terms.iter().map(|(m, c)| (m, *c))
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The number that is added to the other terms.
    pub(super) fn constant_term(&self) -> i128 {
        // the empty product is the first in the order of monomials
        self.terms.first().filter(|(m, _)| m.is_empty()).map_or(0, |(_, c)| *c)
    }

    /// The only term, if there is exactly one.
    pub(super) fn as_term(&self) -> Option<(&Monomial, i128)> {
        if self.terms.len() == 1 { self.iter().next() } else { None }
    }

    /// `self + c * m * other`.
    pub(super) fn plus(self, c: i128, m: &Monomial, other: &Polynomial) -> Option<Polynomial> {
        let mut products = SmallVec::<[(Monomial, i128); 4]>::new();
        for (n, d) in other.iter() {
            products.push((times(m, n)?, c.checked_mul(d)?));
        }
        if !m.is_empty() {
            products.sort_unstable();
        }
        let mut terms = Vec::with_capacity(self.terms.len() + products.len());
        let (mut own, mut products) = (self.terms.into_iter().peekable(), products.into_iter().peekable());
        loop {
            let order = match (own.peek(), products.peek()) {
                (Some((m, _)), Some((n, _))) => m.cmp(n),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            match order {
                Ordering::Less => terms.extend(own.next()),
                Ordering::Greater => terms.extend(products.next().filter(|(_, c)| *c != 0)),
                Ordering::Equal => {
                    let (Some((m, a)), Some((_, b))) = (own.next(), products.next()) else { break };
                    let sum = a.checked_add(b)?;
                    if sum != 0 {
                        terms.push((m, sum));
                    }
                }
            }
        }
        let fits = terms.len() <= MAX_TERMS && terms.iter().all(|(_, c)| c.unsigned_abs() <= MAX_COEFFICIENT);
        fits.then_some(Polynomial { terms })
    }

    /// `self + c`.
    pub(super) fn plus_constant(self, c: i128) -> Option<Polynomial> {
        self.plus(c, &Monomial::new(), &Polynomial::constant(1))
    }

    /// `self * other`.
    pub(super) fn multiplied(&self, other: &Polynomial) -> Option<Polynomial> {
        other.iter().try_fold(Polynomial::default(), |sum, (m, c)| sum.plus(c, m, self))
    }

    /// `self` with `f` replaced by `value`.
    pub(super) fn substituted(&self, f: Id, value: &Polynomial) -> Option<Polynomial> {
        let mut out = Polynomial::default();
        for (m, c) in self.iter() {
            let rest: Monomial = m.iter().copied().filter(|&x| x != f).collect();
            let mut part = Polynomial::constant(1);
            for _ in 0..m.len() - rest.len() {
                part = part.multiplied(value)?;
            }
            out = out.plus(c, &rest, &part)?;
        }
        Some(out)
    }

    /// The common factors of all terms but the constant. Empty if there is no such term.
    pub(super) fn common_factors(&self) -> Monomial {
        let mut terms = self.terms.iter().map(|(m, _)| m).filter(|m| !m.is_empty());
        let Some(first) = terms.next() else { return Monomial::new() };
        terms.fold(first.clone(), |common, m| {
            let mut left = m.clone();
            common.into_iter().filter(|f| take(&mut left, *f)).collect()
        })
    }

    /// The `q` with `self == m * q + constant`, if all terms but the constant have the factors `m`.
    pub(super) fn without_factors(&self, m: &Monomial) -> Option<Polynomial> {
        let mut out = Polynomial::default();
        for (t, c) in self.iter().filter(|(t, _)| !t.is_empty()) {
            out = out.plus(c, &without(t, m)?, &Polynomial::constant(1))?;
        }
        Some(out)
    }

    /// The condition `self >= 0` divided by the common factor `g` of the coefficients: `g*q + k >= 0` becomes
    /// `q + k//g >= 0`.
    pub(super) fn without_content(self) -> Polynomial {
        let g = self.iter().filter(|(m, _)| !m.is_empty()).fold(0, |g, (_, c)| gcd(g, c));
        if g <= 1 {
            return self;
        }
        let divided = self.terms.into_iter().map(|(m, c)| (m, floor_div(c, g)));
        Polynomial { terms: divided.filter(|(_, c)| *c != 0).collect() }
    }

    /// The size of the polynomial. The search tries smaller goals first.
    pub(super) fn size(&self) -> usize {
        self.terms.iter().map(|(m, _)| 2 + m.len()).sum()
    }
}

/// The product of two monomials.
pub(super) fn times(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    if a.is_empty() || b.is_empty() {
        return Some(if a.is_empty() { b.clone() } else { a.clone() });
    }
    if a.len() + b.len() > MAX_DEGREE {
        return None;
    }
    let mut out = a.clone();
    out.extend_from_slice(b);
    out.sort_unstable();
    Some(out)
}

/// `m` without the factors `by`. `None` if `m` lacks one of them.
pub(super) fn without(m: &Monomial, by: &Monomial) -> Option<Monomial> {
    let mut left = m.clone();
    by.iter().all(|&f| take(&mut left, f)).then_some(left)
}

/// The factors of `m` that `by` lacks, with multiplicity.
pub(super) fn missing(m: &Monomial, by: &Monomial) -> Monomial {
    let mut left = by.clone();
    m.iter().copied().filter(|&f| !take(&mut left, f)).collect()
}

/// Removes one factor `f` from `m`. Returns whether `m` had it.
fn take(m: &mut Monomial, f: Id) -> bool {
    let at = m.iter().position(|&x| x == f);
    at.map(|at| m.remove(at)).is_some()
}
