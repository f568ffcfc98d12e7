//! The errors of a call.

use super::own_rules::WrongAnswer;
use crate::domain::{DomainError, Interval};
use crate::egraph::ingest::expressions::Refused;
use crate::expr::Expr;

/// The reason why there is no answer. Every variant that concerns a part of the input contains that part, as the same
/// node.
#[derive(Clone, Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum SimplifyError {
    /// The domain contradicts itself.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Domain(#[from] DomainError),
    /// A variable without declaration.
    #[error("the variable `{0}` is not declared")]
    #[diagnostic(code(quaff::unknown_variable), help("declare its range; `..` when nothing is known of it"))]
    UnknownVariable(Expr),
    /// A divisor whose range contains 0.
    #[error("{}", zero_divisor(divisor, *range))]
    #[diagnostic(code(quaff::zero_divisor), help("{}", other_divisor(divisor)))]
    DivisorMayBeZero {
        /// The divisor.
        divisor: Expr,
        /// The range of the divisor.
        range: Interval,
    },
    /// A shift by a count that may be outside of 0..=126.
    #[error("the shift count `{count}` must lie in 0..126: its range is {range}")]
    #[diagnostic(code(quaff::shift))]
    ShiftOutOfRange {
        /// The shift count.
        count: Expr,
        /// The range of the shift count.
        range: Interval,
    },
    /// Sums share so many terms that their normal forms would fill the memory.
    /// [`Simplifier::simplify`](crate::Simplifier::simplify) returns such expressions unchanged. Functions that show an
    /// e-graph return this error.
    #[error("sums that share terms have too many of them for an e-graph")]
    #[diagnostic(code(quaff::too_many_terms))]
    TooManyTerms,
    /// Rules that are not shipped led to a wrong answer.
    #[error("{0}")]
    #[diagnostic(code(quaff::wrong_answer), help("`quaff rules check DIR` tries the rules of a folder"))]
    WrongAnswer(Box<WrongAnswer>),
}

impl SimplifyError {
    /// Whether there is no answer because the domain has no point. A caller may treat this case as an answer.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let domain: Domain = "x=0..9, assume x > 20".parse()?;
    /// let error = Simplifier::default().facts(&domain).bounds(&"x*2".parse()?).unwrap_err();
    /// assert!(error.is_empty_domain());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty_domain(&self) -> bool {
        matches!(self, SimplifyError::Domain(error) if error.is_empty())
    }

    /// The part of the input that the error is about. [`Parsed::span_of`](crate::expr::Parsed::span_of) finds its place
    /// in the text.
    pub fn culprit(&self) -> Option<&Expr> {
        match self {
            SimplifyError::Domain(_) | SimplifyError::TooManyTerms | SimplifyError::WrongAnswer(_) => None,
            SimplifyError::UnknownVariable(e) => Some(e),
            SimplifyError::DivisorMayBeZero { divisor, .. } => Some(divisor),
            SimplifyError::ShiftOutOfRange { count, .. } => Some(count),
        }
    }
}

impl From<Refused> for SimplifyError {
    fn from(r: Refused) -> SimplifyError {
        match r {
            Refused::UnknownVariable(e) => SimplifyError::UnknownVariable(e),
            Refused::DivisorMayBeZero(divisor, range) => SimplifyError::DivisorMayBeZero { divisor, range },
            Refused::ShiftOutOfRange(count, range) => SimplifyError::ShiftOutOfRange { count, range },
            Refused::TooManyTerms => SimplifyError::TooManyTerms,
        }
    }
}

fn zero_divisor(divisor: &Expr, range: Interval) -> String {
    match divisor.as_const() {
        Some(_) => "the divisor is 0".into(),
        None => format!("the divisor `{divisor}` can be 0: its range is {range}"),
    }
}

fn other_divisor(divisor: &Expr) -> String {
    match divisor.as_const() {
        Some(_) => "a quotient by 0 has no value: write another divisor".into(),
        None => format!("give its variables ranges that leave 0 out, or assume `{divisor} != 0`"),
    }
}
