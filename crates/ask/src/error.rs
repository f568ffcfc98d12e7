use quaff::SimplifyError;
use quaff::domain::DomainError;
use std::sync::Arc;

/// Why a question has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The domain contradicts itself, or says nothing that can be used.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// An expression has no value, or is too long.
    #[error(transparent)]
    Simplify(#[from] SimplifyError),
    /// A lane variable whose range does not begin at 0 or has no end that is a number.
    #[error("the range of the lane `{name}` is {range}, and it must begin at 0 and have an end")]
    Lane {
        /// The variable.
        name: Arc<str>,
        /// Its range.
        range: String,
    },
    /// A variable in two sets.
    #[error("`{name}` is in two sets")]
    Twice {
        /// The variable.
        name: Arc<str>,
    },
    /// Another number of extents than of outputs.
    #[error("{outputs} outputs, but {extents} extents")]
    Extents {
        /// The outputs.
        outputs: usize,
        /// The extents.
        extents: usize,
    },
    /// A variable that the domain does not have.
    #[error("the domain has no variable `{name}`")]
    Unknown {
        /// The variable.
        name: Arc<str>,
    },
}
