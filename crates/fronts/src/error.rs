//! One error above those of the fronts.

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

/// Why there is no answer, or no text: the errors of all fronts, and those of [`quaff`], as one type, for callers that pass them on.
///
/// Each front has an error type of its own that says no more than can go wrong there. All of them convert to this one by `?`, and
/// so do those of `quaff`; message, code, help and place in the input stay those of the front.
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
    /// What went wrong in the simplifier, or before it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Core(#[from] quaff::Error),
    /// Sizes and equations that have no solution, or none that is whole.
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
    /// Text that is no chain of views.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Chain(#[from] ChainError),
    /// An index type that cannot be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    IndexType(#[from] IndexError),
    /// An expression without an index type.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Check(#[from] CheckError),
    /// A question about shared-memory banks without an answer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Bank(#[from] BankError),
    /// A layout that cannot be made.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Layout(#[from] LayoutError),
    /// Text that is no layout.
    #[error(transparent)]
    #[diagnostic(transparent)]
    LayoutText(#[from] LayoutTextError),
    /// A question about coalescing without an answer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Coalesce(#[from] CoalesceError),
}

/// Errors of single steps of the core, so that `?` takes them too.
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
