//! The common error type of all fronts.

use crate::banks::BankError;
use crate::coalesce::CoalesceError;
use crate::dims::DimsError;
use crate::index_type::{CheckError, IndexError};
use crate::kernel::KernelError;
use crate::layout::{LayoutError, LayoutTextError};
use crate::view::ViewError;
use crate::view::chain::ChainError;
use miette::Diagnostic;
use quaff::domain::DomainError;
use quaff::expr::ParseError;
use quaff::lower::LowerError;
use quaff::rules::RuleErrors;
use quaff::{CompareError, SimplifyError};

/// The reason why a call of a front or of [`quaff`] fails. This one type covers the errors of all fronts and of
/// `quaff`, for callers that pass errors on.
///
/// Each front has a separate error type with only the errors that can occur in it. The `?` operator converts all of
/// these errors, and the errors of `quaff`, to this type. The message, the code, the help and the place in the input
/// come from the original error.
///
/// ```
/// use quaff_fronts::Error;
///
/// let wrong = "i +".parse::<quaff::expr::Expr>().map_err(Error::from);
/// assert!(matches!(wrong, Err(Error::Core(quaff::Error::Parse(_)))));
/// ```
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum Error {
    /// An error of the simplifier, or of the input to it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Core(#[from] quaff::Error),
    /// Sizes and equations without a solution, or without a solution in integers.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dims(#[from] DimsError),
    /// A kernel that cannot be written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Kernel(#[from] KernelError),
    /// A view that cannot be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    View(#[from] ViewError),
    /// Text that is not a chain of views.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Chain(#[from] ChainError),
    /// An index type that cannot be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    IndexType(#[from] IndexError),
    /// An expression that has no index type.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Check(#[from] CheckError),
    /// A question about shared-memory banks that has no answer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Bank(#[from] BankError),
    /// A layout that cannot be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Layout(#[from] LayoutError),
    /// Text that is not a layout.
    #[error(transparent)]
    #[diagnostic(transparent)]
    LayoutText(#[from] LayoutTextError),
    /// A question about coalescing that has no answer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Coalesce(#[from] CoalesceError),
}

/// Further errors of `quaff`, which `?` also converts. They become [`Error::Core`].
macro_rules! of_the_core {
    ($($error:ty),*) => { $(
        impl From<$error> for Error {
            fn from(e: $error) -> Error {
                Error::Core(e.into())
            }
        }
    )* };
}

of_the_core!(ParseError, DomainError, SimplifyError, LowerError, CompareError, RuleErrors);
