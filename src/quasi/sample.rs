//! Points at corners, near them, and at random: they can find a difference, never prove that there is none.

use super::question::{Checker, Question};
use crate::domain::{Random, sample};

/// The first of `samples` points at which the expressions differ.
pub(super) fn search(question: &Question, checker: &Checker<'_>, samples: u32, seed: u64) -> Option<Vec<i64>> {
    let mut random = Random::new(seed);
    let mut point = vec![0; question.axes.len()];
    for round in 0..samples {
        for (t, axis) in point.iter_mut().zip(&question.axes) {
            *t = match round {
                0 => sample(axis.range, 0, &mut random),
                1 => sample(axis.range, 1, &mut random),
                _ => {
                    let kind = random.below(8);
                    sample(axis.range, kind, &mut random)
                }
            };
        }
        if checker.witness(&point).is_some() {
            return Some(point);
        }
    }
    None
}
