//! A single error type for all steps, from the parsed text of an expression to the printed text of its answer.

use crate::domain::DomainError;
use crate::expr::ParseError;
use crate::lower::LowerError;
use crate::rules::RuleErrors;
use crate::simplify::{CompareError, SimplifyError};
use miette::Diagnostic;

/// The reason why there is no answer, or no text. This type wraps the errors of all steps, for callers that pass them
/// on.
///
/// Each step, such as parsing or simplification, has its own error type. `?` converts each of these types to this one.
/// The message, code, help and place in the input are those of the wrapped error.
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
    /// A text cannot be parsed as an expression.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Parse(#[from] ParseError),
    /// The facts about variables cannot all be true, or a text cannot be parsed as a domain.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Domain(#[from] DomainError),
    /// An expression cannot be simplified over its domain.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
    /// An expression cannot be lowered to machine instructions or printed as text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// An answer cannot be compared with its input in machine integers.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Compare(#[from] CompareError),
    /// A text cannot be read as a set of rules.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Rules(#[from] RuleErrors),
}
