//! The measured times of a rule set and of the base rule set, in pairs of calls. The module computes quartiles, and an
//! interval of the difference.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// The number of samples of the bootstrap, which estimates the interval of the difference.
const SAMPLES: usize = 1_000;
/// The fraction of the samples on each side of the 99 % interval.
const TAIL: f64 = 0.005;
/// The seed of the bootstrap. It is fixed, so a report always has the same interval.
const SEED: u64 = 0x9e37_79b9;

/// The nanoseconds of a call with the base, and of the same call with the rule set that is compared.
pub(super) type Pair = [u64; 2];

/// The times of all calls with the base and with a rule set, in pairs. The two calls of a pair follow one another
/// directly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// The times of all cases together, for each round.
    rounds: Vec<Pair>,
    /// The median times over all rounds, for each case.
    cases: Vec<Pair>,
}

/// The median and the quartiles of the total times of the rounds, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Quartiles {
    /// The first quartile.
    pub first: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub third: f64,
}

/// The additional time of a rule set compared with the base, in milliseconds. For each case, the median of the base is
/// subtracted from the median of the rule set. The sum over all cases is the difference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The sum of the differences.
    pub ms: f64,
    /// The lower end of the 99 % interval of the sum, by a paired bootstrap over the cases.
    pub low: f64,
    /// The upper end of the 99 % interval.
    pub high: f64,
}

impl Difference {
    /// Whether the interval contains 0, so that the measurement does not show which rule set is faster.
    pub fn is_noise(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

fn plus(a: Pair, b: Pair) -> Pair {
    [a[0].saturating_add(b[0]), a[1].saturating_add(b[1])]
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

impl Times {
    /// The times of `cases`, each of which has one pair for each round.
    pub(super) fn of(cases: &[Vec<Pair>]) -> Times {
        let rounds = cases.first().map_or(0, Vec::len);
        let round = |r: usize| cases.iter().fold([0, 0], |sum, case| plus(sum, case[r]));
        let of = |case: &Vec<Pair>, which: usize| median(case.iter().map(|pair| pair[which]).collect());
        Times {
            rounds: (0..rounds).map(round).collect(),
            cases: cases.iter().map(|case| [of(case, 0), of(case, 1)]).collect(),
        }
    }

    /// The times of the rule set.
    pub fn own(&self) -> Quartiles {
        self.quartiles(1)
    }

    /// The times of the base, in the same rounds.
    pub fn base(&self) -> Quartiles {
        self.quartiles(0)
    }

    /// The difference between the times of the rule set and of the base, with its interval. Computing it takes a
    /// thousand sums over the cases.
    pub fn difference(&self) -> Difference {
        let each: Vec<f64> = self.cases.iter().map(|[base, own]| (*own as f64 - *base as f64) / 1e6).collect();
        let mut rng = Rng::with_seed(SEED);
        let mut sample = || (0..each.len()).map(|_| each[rng.usize(..each.len())]).sum();
        let mut sums: Vec<f64> = (0..SAMPLES).map(|_| sample()).collect();
        sums.sort_by(f64::total_cmp);
        let tail = (SAMPLES as f64 * TAIL) as usize;
        Difference { ms: each.iter().sum(), low: sums[tail], high: sums[SAMPLES - 1 - tail] }
    }

    /// Whether the times are of `cases` cases.
    pub(super) fn is_of(&self, cases: usize) -> bool {
        self.cases.len() == cases
    }

    /// Adds the cases of another corpus, round by round.
    pub(super) fn add(&mut self, other: &Times) {
        self.rounds.resize(self.rounds.len().max(other.rounds.len()), [0, 0]);
        self.rounds.iter_mut().zip(&other.rounds).for_each(|(sum, round)| *sum = plus(*sum, *round));
        self.cases.extend(&other.cases);
    }

    fn quartiles(&self, which: usize) -> Quartiles {
        let mut ms: Vec<f64> = self.rounds.iter().map(|pair| pair[which] as f64 / 1e6).collect();
        ms.sort_by(f64::total_cmp);
        Quartiles { first: quantile(&ms, 0.25), median: quantile(&ms, 0.5), third: quantile(&ms, 0.75) }
    }
}

/// The quantile of the `sorted` values for the fraction `part`, with linear interpolation. It is 0 if there are no
/// values.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = last as f64 * part;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of `cases` cases with noise. The second time of each pair is longer by `more` nanoseconds.
    fn times(cases: usize, more: u64) -> Times {
        let mut rng = Rng::with_seed(1);
        let mut case = || [100_000 + rng.u64(..20_000), 100_000 + more + rng.u64(..20_000)];
        let cases: Vec<Pair> = (0..cases).map(|_| case()).collect();
        let sum = cases.iter().fold([0, 0], |sum, pair| plus(sum, *pair));
        Times { rounds: vec![sum, plus(sum, [1_000_000, 0]), plus(sum, [3_000_000, 2_000_000])], cases }
    }

    #[test]
    fn quantiles_are_interpolated() {
        assert_eq!([0.0, 0.25, 0.5, 1.0].map(|part| quantile(&[1.0, 3.0, 5.0, 6.0], part)), [1.0, 2.5, 4.0, 6.0]);
        assert_eq!((quantile(&[], 0.5), median(vec![7, 1, 3])), (0.0, 3));
    }

    #[test]
    fn a_difference_beyond_the_noise_is_seen_and_none_is_made_of_noise() {
        let (same, slower) = (times(400, 0).difference(), times(400, 5_000).difference());
        assert!(same.is_noise(), "{same:?}");
        assert!(!slower.is_noise() && (1.5..2.5).contains(&slower.ms), "{slower:?}");
        assert!(slower.low < slower.ms && slower.ms < slower.high);
        assert_eq!(slower, times(400, 5_000).difference());
        assert!(Times::default().difference().is_noise());
    }

    #[test]
    fn rounds_of_corpora_are_added() {
        let mut sum = times(3, 0);
        sum.add(&times(5, 0));
        assert!(sum.is_of(8));
        let [one, both] = [times(3, 0).own(), sum.own()];
        assert!(both.median > one.median && both.first <= both.median && both.median <= both.third);
    }
}
