//! Points at corners, near them, and at random: they can find a difference, never prove that there is none.

use super::question::{Checker, Question};
use crate::domain::{Interval, floor_mod};

/// How far from an end, or from 0 where there is none, the values beyond all others lie.
const WINDOW: i128 = 1 << 33;

/// Small deterministic generator (xorshift64*): the same points for the same seed on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: i128) -> i128 {
        floor_mod(i128::from(self.next() >> 1), n.max(1))
    }
}

/// The first of `samples` points at which the expressions differ.
pub(super) fn search(question: &Question, checker: &Checker<'_>, samples: u32, seed: u64) -> Option<Vec<i64>> {
    let mut random = Random(seed | 1);
    let mut point = vec![0; question.axes.len()];
    for round in 0..samples {
        for (t, axis) in point.iter_mut().zip(&question.axes) {
            *t = match round {
                0 => value(axis.range, 0, &mut random),
                1 => value(axis.range, 1, &mut random),
                _ => {
                    let kind = random.below(8);
                    value(axis.range, kind, &mut random)
                }
            };
        }
        if checker.witness(&point).is_some() {
            return Some(point);
        }
    }
    None
}

/// A value in `range`: an end, a value near an end or near 0, or any.
fn value(range: Interval, kind: i128, random: &mut Random) -> i64 {
    let (lo, hi) = match (range.lo().map(i128::from), range.hi().map(i128::from)) {
        (Some(lo), Some(hi)) => (lo, hi),
        (Some(lo), None) => (lo, lo + WINDOW),
        (None, Some(hi)) => (hi - WINDOW, hi),
        (None, None) => (-WINDOW, WINDOW),
    };
    let value = match kind {
        0 => lo,
        1 => hi,
        2 => lo + random.below(65),
        3 => hi - random.below(65),
        4 => random.below(65) - 32,
        _ => lo + random.below(hi - lo + 1),
    };
    // the windows of open ends may leave 64 bits
    value.clamp(lo, hi).clamp(i64::MIN.into(), i64::MAX.into()) as i64
}
