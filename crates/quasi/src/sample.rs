//! Compares expressions at corners, near them, and at random points. That can find a difference, and never proves
//! that there is none.

use super::question::{Checker, Question};
use quaff_expr::domain::{Random, sample};

/// Operators that are evaluated at most, unless that were no points at all: of large expressions fewer points are tried.
const MAX_EVALUATIONS: u64 = 1 << 26;
/// Points that are tried whatever they take, among them both corners.
const LEAST_SAMPLES: u64 = 8;

/// The first of `samples` points at which the expressions differ; and how many operators were evaluated.
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
