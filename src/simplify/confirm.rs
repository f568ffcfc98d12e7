//! Compares the answer with the input, if rules of the caller may have led to the answer.

use super::error::SimplifyError;
use super::own_rules::WrongAnswer;
use super::settings::{Blame, Settings};
use crate::domain::Domain;
use crate::expr::{Expr, int};
use crate::quasi::{Options, Verdict, decide};
use std::num::NonZeroUsize;
use std::time::Duration;

/// The maximum number of points that are compared for one answer. [`MAX_STEPS`] and [`MAX_EVALUATIONS`] are further
/// limits. Together they bound a comparison to some tens of milliseconds.
const MAX_POINTS: u64 = 1 << 18;
/// The maximum number of steps of algebra for one answer.
const MAX_STEPS: u64 = 1 << 20;
/// The maximum number of operators that are evaluated for one answer, at all points together.
const MAX_EVALUATIONS: u64 = 1 << 26;

/// Compares `after` with `before` in `domain`, if the settings require it.
///
/// # Errors
/// [`SimplifyError::WrongAnswer`] if the values of `before` and `after` are found to differ.
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

/// Compares the truth of `condition` with `value` by [`confirm`].
pub(super) fn confirm_truth(
    settings: &Settings,
    condition: &Expr,
    value: bool,
    domain: &Domain,
) -> Result<(), SimplifyError> {
    confirm(settings, &condition.differs(int(0)), &int(value.into()), domain)
}
