//! Answers under rules that are not shipped, compared with what was asked.

use super::error::SimplifyError;
use super::own_rules::WrongAnswer;
use super::settings::{Blame, Settings};
use crate::domain::Domain;
use crate::expr::{Expr, int};
use crate::quasi::{Options, Verdict, decide};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Points that are compared at most for one answer. With [`MAX_STEPS`] and [`MAX_EVALUATIONS`] it bounds a comparison to some tens of
/// milliseconds.
const MAX_POINTS: u64 = 1 << 18;
/// Steps of algebra that are taken at most for one answer.
const MAX_STEPS: u64 = 1 << 20;
/// Operators that are evaluated at most for one answer, at all points together.
const MAX_EVALUATIONS: u64 = 1 << 26;

/// Compares `after` with `before` in `domain`, where answers are compared.
///
/// # Errors
/// [`SimplifyError::WrongAnswer`] where they differ.
pub(crate) fn confirm(settings: &Settings, before: &Expr, after: &Expr, domain: &Domain) -> Result<(), SimplifyError> {
    if !settings.compares() {
        return Ok(());
    }
    let options = Options {
        max_points: MAX_POINTS,
        max_steps: MAX_STEPS,
        max_evaluations: MAX_EVALUATIONS,
        threads: NonZeroUsize::MIN,
        smt_timeout: Duration::ZERO,
        ..Options::default()
    };
    let Verdict::Differs { witness } = decide(before, after, domain, &options).verdict else { return Ok(()) };
    let blame = |blame: Blame| blame(settings, before, domain, witness.values(), &options);
    let culprits = settings.blame.map(blame).unwrap_or_default();
    let (before, after) = (before.clone(), after.clone());
    Err(SimplifyError::WrongAnswer(Box::new(WrongAnswer { before, after, witness, culprits })))
}

/// [`confirm`] that the truth of `condition` is `value` everywhere.
pub(super) fn confirm_truth(
    settings: &Settings,
    condition: &Expr,
    value: bool,
    domain: &Domain,
) -> Result<(), SimplifyError> {
    confirm(settings, &condition.differs(int(0)), &int(value.into()), domain)
}
