//! The steps of a proof: each step replaces a goal by goals that imply it.
//!
//! The input is a goal `p >= 0`. The output is other goals. Each of them alone implies `p >= 0`.

use super::bounds::{Known, Quotient, is_nonnegative, is_positive, least};
use super::polynomial::{Monomial, Polynomial, missing, times, without};
use crate::egraph::normal::graph::EGraph;
use crate::integer::{floor_div, floor_mod, gcd};
use egg::Id;

/// A goal that is equivalent to `p >= 0`, without common positive factors.
pub(super) fn reduced(e: &EGraph, p: Polynomial) -> Polynomial {
    let p = p.without_content();
    let factors: Monomial = p.common_factors().into_iter().filter(|&f| is_positive(e, f)).collect();
    if factors.is_empty() {
        return p;
    }
    // f*q + k >= 0 for f >= 1 means q >= 0 if 0 <= k < f, and q >= 1 if -f <= k < 0
    let least_factor = Polynomial::default().plus(1, &factors, &Polynomial::constant(1)).and_then(|f| least(e, &f));
    let (k, Some(f)) = (p.constant_term(), least_factor) else { return p };
    let bucket = floor_div(k, f.max(1));
    if !(-1..=0).contains(&bucket) {
        return p;
    }
    let divided = p.without_factors(&factors).and_then(|q| q.plus_constant(bucket));
    divided.map_or(p, |q| reduced(e, q))
}

/// Goals that each imply `p >= 0`, by the bounds and assumptions in `known`.
pub(super) fn sufficient(known: &mut Known<'_>, p: &Polynomial) -> Vec<Polynomial> {
    let e = known.e;
    let mut out = Vec::new();
    for (m, c) in p.iter().filter(|(m, _)| !m.is_empty()) {
        for (i, &f) in m.iter().enumerate() {
            if i > 0 && m[i - 1] == f {
                continue;
            }
            let mut others = m.clone();
            others.remove(i);
            if !others.iter().all(|&o| is_nonnegative(e, o)) {
                continue;
            }
            let term = Term { c, m, f, others: &others };
            out.extend(known.ends(f, c < 0).iter().filter_map(|end| term.replaced(p, end)));
            if !others.is_empty() {
                let range = e.facts(f).interval;
                let end = if c < 0 { range.hi() } else { range.lo() };
                out.extend(end.and_then(|end| term.replaced(p, &Polynomial::constant(end.into()))));
            }
            out.extend(known.quotients(f).iter().filter_map(|q| term.by_quotient(e, p, q)));
        }
        out.extend(known.assumed().iter().flat_map(|a| less_multiples(e, p, c, m, a)));
    }
    out
}

/// A term `c * f * others` of a goal. `m` is `f * others`, and `others` is at least 0.
struct Term<'a> {
    c: i128,
    m: &'a Monomial,
    f: Id,
    others: &'a Monomial,
}

impl Term<'_> {
    /// `p` with `f` replaced by `end`, which is a bound of `f` on the side that makes `p` smaller.
    fn replaced(&self, p: &Polynomial, end: &Polynomial) -> Option<Polynomial> {
        let rest = p.clone().plus(-self.c, self.m, &Polynomial::constant(1))?;
        rest.plus(self.c, self.others, end)
    }

    /// `p` with the quotient `f` replaced by its numerator. `p` is first multiplied so that the term has the divisor as
    /// a factor. The step is valid because `n * (x//n)` is at most `x`, and at least `x - n + 1`.
    fn by_quotient(&self, e: &EGraph, p: &Polynomial, quotient: &Quotient) -> Option<Polynomial> {
        let Quotient { numerator, divisor, is_exact } = quotient;
        let one = Polynomial::constant(1);
        let bound = match self.c < 0 || *is_exact {
            true => numerator.clone(),
            false => numerator.clone().plus(-1, &Monomial::new(), divisor)?.plus_constant(1)?,
        };
        let Some((n, d)) = divisor.as_term() else {
            if let Some(whole) = self.by_whole_divisor(p, divisor, &bound) {
                return Some(whole);
            }
            // p >= 0 is equivalent to n*p + n - 1 >= 0
            let rest = p.clone().plus(-self.c, self.m, &one)?;
            return rest
                .multiplied(divisor)?
                .plus(self.c, self.others, &bound)?
                .plus(1, &Monomial::new(), divisor)?
                .plus_constant(-1);
        };
        let factors = missing(n, self.others);
        if !factors.iter().all(|&f| is_positive(e, f)) {
            return None;
        }
        let scale = floor_div(d, gcd(d, self.c));
        let c = self.c.checked_mul(scale)?;
        let others = without(&times(self.others, &factors)?, n)?;
        let rest = p.clone().plus(-self.c, self.m, &one)?;
        let rest = Polynomial::default().plus(scale, &factors, &rest)?;
        let replaced = rest.plus(floor_div(c, d), &others, &bound)?;
        replaced.plus(scale, &factors, &one)?.plus_constant(-1)
    }

    /// The step of [`by_quotient`](Self::by_quotient) without a multiplication. `p` must contain `k * n * f` with all
    /// terms of the divisor `n`, which is a sum.
    fn by_whole_divisor(&self, p: &Polynomial, divisor: &Polynomial, bound: &Polynomial) -> Option<Polynomial> {
        divisor.iter().find_map(|(lead, d)| {
            if floor_mod(self.c, d) != 0 || (d < 0) {
                return None;
            }
            let (k, others) = (floor_div(self.c, d), without(self.others, lead)?);
            let multiple = Polynomial::atom(self.f).multiplied(divisor)?;
            let rest = p.clone().plus(-k, &others, &multiple)?;
            if rest.len() + divisor.len() > p.len() {
                return None;
            }
            rest.plus(k, &others, bound)
        })
    }
}

/// `p` minus multiples of `assumed` that cancel its term `c * m`. If needed, `p` is first multiplied by the factors
/// that the term lacks.
fn less_multiples(e: &EGraph, p: &Polynomial, c: i128, m: &Monomial, assumed: &Polynomial) -> Vec<Polynomial> {
    let terms = assumed.iter().filter(|(t, a)| !t.is_empty() && (*a > 0) == (c > 0));
    let without_term = |(t, a): (&Monomial, i128)| {
        let factors = missing(t, m);
        if factors.len() == t.len() || !factors.iter().all(|&f| is_positive(e, f)) {
            return None;
        }
        let others = without(&times(m, &factors)?, t).filter(|o| o.iter().all(|&f| is_nonnegative(e, f)))?;
        let g = gcd(a, c);
        let (scale, k) = (floor_div(a.abs(), g), floor_div(c.abs(), g));
        // for positive f, p >= 0 is equivalent to f*p + f - 1 >= 0
        let scaled = Polynomial::default().plus(scale, &factors, p)?.plus(scale, &factors, &Polynomial::constant(1))?;
        scaled.plus_constant(-1)?.plus(-k, &others, assumed)
    };
    terms.filter_map(without_term).collect()
}
