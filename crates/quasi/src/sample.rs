//! Compares expressions at corners, near corners, and at random points. Samples can find a difference, but cannot prove
//! that there is none.

use super::question::{Checker, Question};
use quaff_expr::domain::{Random, sample};

/// The most operators that are evaluated. This limit reduces the number of points for large expressions, but never
/// below `LEAST_SAMPLES`.
const MAX_EVALUATIONS: u64 = 1 << 26;
/// The number of points that are always tried, even for the largest expressions. They include the corner of all lower
/// ends and the corner of all upper ends.
const LEAST_SAMPLES: u64 = 8;

/// The first of `samples` points at which the expressions differ, and the number of evaluated operators.
pub(super) fn search(question: &Question, checker: &Checker<'_>, samples: u32, seed: u64) -> (Option<Vec<i64>>, u64) {
    let mut random = Random::new(seed);
    let mut point = vec![0; question.axes.len()];
    let affordable = MAX_EVALUATIONS.div_euclid(checker.operators().max(1)).max(LEAST_SAMPLES);
    let mut evaluations: u64 = 0;
    for round in 0..u64::from(samples).min(affordable) {
        evaluations = evaluations.saturating_add(checker.operators());
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
            return (Some(point), evaluations);
        }
    }
    (None, evaluations)
}
