//! Sums of known values that lie between bounds at each point, or that have given remainders. The bounds come from an
//! operation on the sum.

use super::sums::{Fit, Sums, Term};
use super::value::{Field, Value, sum_price};

/// The largest product in a sum between bounds, so that 32 bits hold the sum.
const MOST_PRODUCT: i64 = 1 << 30;
/// The largest factor of such a product.
const MOST_FACTOR: i64 = 1 << 24;
/// A bound that does not restrict the sum.
pub(crate) const OPEN: i64 = 1 << 50;

impl Sums<'_> {
    /// A sum that lies between `low` and `high` at each point. If it has two products, the first factor is one of
    /// `factors`. All other factors and the constant are computed from the bounds.
    pub(crate) fn between(&self, low: &[i64], high: &[i64], factors: &[i64]) -> Option<Fit> {
        let mut found = None;
        let (mut l, mut h) = (Vec::new(), Vec::new());
        self.signs(&mut |plain| {
            if found.is_some() {
                return;
            }
            let (has_newest, count) = (self.has_newest(plain), plain.len());
            if has_newest && count > 0 {
                found = self
                    .shift(plain, low, high)
                    .map(|k| Fit::new(plain.to_vec(), k))
                    .filter(|f| f.price() <= self.budget);
            }
            if found.is_some() || sum_price(1, count) > self.budget {
                return;
            }
            shifted(&mut l, low, self.known, plain);
            shifted(&mut h, high, self.known, plain);
            for a in self.others(plain).filter(|a| has_newest || self.newest == Some(*a)) {
                let is_free = sum_price(1, count + 1) <= self.budget;
                if let Some((c, k)) = line(&self.known[a], &l, &h, is_free).filter(|(c, _)| *c != 0) {
                    found = Some(Fit::new(plain.iter().copied().chain([(a, c)]).collect(), k));
                    return;
                }
            }
            if sum_price(2, count) > self.budget {
                return;
            }
            let is_free = sum_price(2, count + 1) <= self.budget;
            let (mut below, mut above) = (Vec::new(), Vec::new());
            for a in self.others(plain) {
                for b in self.others(plain).filter(|b| *b != a) {
                    if !has_newest && self.newest != Some(a) && self.newest != Some(b) {
                        continue;
                    }
                    for &c in factors {
                        shifted(&mut below, &l, self.known, &[(a, c)]);
                        shifted(&mut above, &h, self.known, &[(a, c)]);
                        if let Some((d, k)) = line(&self.known[b], &below, &above, is_free).filter(|(d, _)| *d != 0) {
                            found = Some(Fit::new(plain.iter().copied().chain([(a, c), (b, d)]).collect(), k));
                            return;
                        }
                    }
                }
            }
        });
        found
    }

    /// A constant that moves a sum between `low` and `high`. The constant is 0 if the sum is already between them.
    /// `None` when there is no such constant.
    fn shift(&self, terms: &[Term], low: &[i64], high: &[i64]) -> Option<i64> {
        let (mut least, mut most) = (-OPEN, OPEN);
        for (p, (l, h)) in low.iter().zip(high).enumerate() {
            let sum: i64 = terms.iter().map(|(i, c)| i64::from(self.known[*i].values[p]) * c).sum();
            (least, most) = (least.max(l - sum), most.min(h - sum));
            if least > most {
                return None;
            }
        }
        Some(if least <= 0 && most >= 0 { 0 } else { inside(least, most) })
    }

    /// A sum whose remainder modulo `d` equals the wanted value at each point. The factors of two products are taken
    /// from `factors`.
    pub(crate) fn modulo(&self, field: &Field, d: i64, factors: &[i64]) -> Option<Fit> {
        let mut found = None;
        let small: Vec<i64> =
            if d <= 64 { (2..d - 1).map(|c| if 2 * c > d { c - d } else { c }).collect() } else { factors.to_vec() };
        let fits = |terms: &[Term]| {
            let at = |p: usize| {
                let sum = terms.iter().map(|(i, c)| i64::from(self.known[*i].values[p]) * c).sum::<i64>();
                (i64::from(field.wanted[p]) - sum).rem_euclid(d)
            };
            let k = at(0);
            (1..field.len()).all(|p| at(p) == k).then_some(k)
        };
        self.signs(&mut |plain| {
            let mut keep = |products: &[Term]| {
                let is_new = self.has_newest(plain) || products.iter().any(|t| self.newest == Some(t.0));
                let count = plain.len() + products.len();
                if found.is_none() && is_new && count > 0 && sum_price(products.len(), plain.len()) <= self.budget {
                    let terms: Vec<Term> = plain.iter().chain(products).copied().collect();
                    found = fits(&terms).map(|k| Fit::new(terms, k)).filter(|f| f.price() <= self.budget);
                }
            };
            keep(&[]);
            for a in self.others(plain) {
                for &c in small.iter().filter(|_| sum_price(1, plain.len()) <= self.budget) {
                    keep(&[(a, c)]);
                    for b in self.others(plain).filter(|b| *b > a && sum_price(2, plain.len()) <= self.budget) {
                        small.iter().for_each(|&e| keep(&[(a, c), (b, e)]));
                    }
                }
            }
        });
        found
    }
}

/// Writes `bounds` minus the sum of `terms` to `out`, for each point.
fn shifted(out: &mut Vec<i64>, bounds: &[i64], known: &[Value], terms: &[Term]) {
    out.clear();
    out.extend_from_slice(bounds);
    for (i, c) in terms {
        for (b, x) in out.iter_mut().zip(&known[*i].values) {
            *b -= i64::from(*x) * c;
        }
    }
}

/// A number between `low` and `high`, as far from both as possible. `low` or `high` may be open, which means that there
/// is no bound.
fn inside(low: i64, high: i64) -> i64 {
    const FAR: i64 = OPEN >> 1;
    match (low < -FAR, high > FAR) {
        (true, true) => 0,
        (true, false) => high,
        (false, true) => low,
        (false, false) => middle(low, high),
    }
}

fn middle(low: i64, high: i64) -> i64 {
    low + (high - low).div_euclid(2)
}

/// A factor `c` and a constant `k` with `low <= c*x + k <= high` at each point. The constant is 0 unless `is_free`.
///
/// If a factor fails, two points prove it. The two points give a bound of all factors from one side, and the next
/// candidate is that bound. So the least and the greatest factor are found. The result is the factor in the middle,
/// which is the least likely to fail at points outside of the search.
fn line(of: &Value, low: &[i64], high: &[i64], is_free: bool) -> Option<(i64, i64)> {
    let largest = i64::from(of.low).abs().max(i64::from(of.high).abs());
    let largest_factor = MOST_PRODUCT.div_euclid(largest.max(1)).min(MOST_FACTOR);
    let (mut least, mut most) = (-largest_factor, largest_factor);
    // the constant that the points permit for the factor `c`. If there is none, a bound of all factors, and whether it
    // is the lower bound
    let room = |c: i64| {
        let (mut above, mut below) = if is_free { ((i64::MAX, 0), (i64::MIN, 0)) } else { ((0, 0), (0, 0)) };
        for (x, (l, h)) in of.values.iter().zip(low.iter().zip(high)) {
            let x = i64::from(*x);
            let (l, h) = (l - c * x, h - c * x);
            if h < above.0 {
                above = (h, x);
            }
            if l > below.0 {
                below = (l, x);
            }
        }
        if below.0 <= above.0 {
            return Ok(inside(below.0, above.0));
        }
        // between the two points, the sum must grow by `missing`, which is more than it grows with the current factor
        let (across, missing) = (below.1 - above.1, below.0 - above.0);
        Err(match across {
            0 => None,
            d if d > 0 => Some((true, c - (-missing).div_euclid(d))),
            d => Some((false, c + (-missing).div_euclid(-d))),
        })
    };
    let mut search = |mut c: i64| loop {
        match room(c) {
            Ok(_) => return Some(c),
            Err(None) => return None,
            Err(Some((true, bound))) => {
                least = least.max(bound);
                c = least;
            }
            Err(Some((false, bound))) => {
                most = most.min(bound);
                c = most;
            }
        }
        if least > most {
            return None;
        }
    };
    let one = search(0)?;
    // search from both ends, which may be beyond the valid factors
    let (first, last) = (search(-largest_factor).unwrap_or(one), search(largest_factor).unwrap_or(one));
    let c = middle(first.min(last), first.max(last));
    room(c).ok().map(|k| (c, if is_free { k } else { 0 }))
}
