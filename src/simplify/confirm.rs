//! Answers under rules that are not shipped, compared with what was asked.

use super::error::SimplifyError;
use super::own_rules::WrongAnswer;
use super::simplifier::Simplifier;
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

impl Simplifier {
    /// Takes rules that are not shipped for right.
    ///
    /// Without this, each answer under such rules is compared with its question, by the procedure of [`quasi`](crate::quasi) and within
    /// fixed limits; an answer that is wrong is an [error](SimplifyError::WrongAnswer) that names the rule. An answer that cannot be
    /// compared within the limits is given. Answers under shipped rules alone, all or some of them, are never compared.
    ///
    /// ```
    /// use quaff::rules::RuleSet;
    /// use quaff::{Simplifier, SimplifyError, domain::Domain, expr::Expr};
    ///
    /// let wrong = RuleSet::parse("mine.rules", r#"(rule halves "wrong" (match (// ?x 2)) (yield ?x))"#)?;
    /// let simplifier = Simplifier::default().with_rules(RuleSet::shipped().clone().and(wrong));
    /// let (question, domain): (Expr, _) = ("x//2".parse()?, Domain::new().with("x", 0..100));
    ///
    /// let Err(SimplifyError::WrongAnswer(wrong)) = simplifier.simplify(&question, &domain) else { panic!() };
    /// assert_eq!(wrong.culprits[0].rule, "halves");
    /// assert!(simplifier.trusting_rules().simplify(&question, &domain).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trusting_rules(mut self) -> Simplifier {
        self.trusts_rules = true;
        self
    }

    /// Whether answers are compared with their questions.
    pub(crate) fn compares(&self) -> bool {
        self.own.is_some() && !self.trusts_rules
    }

    /// Compares `after` with `before` in `domain`, where answers are compared.
    ///
    /// # Errors
    /// [`SimplifyError::WrongAnswer`] where they differ.
    pub(crate) fn confirm(&self, before: &Expr, after: &Expr, domain: &Domain) -> Result<(), SimplifyError> {
        if !self.compares() {
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
        let culprits = self.culprits(before, domain, witness.values(), &options);
        let (before, after) = (before.clone(), after.clone());
        Err(SimplifyError::WrongAnswer(Box::new(WrongAnswer { before, after, witness, culprits })))
    }

    /// [`confirm`](Self::confirm) that the truth of `condition` is `value` everywhere.
    pub(super) fn confirm_truth(&self, condition: &Expr, value: bool, domain: &Domain) -> Result<(), SimplifyError> {
        self.confirm(&condition.differs(int(0)), &int(value.into()), domain)
    }
}
