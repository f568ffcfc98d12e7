//! Why a call has no answer.

use super::own_rules::WrongAnswer;
use crate::domain::{DomainError, Interval};
use crate::egraph::ingest::expressions::Refused;
use crate::expr::Expr;

/// Why there is no answer. Every variant that concerns a part of the input carries that part, the very node given.
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
    #[error("the divisor `{divisor}` can be 0: its range is {range}")]
    #[diagnostic(code(quaff::zero_divisor), help("give its variables ranges that leave 0 out"))]
    DivisorMayBeZero {
        /// The divisor.
        divisor: Expr,
        /// What it can be.
        range: Interval,
    },
    /// A shift by something that may lie outside of 0..=126.
    #[error("the shift count `{count}` must lie in 0..126: its range is {range}")]
    #[diagnostic(code(quaff::shift))]
    ShiftOutOfRange {
        /// The shift count.
        count: Expr,
        /// What it can be.
        range: Interval,
    },
    /// Sums share so many terms that their normal forms would fill the memory. [`Simplifier::simplify`](crate::Simplifier::simplify) answers such
    /// expressions as they are; what shows an e-graph cannot.
    #[error("sums that share terms have too many of them for an e-graph")]
    #[diagnostic(code(quaff::too_many_terms))]
    TooManyTerms,
    /// Under rules that are not shipped an answer was found that is wrong.
    #[error("{0}")]
    #[diagnostic(code(quaff::wrong_answer), help("`quaff rules check DIR` tries the rules of a folder"))]
    WrongAnswer(Box<WrongAnswer>),
}

impl SimplifyError {
    /// Whether there is no answer because the domain has no point, which a caller may take for one.
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

    /// The part of the input that the error is about; look up its place with
    /// [`Parsed::span_of`](crate::expr::Parsed::span_of).
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
