//! Instances with the numbers in a rule's text, their neighbours, and large numbers.
//!
//! Plain instances take their constants from a fixed list of small numbers, the grid. A rule may be correct for all
//! numbers of the grid but wrong above some limit, or for numbers with some remainder. The text of such a rule usually
//! contains this limit or divisor, because the rule computes or compares with it.

use super::Generator;
use crate::rules::read::Datum;

/// Numbers beyond the grid: primes, and numbers near powers of two.
const LARGE: [i64; 14] =
    [97, 255, 257, 641, 1000, 1023, 4096, 9973, 65_537, 100_003, 1 << 20, 1_000_003, (1 << 31) - 1, 1 << 32];
/// The largest number that is taken from a rule's text. Multiples of the numbers then stay within 64 bits.
const LARGEST: i64 = 1 << 40;
/// How often a constant or a range is chosen from these numbers, in percent.
const CONSTANTS: usize = 80;
const RANGES: usize = 25;

impl Generator<'_> {
    /// Chooses from now on among the numbers in `rule`, without -1, 0 and 1, and their neighbours, multiples and
    /// negations. The generator also gets about as many large numbers.
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

    /// A random one of these numbers. `None` if the generator does not use them.
    pub(super) fn own_number(&mut self) -> Option<i64> {
        (!self.numbers.is_empty() && self.random.chance(CONSTANTS)).then(|| self.random.pick(&self.numbers))
    }

    /// The ends of a short range around one of these numbers, or of the range up to it.
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
