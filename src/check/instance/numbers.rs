//! Instances with the numbers that a rule's own text names, their neighbours, and large ones.
//!
//! A rule may be right for all constants of the grid and wrong from a number on, or for the numbers with some remainder. What such a
//! rule computes with, or compares with, is in its text.

use super::Generator;
use crate::rules::read::Datum;

/// Numbers beyond the grid: primes, and those near powers of two.
const LARGE: [i64; 14] =
    [97, 255, 257, 641, 1000, 1023, 4096, 9973, 65_537, 100_003, 1 << 20, 1_000_003, (1 << 31) - 1, 1 << 32];
/// Larger numbers of a rule's text are left out: multiples of those taken stay within 64 bits.
const LARGEST: i64 = 1 << 40;
/// In percent, how often a constant and a range are chosen so.
const CONSTANTS: usize = 80;
const RANGES: usize = 25;

impl Generator<'_> {
    /// Takes the numbers in `rule`, without -1, 0 and 1, with their neighbours, multiples and opposites; and about as many large ones.
    pub(super) fn choose_by(&mut self, rule: &[Datum]) {
        let mut own = Vec::new();
        rule.iter().for_each(|d| collect(d, &mut own));
        own.sort_unstable();
        own.dedup();
        let near = own.into_iter().flat_map(|n| [n, n - 1, n + 1, 2 * n, -n]);
        self.numbers = near.filter(|n| !(-1..=1).contains(n)).collect();
        let large = LARGE.into_iter().cycle().take(self.numbers.len().max(LARGE.len()));
        self.numbers.extend(large);
    }

    /// One of the numbers, where they are asked about.
    pub(super) fn own_number(&mut self) -> Option<i64> {
        (!self.numbers.is_empty() && self.random.chance(CONSTANTS)).then(|| self.random.pick(&self.numbers))
    }

    /// The ends of a short range around one of the numbers, or of all numbers up to it.
    pub(super) fn range_by_number(&mut self) -> Option<(i64, i64)> {
        if self.numbers.is_empty() || !self.random.chance(RANGES) {
            return None;
        }
        let n = self.random.pick(&self.numbers);
        Some(if self.irregular || self.random.chance(50) { (n - 2, n + 1) } else { (0, n.abs()) })
    }
}

fn collect(d: &Datum, numbers: &mut Vec<i64>) {
    match d {
        Datum::Text(..) => {}
        Datum::Word(_, w) => numbers.extend(w.parse().ok().filter(|n| (-LARGEST..=LARGEST).contains(n))),
        Datum::List(_, items) => items.iter().for_each(|d| collect(d, numbers)),
    }
}
