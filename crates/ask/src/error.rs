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
    /// A name that is given twice: in two sets, as two axes, or as two outputs.
    #[error("`{name}` is given twice")]
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
    /// A lane or axis whose values have a step.
    #[error("the values of `{name}` are {step} apart, and it must take all values from 0 on")]
    Step {
        /// The variable.
        name: Arc<str>,
        /// The distance of its values.
        step: i64,
    },
    /// Vectors of a length that does not divide the number of lanes.
    #[error("{count} lanes do not come apart into vectors of {width}")]
    Width {
        /// The length.
        width: i64,
        /// The lanes.
        count: i64,
    },
    /// A name for an output that a variable has.
    #[error("an output cannot be called `{name}`: a variable has the name")]
    Taken {
        /// The name.
        name: Arc<str>,
    },
    /// An output without places.
    #[error("an output has {extent} places, and there must be 1")]
    Empty {
        /// The number of its places.
        extent: i64,
    },
    /// A variable that the domain does not have.
    #[error("the domain has no variable `{name}`")]
    Unknown {
        /// The variable.
        name: Arc<str>,
    },
}

impl AskError {
    /// Whether there is no answer because the domain has no point, which a caller may take for one.
    ///
    /// ```
    /// use quaff::Simplifier;
    /// use quaff_ask::lanes;
    ///
    /// let domain = "t=0..31, n=0..9, assume n > 20".parse()?;
    /// let error = lanes(&Simplifier::default(), &["t + n".parse()?], "t", &domain).unwrap_err();
    /// assert!(error.is_empty_domain());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty_domain(&self) -> bool {
        match self {
            AskError::Domain(error) => error.is_empty(),
            AskError::Simplify(error) => error.is_empty_domain(),
            _ => false,
        }
    }
}
