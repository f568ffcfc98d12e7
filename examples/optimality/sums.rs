//! Sums of known values that are equal to the wanted values, with any factors and any constant.

use super::value::{Binary, Field, Value, sum_price};
use quaff::cost::{CostModel, Fused, Gpu};
use quaff::domain::Interval;
use quaff::integer::gcd;
use rustc_hash::FxHashSet;

/// A term of a sum: the place of a value in the list of known values, and its factor.
pub(crate) type Term = (usize, i64);

/// A sum that fits: its terms and its constant.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub(crate) terms: Vec<Term>,
    pub(crate) constant: i64,
}

impl Fit {
    pub(crate) fn new(terms: Vec<Term>, constant: i64) -> Fit {
        Fit { terms, constant }
    }

    /// The price of the sum. The negation of a single value is an instruction, too.
    pub(crate) fn price(&self) -> u64 {
        let products = self.terms.iter().filter(|(_, c)| c.abs() != 1).count();
        let negation = self.constant == 0 && matches!(self.terms[..], [(_, -1)]);
        sum_price(products, self.terms.len() - products + usize::from(self.constant != 0 || negation))
    }

    /// The price of this sum and its quotient by `divisor` together, if no other operation needs the sum.
    pub(crate) fn quotient_price(&self, known: &[Value], low: i32, high: i32, divisor: i64) -> u64 {
        let apart = self.price().saturating_add(Binary::Div.price(low, high, Some(divisor)));
        self.fused_quotient(known, divisor).map_or(apart, |fused| fused.min(apart))
    }

    fn fused_quotient(&self, known: &[Value], divisor: i64) -> Option<u64> {
        let sign = if self.terms.iter().all(|t| t.1 < 0) { -1 } else { 1 };
        let factor = self.terms.iter().fold(0, |g, t| gcd(g, t.1.into()));
        let factor = i64::try_from(factor).ok().filter(|f| *f != 0)? * sign;
        let term = |(i, c): &Term| {
            let range = Interval::new(known[*i].low.into(), known[*i].high.into())?;
            Some(range.scaled(c.div_euclid(factor)))
        };
        let range = self.terms.iter().map(term).reduce(|a, b| Some(a?.plus(b?)))??;
        let terms = u32::try_from(self.terms.len()).ok()?;
        let quotient = Fused::QuotientOfSum { terms, range, factor, constant: self.constant, divisor };
        Gpu.fused(&quotient).map(|c| c.tenths())
    }

    /// The values of the sum. `None` when a value exceeds 32 bits.
    pub(crate) fn values(&self, known: &[Value], points: usize) -> Option<Vec<i32>> {
        let at = |p: usize| self.terms.iter().map(|(i, c)| i64::from(known[*i].values[p]) * c).sum::<i64>();
        (0..points).map(|p| i32::try_from(at(p) + self.constant).ok()).collect()
    }
}

/// Sums over the known values that are no sums themselves.
pub(crate) struct Sums<'a> {
    pub(crate) known: &'a [Value],
    pub(crate) terms: &'a [usize],
    /// The place of the value that must be a term. `None` if no particular term is required.
    pub(crate) newest: Option<usize>,
    /// The largest price of the sum.
    pub(crate) budget: u64,
}

impl Sums<'_> {
    /// Calls `visit` with every choice of terms with the factors 1 and -1. A choice is left out if no additional term
    /// can make it contain the newest value.
    pub(crate) fn signs(&self, visit: &mut dyn FnMut(&[Term])) {
        let Some(newest) = self.newest else { return self.signs_from(0, 0, &mut Vec::new(), visit) };
        for sign in [1, -1] {
            self.signs_from(0, 0, &mut vec![(newest, sign)], visit);
        }
        // in these choices, the newest value is added later, with a factor other than 1 and -1
        self.signs_from(0, 1, &mut Vec::new(), visit);
    }

    fn signs_from(&self, from: usize, products: usize, plain: &mut Vec<Term>, visit: &mut dyn FnMut(&[Term])) {
        visit(plain);
        for k in (from..self.terms.len()).filter(|k| self.newest != Some(self.terms[*k])) {
            for sign in [1, -1] {
                plain.push((self.terms[k], sign));
                if sum_price(products, plain.len()) <= self.budget {
                    self.signs_from(k + 1, products, plain, visit);
                }
                plain.pop();
            }
        }
    }

    pub(crate) fn is_in(plain: &[Term], i: usize) -> bool {
        plain.iter().any(|t| t.0 == i)
    }

    /// The possible terms that are not in `plain`.
    pub(crate) fn others<'p>(&'p self, plain: &'p [Term]) -> impl Iterator<Item = usize> + Clone + 'p {
        self.terms.iter().copied().filter(|i| !Self::is_in(plain, *i))
    }

    pub(crate) fn has_newest(&self, plain: &[Term]) -> bool {
        self.newest.is_none_or(|n| Self::is_in(plain, n))
    }

    /// The fingerprints of all sums of terms with the factors 1 and -1 to which one more term can be added. The
    /// constants are left out.
    pub(crate) fn rests(&self) -> FxHashSet<u64> {
        let mut prints = FxHashSet::default();
        let all = Sums { newest: None, ..*self };
        all.signs(&mut |plain| {
            if sum_price(0, plain.len() + 1) <= self.budget {
                prints.insert(plain.iter().fold(0_u64, |sum, t| sum.wrapping_add(self.print(t))));
            }
        });
        prints
    }

    fn print(&self, (i, c): &Term) -> u64 {
        self.known[*i].free_print.wrapping_mul(*c as u64)
    }

    /// Whether an exact sum with the newest value may exist for the price of one operation. `rests` are the
    /// fingerprints of the sums without the newest value.
    pub(crate) fn can_be_exact(&self, field: &Field, rests: &FxHashSet<u64>) -> bool {
        let Some(n) = self.newest.filter(|_| self.budget < sum_price(2, 0)) else { return true };
        let wanted = field.free_print(field.wanted_print, field.wanted[0]);
        let is_product = |rest: Option<Term>, i: usize| {
            let p = self.known[i].other;
            let missing = self.missing(field, rest.as_slice(), p);
            quotient(missing, self.difference(i, p)).is_some_and(|c| {
                wanted.wrapping_sub(rest.map_or(0, |t| self.print(&t))).wrapping_sub(self.print(&(i, c))) == 0
            })
        };
        let with_newest = |sign: i64| rests.contains(&wanted.wrapping_sub(self.print(&(n, sign))));
        with_newest(1)
            || with_newest(-1)
            || is_product(None, n)
            || self
                .terms
                .iter()
                .filter(|i| **i != n)
                .any(|&i| [1, -1].iter().any(|&sign| is_product(Some((i, sign)), n) || is_product(Some((n, sign)), i)))
    }

    /// All sums that are equal to the wanted values at each point. The factors are solved for.
    pub(crate) fn exact(&self, field: &Field) -> Vec<Fit> {
        let mut found: Vec<Fit> = Vec::new();
        let wanted = field.free_print(field.wanted_print, field.wanted[0]);
        self.signs(&mut |plain| {
            let rest = plain.iter().fold(wanted, |r, t| r.wrapping_sub(self.print(t)));
            let mut keep = |products: &[Term]| {
                if products.iter().fold(rest, |r, t| r.wrapping_sub(self.print(t))) == 0
                    && !(plain.is_empty() && products.is_empty())
                {
                    let terms: Vec<Term> = plain.iter().chain(products).copied().collect();
                    let at_first: i64 = terms.iter().map(|(i, c)| i64::from(self.known[*i].values[0]) * c).sum();
                    let fit = Fit::new(terms, i64::from(field.wanted[0]) - at_first);
                    found.extend(Some(fit).filter(|f| f.price() <= self.budget));
                }
            };
            let has_newest = self.has_newest(plain);
            if has_newest {
                keep(&[]);
            }
            if sum_price(1, plain.len()) <= self.budget {
                for a in self.others(plain).filter(|a| has_newest || self.newest == Some(*a)) {
                    let p = self.known[a].other;
                    if let Some(c) = quotient(self.missing(field, plain, p), self.difference(a, p)) {
                        keep(&[(a, c)]);
                    }
                }
            }
            if sum_price(2, plain.len()) <= self.budget {
                self.two_products(field, plain, &mut keep);
            }
            if sum_price(3, plain.len()) <= self.budget {
                let others: Vec<usize> = self.others(plain).collect();
                for three in triples(&others).filter(|t| has_newest || t.iter().any(|i| self.newest == Some(*i))) {
                    let columns: Vec<&[i32]> = three.iter().map(|&i| &self.known[i].values[..]).collect();
                    let wanted: Vec<i128> = (0..field.len()).map(|p| self.missing(field, plain, p).into()).collect();
                    if let Some(factors) = solved(&columns, &wanted) {
                        keep(&three.iter().copied().zip(factors).collect::<Vec<_>>());
                    }
                }
            }
        });
        found
    }

    /// The difference between value `i` at point `p` and at the first point.
    fn difference(&self, i: usize, p: usize) -> i64 {
        let values = &self.known[i].values;
        i64::from(values[p]) - i64::from(values[0])
    }

    /// The difference between the wanted values at point `p` and at the first point, minus the terms `plain`.
    fn missing(&self, field: &Field, plain: &[Term], p: usize) -> i64 {
        let wanted = i64::from(field.wanted[p]) - i64::from(field.wanted[0]);
        plain.iter().fold(wanted, |d, (i, sign)| d - self.difference(*i, p) * sign)
    }

    /// Calls `keep` with two products for each pair of terms. Two points determine their factors.
    fn two_products(&self, field: &Field, plain: &[Term], keep: &mut dyn FnMut(&[Term])) {
        let has_newest = self.has_newest(plain);
        for a in self.others(plain) {
            for b in self.others(plain).filter(|b| *b > a) {
                if !has_newest && self.newest != Some(a) && self.newest != Some(b) {
                    continue;
                }
                let (x, y) =
                    (|p: usize| i128::from(self.difference(a, p)), |p: usize| i128::from(self.difference(b, p)));
                let p = self.known[a].other;
                let Some(q) = (1..field.len()).find(|&q| x(p) * y(q) != x(q) * y(p)) else { continue };
                let [m, n] = [p, q].map(|p| i128::from(self.missing(field, plain, p)));
                let determinant = x(p) * y(q) - x(q) * y(p);
                let c = wide_quotient(m * y(q) - n * y(p), determinant);
                let d = wide_quotient(x(p) * n - x(q) * m, determinant);
                if let (Some(c), Some(d)) = (c, d) {
                    keep(&[(a, c), (b, d)]);
                }
            }
        }
    }
}

/// The quotient `a / b` if it is an integer of 32 bits other than 0.
fn quotient(a: i64, b: i64) -> Option<i64> {
    a.checked_div(b).filter(|c| c * b == a && *c != 0 && i32::try_from(*c).is_ok())
}

/// [`quotient`] for larger numbers.
fn wide_quotient(a: i128, b: i128) -> Option<i64> {
    let c = a.checked_div(b).filter(|c| c * b == a && *c != 0)?;
    i32::try_from(c).ok().map(i64::from)
}

fn triples(of: &[usize]) -> impl Iterator<Item = [usize; 3]> + '_ {
    let pairs =
        move |i: usize| (i + 1..of.len()).flat_map(move |j| (j + 1..of.len()).map(move |k| [of[i], of[j], of[k]]));
    (0..of.len()).flat_map(pairs)
}

/// Integer factors for which the sum of the columns is `wanted`, all as differences to the first point. `None` unless
/// there is exactly one solution. The computation uses no fractions.
fn solved(columns: &[&[i32]], wanted: &[i128]) -> Option<Vec<i64>> {
    let n = columns.len();
    let mut rows: Vec<(usize, Vec<i128>)> = Vec::with_capacity(n);
    for (i, last) in wanted.iter().enumerate() {
        let left = columns.iter().map(|c| i128::from(c[i]) - i128::from(c[0]));
        let mut r: Vec<i128> = left.chain([*last]).collect();
        for (pivot, p) in &rows {
            let (f, g) = (r[*pivot], p[*pivot]);
            for (x, y) in r.iter_mut().zip(p) {
                *x = x.checked_mul(g)?.checked_sub(y.checked_mul(f)?)?;
            }
        }
        let common = r.iter().fold(0, |g, x| gcd(g, *x));
        match r[..n].iter().position(|x| *x != 0) {
            Some(pivot) => rows.push((pivot, r.iter().map(|x| x.div_euclid(common)).collect())),
            None if r[n] != 0 => return None,
            None => {}
        }
    }
    if rows.len() < n {
        return None;
    }
    let mut factors = vec![0_i64; n];
    for (pivot, r) in rows.iter().rev() {
        let known: i128 = (0..n).filter(|k| k != pivot).map(|k| r[k] * i128::from(factors[k])).sum();
        factors[*pivot] = wide_quotient(r[n] - known, r[*pivot])?;
    }
    Some(factors)
}
