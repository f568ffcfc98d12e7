//! Normal forms of quotients and remainders of polynomials.

use super::poly::{Mono, Poly};
use super::terms::{Atom, Terms};
use quaff_expr::expr::Op;
use quaff_expr::integer::{floor_div, floor_mod, gcd};

impl Terms {
    /// The value of `p//n` for `n > 0`, if it is the same at all points of the box.
    fn one_bucket(&self, p: &Poly, n: i64) -> Option<i64> {
        let (lo, hi) = self.range(p).bounded()?;
        let q = floor_div(lo.into(), n.into());
        (q == floor_div(hi.into(), n.into())).then_some(q as i64)
    }

    pub(super) fn remainder(&mut self, a: &Poly, n: &Poly) -> Option<Poly> {
        let q = self.quotient(a, n)?;
        let whole = self.product(&q, n)?;
        a.plus(-1, &whole)
    }

    pub(super) fn quotient(&mut self, a: &Poly, n: &Poly) -> Option<Poly> {
        match n.as_constant() {
            // the value for a divisor 0 does not matter, because callers exclude such points
            Some(0) => self.other(&Op::FloorDiv, &[a, n]),
            Some(c) if c < 0 => self.quotient_by(&a.scaled(-1)?, c.checked_neg()?),
            Some(c) => self.quotient_by(a, c),
            None => self.quotient_by_unknown(a, n),
        }
    }

    fn quotient_by(&mut self, a: &Poly, n: i64) -> Option<Poly> {
        self.spend(&[a])?;
        if n == 1 {
            return Some(a.clone());
        }
        let wide = i128::from(n);
        let (floor, rest) = (|c: i64| floor_div(c.into(), wide) as i64, |c: i64| floor_mod(c.into(), wide) as i64);
        if let Some(q) = self.one_bucket(a, n) {
            return Some(Poly::constant(q));
        }
        if self.has_ranges() {
            // dividing the coefficients towards zero leaves the smallest remainders, with their signs. Their sum may
            // have one quotient in the whole box when the sum of the nonnegative remainders does not
            let toward_zero = |c: i64| floor_div(i128::from(c).abs(), wide) as i64 * c.signum();
            let whole = a.map(floor(a.constant), toward_zero);
            let part = a.map(rest(a.constant), |c| c - toward_zero(c) * n);
            if let Some(q) = self.one_bucket(&part, n) {
                return whole.plus_constant(q);
            }
        }
        let whole = a.map(floor(a.constant), floor);
        let part = a.map(rest(a.constant), rest);
        let g = part.terms.iter().fold(wide, |g, (_, c)| gcd(g, (*c).into()));
        let less = |c: i64| floor_div(c.into(), g) as i64;
        let (part, n) = (part.map(less(part.constant), less), less(n));
        let part = if n == 1 {
            part
        } else if part.terms.is_empty() {
            Poly::constant(0)
        } else if let Some(q) = self.one_bucket(&part, n) {
            Poly::constant(q)
        } else if let Some((inner, outer)) = self.nested(&part, n) {
            return whole.plus(1, &self.quotient_by(&inner, outer)?);
        } else {
            self.intern(Atom::Quotient(part, Poly::constant(n)))?
        };
        whole.plus(1, &part)
    }

    /// Writes `(e//m + k)//n` as `(e + k*m)//(m*n)`.
    fn nested(&self, part: &Poly, n: i64) -> Option<(Poly, i64)> {
        let [(mono, 1)] = &part.terms[..] else { return None };
        let Atom::Quotient(inner, m) = self.atom(*mono.first().filter(|_| mono.len() == 1)?) else { return None };
        let m = m.as_constant().filter(|m| *m > 0)?;
        Some((inner.plus_constant(part.constant.checked_mul(m)?)?, m.checked_mul(n)?))
    }

    /// Moves terms that have the divisor as a factor out of the quotient. A quotient of a quotient becomes one quotient
    /// if the outer divisor is positive.
    fn quotient_by_unknown(&mut self, a: &Poly, n: &Poly) -> Option<Poly> {
        self.spend(&[a, n])?;
        let (mut whole, mut part) = (Poly::default(), a.clone());
        if let [(divisor, 1)] = &n.terms[..]
            && n.constant == 0
        {
            let (inside, outside): (Vec<_>, Vec<_>) =
                a.terms.iter().cloned().partition(|(mono, _)| without(mono, divisor).is_none());
            part = Poly { terms: inside, constant: a.constant };
            let mut constant = 0;
            let mut rests = Vec::new();
            for (mono, c) in outside {
                match without(&mono, divisor) {
                    Some(rest) if rest.is_empty() => constant = c.into(),
                    Some(rest) => rests.push((rest, c.into())),
                    None => {}
                }
            }
            whole = Poly::gather(rests, constant)?;
        }
        if part.is_zero() {
            return Some(whole);
        }
        if let Some((atom, true)) = part.as_literal()
            && let Atom::Quotient(inner, m) = self.atom(atom).clone()
            && self.range(n).lo().is_some_and(|lo| lo > 0)
        {
            let divisor = self.product(&m, n)?;
            return whole.plus(1, &self.quotient(&inner, &divisor)?);
        }
        let (r, d) = (self.range(&part), self.range(n));
        if r.is_nonneg() && r.hi().zip(d.lo()).is_some_and(|(r, d)| r < d) {
            return Some(whole);
        }
        let atom = self.intern(Atom::Quotient(part, n.clone()))?;
        whole.plus(1, &atom)
    }
}

/// The factors of `mono` without those of `divisor`. `None` if `mono` does not have all factors of `divisor`.
fn without(mono: &Mono, divisor: &Mono) -> Option<Mono> {
    let mut rest = mono.clone();
    for factor in divisor {
        let at = rest.iter().position(|f| f == factor)?;
        rest.remove(at);
    }
    Some(rest)
}
