//! One error above those of the single steps.

use crate::domain::DomainError;
use crate::expr::ParseError;
use crate::lower::LowerError;
use crate::rules::RuleErrors;
use crate::simplify::{CompareError, SimplifyError};
use miette::Diagnostic;

/// Why there is no answer, or no text: the errors of all steps from text to text as one type, for callers that pass them on.
///
/// Each step has an error type of its own that says no more than can go wrong there. All of them convert to this one by `?`; message,
/// code, help and place in the input stay those of the step.
///
/// ```
/// use quaff::{Error, Simplifier, domain::Domain};
///
/// fn cuda(expr: &str, domain: &str) -> Result<String, Error> {
///     let domain: Domain = domain.parse()?;
///     let answer = Simplifier::default().simplify(&expr.parse()?, &domain)?;
///     Ok(answer.cuda()?.to_string())
/// }
///
/// assert_eq!(cuda("(i*16 + j)//16", "i=0..99, j=0..15")?.trim(), "return i;");
/// assert!(matches!(cuda("i//j", "i=0..9, j=0..9"), Err(Error::Simplify(_))));
/// assert!(matches!(cuda("i*k", "i=0.., k=0.."), Err(Error::Lower(_))));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum Error {
    /// Text that is no expression.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Parse(#[from] ParseError),
    /// Facts about variables that cannot all be true, or text that declares none.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Domain(#[from] DomainError),
    /// An expression that cannot be simplified over its domain.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
    /// An expression without machine text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// An answer that cannot be compared as machines compute it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Compare(#[from] CompareError),
    /// Text that holds no rules.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rules(#[from] RuleErrors),
}
