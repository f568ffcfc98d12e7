//! Finds common parts of several sums. The terms of a common part are added up only once.
//!
//! The input is the sums of a kernel, each priced by itself. The output is the cost that sharing common parts saves.
//! Common parts are built from pairs of terms, and the pair that saves the most is taken first. The result is an
//! estimate, because the least number of additions is hard to find.

use super::loop_nest::executed;
use super::{Cost, CostModel, Operation};
use rustc_hash::FxHashMap;

/// The maximum number of sums that are compared, and the maximum number of terms of each. Kernels have some tens of
/// sums with a few terms each.
const MAX_SUMS: usize = 96;
const MAX_TERMS: usize = 24;
/// The maximum number of pairs that are shared among sums that are computed equally often.
const MAX_SHARED: usize = 40;
/// The maximum number of pairs whose gain is computed in each step. These are the pairs that occur in most sums.
const MAX_COMPARED: usize = 12;

/// A sum: its terms with coefficients, its constant, and how often it is computed. A term is a number that identifies a
/// value.
pub(super) struct Addends {
    pub(super) times: u64,
    pub(super) terms: Vec<(u32, i128)>,
    pub(super) constant: i128,
}

/// A term with its coefficient.
type Term = (u32, i128);

/// The saving when `sums` share their common parts.
pub(super) fn saved(model: &dyn CostModel, sums: Vec<Addends>) -> Cost {
    let mut by_times: FxHashMap<u64, Vec<Vec<Term>>> = FxHashMap::default();
    for sum in sums.into_iter().filter(|s| s.terms.len() <= MAX_TERMS) {
        let same = by_times.entry(sum.times).or_default();
        let mut terms = sum.terms;
        if sum.constant != 0 {
            terms.push((Shared::CONSTANT, sum.constant));
        }
        terms.sort_unstable();
        if same.len() < MAX_SUMS {
            same.push(terms);
        }
    }
    let mut all: Vec<(u64, Vec<Vec<Term>>)> = by_times.into_iter().collect();
    all.sort_unstable_by_key(|(times, _)| *times);
    let of =
        |(times, sums): (u64, Vec<Vec<Term>>)| executed(Cost::from_tenths(Shared::new(model, sums).saved()), times);
    all.into_iter().map(of).fold(Cost::ZERO, |a, b| a + b)
}

/// The state while common parts of sums are found. All these sums are computed equally often.
struct Shared<'a> {
    model: &'a dyn CostModel,
    sums: Vec<Vec<Term>>,
    /// The price of all sums before anything is shared.
    before: u64,
    /// The number of the next common part.
    next: u32,
}

impl<'a> Shared<'a> {
    /// The number of the term that is the constant of a sum. Common parts are numbered downwards from this number.
    const CONSTANT: u32 = u32::MAX;

    fn new(model: &'a dyn CostModel, mut sums: Vec<Vec<Term>>) -> Shared<'a> {
        let mut shared = Shared { model, sums: Vec::new(), before: 0, next: Shared::CONSTANT - 1 };
        shared.before = shared.price_of_all(&sums);
        // equal sums are computed once
        sums.sort_unstable();
        sums.dedup();
        shared.sums = sums;
        shared
    }

    fn saved(mut self) -> u64 {
        let mut least = self.price_of_all(&self.sums);
        self.use_multiples();
        least = least.min(self.price_of_all(&self.sums));
        self.use_scaled_sums();
        least = least.min(self.price_of_all(&self.sums));
        for _ in 0..MAX_SHARED {
            let Some(pair) = self.best_pair() else { break };
            self.share(pair);
            least = least.min(self.price_of_all(&self.sums));
        }
        self.before.saturating_sub(least)
    }

    fn price_of_all(&self, sums: &[Vec<Term>]) -> u64 {
        sums.iter().map(|sum| self.price(sum)).sum()
    }

    fn price(&self, sum: &[Term]) -> u64 {
        let is_plain = |t: &&Term| t.0 == Shared::CONSTANT || matches!(t.1, 1 | -1);
        let plain = sum.iter().filter(is_plain).count();
        let negation = matches!(sum, [(t, -1)] if *t != Shared::CONSTANT);
        let [products, plain] = [sum.len() - plain, plain + usize::from(negation)];
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.model.price(&Operation::Sum { products: count(products), plain: count(plain), wide: false }).tenths()
    }

    /// Replaces products in sums by the products that are roots themselves, if that costs no more.
    fn use_multiples(&mut self) {
        let multiples: Vec<Term> = self.sums.iter().filter(|s| s.len() == 1).map(|s| s[0]).collect();
        for multiple in multiples.into_iter().filter(|m| !matches!(m.1, 1 | -1)) {
            let part = self.part();
            for i in 0..self.sums.len() {
                let sum = &self.sums[i];
                if sum.len() > 1 && sum.contains(&multiple) {
                    let with: Vec<Term> = replaced(sum, &[multiple], part);
                    if self.price(&with) <= self.price(sum) {
                        self.sums[i] = with;
                    }
                }
            }
        }
    }

    /// Replaces multiples of whole sums in other sums: `12*a + 4*b + c` uses the sum `3*a + b`.
    fn use_scaled_sums(&mut self) {
        let mut wholes: Vec<Vec<Term>> =
            self.sums.iter().map(|s| without_constant(s)).filter(|s| s.len() > 1).collect();
        wholes.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        wholes.dedup();
        for whole in wholes {
            let part = self.part();
            for i in 0..self.sums.len() {
                let Some(factor) = factor(&self.sums[i], &whole) else { continue };
                let rest = self.sums[i].iter().filter(|t| whole.iter().all(|w| w.0 != t.0)).copied();
                let mut with: Vec<Term> = rest.chain([(part, factor)]).collect();
                with.sort_unstable();
                if self.price(&with) < self.price(&self.sums[i]) {
                    self.sums[i] = with;
                }
            }
        }
    }

    /// The number of a new common part.
    fn part(&mut self) -> u32 {
        self.next -= 1;
        self.next + 1
    }

    /// The pair of terms with the greatest gain as a common part of several sums. `None` if every pair costs more.
    fn best_pair(&self) -> Option<[Term; 2]> {
        let mut counts: FxHashMap<[Term; 2], u32> = FxHashMap::default();
        for sum in &self.sums {
            for (i, a) in sum.iter().enumerate() {
                for b in &sum[i + 1..] {
                    *counts.entry([*a, *b]).or_default() += 1;
                }
            }
        }
        let mut pairs: Vec<([Term; 2], u32)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
        pairs.sort_unstable_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
        pairs.truncate(MAX_COMPARED);
        // if gains are equal, the first pair is chosen
        let worth = pairs.into_iter().map(|(pair, _)| (self.gain(&pair), pair)).filter(|(gain, _)| *gain >= 0);
        worth.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, pair)| pair)
    }

    /// The saving if all sums share `pair`. Negative if that costs more.
    fn gain(&self, pair: &[Term; 2]) -> i64 {
        let price = |sum: &[Term]| i64::try_from(self.price(sum)).unwrap_or(i64::MAX);
        let gains = self.sums.iter().filter(|sum| sum.len() > 2 && has(sum, pair));
        let gains = gains.map(|sum| price(sum) - price(&replaced(sum, pair, self.next)));
        let is_there = self.sums.iter().any(|sum| sum[..] == *pair);
        gains.sum::<i64>() - if is_there { 0 } else { price(pair) }
    }

    fn share(&mut self, pair: [Term; 2]) {
        let part = self.part();
        for sum in self.sums.iter_mut().filter(|sum| sum.len() > 2 && has(sum, &pair)) {
            *sum = replaced(sum, &pair, part);
        }
        if !self.sums.iter().any(|sum| sum[..] == pair) {
            self.sums.push(pair.to_vec());
        }
    }
}

fn without_constant(sum: &[Term]) -> Vec<Term> {
    sum.iter().filter(|t| t.0 != Shared::CONSTANT).copied().collect()
}

/// The factor by which `sum` contains a multiple of `part`. `None` if it is 1 or -1.
fn factor(sum: &[Term], part: &[Term]) -> Option<i128> {
    let (&(first, own), rest) = part.split_first()?;
    let coefficient = |term: u32| sum.iter().find(|t| t.0 == term).map(|t| t.1);
    let factor = exact_quotient(coefficient(first)?, own).filter(|f| !matches!(f, 1 | -1))?;
    rest.iter().all(|&(term, c)| coefficient(term) == c.checked_mul(factor)).then_some(factor)
}

/// The quotient `a / b`, if `b` divides `a`.
fn exact_quotient(a: i128, b: i128) -> Option<i128> {
    let quotient = a.checked_div(b)?;
    (quotient.checked_mul(b)? == a).then_some(quotient)
}

fn has(sum: &[Term], terms: &[Term]) -> bool {
    terms.iter().all(|t| sum.contains(t))
}

/// `sum` with `part` in place of `terms`.
fn replaced(sum: &[Term], terms: &[Term], part: u32) -> Vec<Term> {
    let mut with: Vec<Term> = sum.iter().filter(|t| !terms.contains(t)).copied().chain([(part, 1)]).collect();
    with.sort_unstable();
    with
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Gpu;

    fn saved_tenths(sums: &[(u64, &[Term], i128)]) -> u64 {
        let sums = sums.iter().map(|(times, terms, constant)| Addends {
            times: *times,
            terms: terms.to_vec(),
            constant: *constant,
        });
        saved(&Gpu, sums.collect()).tenths()
    }

    #[test]
    fn equal_sums_are_one() {
        assert_eq!(saved_tenths(&[(1, &[(0, 3), (1, 1)], 0), (1, &[(1, 1), (0, 3)], 0)]), 10);
        // the second sum adds a constant to the first
        assert_eq!(saved_tenths(&[(1, &[(0, 3), (1, 1)], 0), (1, &[(1, 1), (0, 3)], 5)]), 10);
    }

    #[test]
    fn multiples_of_sums_are_products() {
        // 3*a + b and 12*a + 4*b + c
        assert_eq!(saved_tenths(&[(1, &[(0, 3), (1, 1)], 0), (1, &[(0, 12), (1, 4), (2, 1)], 0)]), 10);
        assert_eq!(saved_tenths(&[(1, &[(0, 3), (1, 1)], -7), (1, &[(0, -12), (1, -4), (2, 1)], 0)]), 10);
        // the factors differ
        assert_eq!(saved_tenths(&[(1, &[(0, 3), (1, 1)], 0), (1, &[(0, 12), (1, 5), (2, 1)], 0)]), 0);
    }

    #[test]
    fn common_terms_are_added_once() {
        // both sums contain 3*a + b
        assert_eq!(saved_tenths(&[(1, &[(0, 3), (1, 1)], 0), (1, &[(0, 3), (1, 1), (2, 7), (3, 9)], 0)]), 10);
        // three sums contain 3*a + 5*b + 7*c
        let sums: [&[Term]; 3] =
            [&[(0, 3), (1, 5), (2, 7), (3, 9)], &[(0, 3), (1, 5), (2, 7), (4, 9)], &[(0, 3), (1, 5), (2, 7), (5, 9)]];
        assert_eq!(saved_tenths(&sums.map(|s| (1, s, 0))), 60);
        assert_eq!(saved_tenths(&sums.map(|s| (4, s, 0))), 240);
    }

    #[test]
    fn nothing_is_shared_by_sums_of_different_loops() {
        assert_eq!(saved_tenths(&[(1, &[(0, 3), (1, 5)], 0), (8, &[(0, 3), (1, 5), (2, 7)], 0)]), 0);
    }

    #[test]
    fn multiples_are_there_for_sums() {
        assert_eq!(saved_tenths(&[(1, &[(0, 3)], 0), (1, &[(0, 3), (1, 5)], 0)]), 10);
        assert_eq!(saved_tenths(&[(1, &[(0, 3)], 0), (1, &[(0, 3), (1, 1)], 0)]), 0);
    }
}
