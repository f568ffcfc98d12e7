//! Linear forms over e-classes: `constant + Σ coefficient * class`, the value of every sum of the e-graph.
//!
//! All arithmetic on sums is in this file. Its functions take linear forms and return another linear form. They return
//! `None` if a coefficient would not fit in 64 bits.

use crate::integer::{floor_div, floor_mod, gcd};
use egg::Id;
use smallvec::SmallVec;

/// `constant + Σ coeffs[i] * terms[i]`. The terms are in increasing order of id, and no coefficient is 0.
///
/// All arithmetic is checked: an operation whose result does not fit in `i64` returns `None`, and the caller skips the
/// step.
#[derive(Debug, Default, Hash, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinearForm {
    pub(crate) constant: i64,
    terms: SmallVec<[Id; 6]>,
    coeffs: SmallVec<[i64; 6]>,
}

/// Unsorted terms of a [`LinearForm`] that is being built: classes and 128-bit coefficients.
pub(crate) type Terms = SmallVec<[(Id, i128); 8]>;

impl Clone for LinearForm {
    // copies whole slices, because `SmallVec::clone` copies one element after the other
    fn clone(&self) -> LinearForm {
        let (terms, coeffs) = (SmallVec::from_slice(&self.terms), SmallVec::from_slice(&self.coeffs));
        LinearForm { constant: self.constant, terms, coeffs }
    }
}

impl LinearForm {
    #[inline]
    pub(crate) fn constant(c: i64) -> LinearForm {
        LinearForm { constant: c, ..LinearForm::default() }
    }

    #[inline]
    pub(crate) fn atom(id: Id) -> LinearForm {
        LinearForm::term(1, id)
    }

    /// `c * id`; `c` is not 0.
    pub(crate) fn term(c: i64, id: Id) -> LinearForm {
        debug_assert!(c != 0);
        let mut l = LinearForm::default();
        l.terms.push(id);
        l.coeffs.push(c);
        l
    }

    /// Makes a linear form of terms in any order. The coefficients of repeated terms are added up.
    pub(crate) fn from_terms(constant: i64, mut terms: Terms) -> Option<LinearForm> {
        terms.sort_unstable_by_key(|t| t.0);
        let mut out = LinearForm::constant(constant);
        for same in terms.chunk_by(|a, b| a.0 == b.0) {
            let c = same.iter().try_fold(0i128, |sum, t| sum.checked_add(t.1))?;
            out.push(same[0].0, i64::try_from(c).ok()?);
        }
        Some(out)
    }

    /// Appends a term whose id is above all present ones.
    #[inline]
    pub(crate) fn push(&mut self, id: Id, c: i64) {
        if c != 0 {
            self.terms.push(id);
            self.coeffs.push(c);
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    #[inline]
    pub(crate) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    #[inline]
    pub(crate) fn terms(&self) -> &[Id] {
        &self.terms
    }

    pub(crate) fn terms_mut(&mut self) -> &mut [Id] {
        &mut self.terms
    }

    #[inline]
    pub(crate) fn coeffs(&self) -> &[i64] {
        &self.coeffs
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (i64, Id)> + '_ {
        let (coeffs, terms) = (&*self.coeffs, &*self.terms);
        (0..coeffs.len().min(terms.len())).map(move |i| (coeffs[i], terms[i]))
    }

    /// The e-class `id` if this form is `1 * id + 0`.
    #[inline]
    pub(crate) fn as_atom(&self) -> Option<Id> {
        match (self.constant, &*self.coeffs, &*self.terms) {
            (0, &[1], &[id]) => Some(id),
            _ => None,
        }
    }

    pub(crate) fn coeff(&self, id: Id) -> i64 {
        self.terms.binary_search(&id).map_or(0, |i| self.coeffs[i])
    }

    /// The greatest common divisor of the coefficients, without the constant. 0 for a constant.
    pub(crate) fn content(&self) -> i64 {
        let mut g = 0;
        for &c in &self.coeffs {
            g = gcd(g, c as i128);
            if g == 1 {
                break;
            }
        }
        // |i64::MIN| does not fit in `i64`, and no sum with such a coefficient is ever divided
        i64::try_from(g).unwrap_or(1)
    }

    /// `self + f * other`.
    pub(crate) fn plus(&self, f: i64, other: &LinearForm) -> Option<LinearForm> {
        let mut out = LinearForm::constant(add_mul(self.constant, f, other.constant)?);
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() && j < other.terms.len() {
            let (a, b) = (self.terms[i], other.terms[j]);
            match a.cmp(&b) {
                std::cmp::Ordering::Less => {
                    out.push(a, self.coeffs[i]);
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    out.push(b, other.coeffs[j].checked_mul(f)?);
                    j += 1;
                }
                std::cmp::Ordering::Equal => {
                    out.push(a, add_mul(self.coeffs[i], f, other.coeffs[j])?);
                    i += 1;
                    j += 1;
                }
            }
        }
        for i in i..self.terms.len() {
            out.push(self.terms[i], self.coeffs[i]);
        }
        for j in j..other.terms.len() {
            out.push(other.terms[j], other.coeffs[j].checked_mul(f)?);
        }
        Some(out)
    }

    pub(crate) fn plus_constant(mut self, k: i64) -> Option<LinearForm> {
        self.constant = self.constant.checked_add(k)?;
        Some(self)
    }

    /// `-self - 1`, which is at least 0 exactly where `self` is below 0.
    pub(crate) fn complement(&self) -> Option<LinearForm> {
        self.scaled(-1)?.plus_constant(-1)
    }

    /// `f * self`.
    pub(crate) fn scaled(&self, f: i64) -> Option<LinearForm> {
        if f == 1 {
            return Some(self.clone());
        }
        LinearForm::default().plus(f, self)
    }

    /// This form without its constant.
    pub(crate) fn terms_only(&self) -> LinearForm {
        LinearForm { constant: 0, ..self.clone() }
    }

    /// This form without term number `i`.
    pub(crate) fn without(&self, i: usize) -> LinearForm {
        let mut out = self.clone();
        out.terms.remove(i);
        out.coeffs.remove(i);
        out
    }

    /// `(q, r)` with `self == g * q + r`. `q` takes every term whose coefficient is a multiple of `g > 0`, and `r`
    /// takes the other terms. The constant of `q` is `floor(constant / g)`, and the constant of `r` is the remainder.
    pub(crate) fn split(&self, g: i64) -> (LinearForm, LinearForm) {
        let g = g as i128;
        let mut q = LinearForm::constant(floor_div(self.constant as i128, g) as i64);
        let mut r = LinearForm::constant(floor_mod(self.constant as i128, g) as i64);
        for (c, id) in self.iter() {
            if floor_mod(c as i128, g) == 0 {
                q.push(id, floor_div(c as i128, g) as i64);
            } else {
                r.push(id, c);
            }
        }
        (q, r)
    }

    /// `(f, a, b)` with `self == a*f` and `other == b*f`, if both are multiples of one non-constant sum `f`. The
    /// numbers `a` and `b` have no common divisor.
    pub(crate) fn common_sum(&self, other: &LinearForm) -> Option<(LinearForm, i64, i64)> {
        let numbers = |l: &LinearForm| gcd(l.content().into(), l.constant.into());
        let (m, n) = (numbers(self), numbers(other));
        if self.is_constant() || self.terms != other.terms {
            return None;
        }
        let g = gcd(m, n);
        let narrow = |n: i128| i64::try_from(n).ok();
        let (a, b) = (narrow(floor_div(m, g))?, narrow(floor_div(n, g))?);
        let b = if (self.coeffs[0] < 0) == (other.coeffs[0] < 0) { b } else { -b };
        let is_one = self.scaled(b)? == other.scaled(a)?;
        is_one.then(|| (self.split(a).0, a, b))
    }

    /// `(p, n)` with `self == p - n`. Neither `p` nor `n` has a negative coefficient or constant.
    pub(crate) fn signs(&self) -> Option<(LinearForm, LinearForm)> {
        let (mut p, mut n) =
            (LinearForm::constant(self.constant.max(0)), LinearForm::constant(self.constant.min(0).checked_neg()?));
        for (c, id) in self.iter() {
            if c > 0 { p.push(id, c) } else { n.push(id, c.checked_neg()?) }
        }
        Some((p, n))
    }

    /// `(q, r)` with `self == n * q + r`. Every coefficient of `r` is the residue of least absolute value modulo
    /// `n > 0`. Of two such residues, the positive one is taken unless `negative_ties`. The constant of `r` is in
    /// `0..n`.
    pub(crate) fn residue(&self, n: i64, negative_ties: bool) -> (LinearForm, LinearForm) {
        let n = n as i128;
        let mut q = LinearForm::constant(floor_div(self.constant as i128, n) as i64);
        let mut r = LinearForm::constant(floor_mod(self.constant as i128, n) as i64);
        for (c, id) in self.iter() {
            let c = c as i128;
            let mut m = floor_mod(c, n);
            if 2 * m > n || (2 * m == n && negative_ties) {
                m -= n;
            }
            q.push(id, floor_div(c - m, n) as i64);
            r.push(id, m as i64);
        }
        (q, r)
    }
}

fn add_mul(a: i64, f: i64, b: i64) -> Option<i64> {
    a.checked_add(f.checked_mul(b)?)
}
