//! Polynomials with 64-bit coefficients over atoms, which are variables, quotients and truth values. Sums are flattened
//! and like terms are merged.

use smallvec::SmallVec;

/// A product of atoms, given by their numbers in ascending order. A repeated atom is a power. A truth value occurs only
/// once, because it is equal to its powers.
pub(super) type Mono = SmallVec<[u32; 2]>;

/// The polynomial `constant + sum of coefficient * product`. The products are in ascending order, and no coefficient is
/// 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Poly {
    pub(super) terms: Vec<(Mono, i64)>,
    pub(super) constant: i64,
}

impl Poly {
    pub(super) fn constant(constant: i64) -> Poly {
        Poly { terms: Vec::new(), constant }
    }

    pub(super) fn atom(atom: u32) -> Poly {
        Poly { terms: vec![(SmallVec::from_slice(&[atom]), 1)], constant: 0 }
    }

    pub(super) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.as_constant() == Some(0)
    }

    /// The atom and its sign, if the polynomial is one atom `t` (true) or its opposite truth value `1 - t` (false).
    pub(super) fn as_literal(&self) -> Option<(u32, bool)> {
        match (&self.terms[..], self.constant) {
            ([(mono, 1)], 0) if mono.len() == 1 => Some((mono[0], true)),
            ([(mono, -1)], 1) if mono.len() == 1 => Some((mono[0], false)),
            _ => None,
        }
    }

    /// `self + c * other`. `None` if a coefficient exceeds 64 bits.
    pub(super) fn plus(&self, c: i64, other: &Poly) -> Option<Poly> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) => a.0.cmp(&b.0),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => break,
            };
            let a = if order.is_le() { left.next() } else { None };
            let b = if order.is_ge() { right.next() } else { None };
            let coefficient = b.map_or(Some(0), |b| c.checked_mul(b.1))?.checked_add(a.map_or(0, |a| a.1))?;
            if let (Some((mono, _)), true) = (a.or(b), coefficient != 0) {
                terms.push((mono.clone(), coefficient));
            }
        }
        let constant = self.constant.checked_add(c.checked_mul(other.constant)?)?;
        Some(Poly { terms, constant })
    }

    pub(super) fn plus_constant(&self, c: i64) -> Option<Poly> {
        Some(Poly { terms: self.terms.clone(), constant: self.constant.checked_add(c)? })
    }

    pub(super) fn scaled(&self, c: i64) -> Option<Poly> {
        Poly::default().plus(c, self)
    }

    /// The opposite truth value, `1 - self`.
    pub(super) fn opposite(&self) -> Option<Poly> {
        Poly::constant(1).plus(-1, self)
    }

    /// Sums terms in any order, with repetitions. Only the resulting coefficients must fit 64 bits.
    pub(super) fn gather(mut terms: Vec<(Mono, i128)>, constant: i128) -> Option<Poly> {
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut merged: Vec<(Mono, i64)> = Vec::with_capacity(terms.len());
        let mut terms = terms.into_iter().peekable();
        while let Some((mono, mut sum)) = terms.next() {
            while let Some((_, c)) = terms.next_if(|(next, _)| *next == mono) {
                sum = sum.checked_add(c)?;
            }
            if sum != 0 {
                merged.push((mono, i64::try_from(sum).ok()?));
            }
        }
        Some(Poly { terms: merged, constant: i64::try_from(constant).ok()? })
    }

    /// Replaces the constant, and applies `f` to every coefficient.
    pub(super) fn map(&self, constant: i64, f: impl Fn(i64) -> i64) -> Poly {
        let terms = self.terms.iter().map(|(mono, c)| (mono.clone(), f(*c))).filter(|(_, c)| *c != 0);
        Poly { terms: terms.collect(), constant }
    }
}
