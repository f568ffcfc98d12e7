use quaff::SimplifyError;
use quaff::domain::DomainError;
use std::sync::Arc;

/// The reason why a question has no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The facts of the domain contradict each other, or the domain has another error.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The simplifier refuses an expression, because it may have no value or is too long.
    #[error(transparent)]
    Simplify(#[from] SimplifyError),
    /// The range of a lane variable or axis does not begin at 0, or its end is not a number.
    #[error("the range of the lane `{name}` is {range}, and it must begin at 0 and have an end")]
    Lane {
        /// The variable.
        name: Arc<str>,
        /// The range of the variable.
        range: String,
    },
    /// A name is given twice, such as in two sets, as two axes, or as two outputs.
    #[error("`{name}` is given twice")]
    Twice {
        /// The variable.
        name: Arc<str>,
    },
    /// The number of extents differs from the number of outputs.
    #[error("{outputs} outputs, but {extents} extents")]
    Extents {
        /// The number of outputs.
        outputs: usize,
        /// The number of extents.
        extents: usize,
    },
    /// The values of a lane variable or axis have a step other than 1.
    #[error("the values of `{name}` are {step} apart, and it must take all values from 0 on")]
    Step {
        /// The variable.
        name: Arc<str>,
        /// The distance between neighbouring values.
        step: i64,
    },
    /// The vector length does not divide the number of lanes.
    #[error("{count} lanes do not come apart into vectors of {width}")]
    Width {
        /// The vector length.
        width: i64,
        /// The number of lanes.
        count: i64,
    },
    /// An output has the name of a variable.
    #[error("an output cannot be called `{name}`: a variable has the name")]
    Taken {
        /// The name.
        name: Arc<str>,
    },
    /// The extent of an output (its number of places) is below 1.
    #[error("an output has {extent} places, and there must be 1")]
    Empty {
        /// The extent of the output.
        extent: i64,
    },
    /// The domain has no variable with this name.
    #[error("the domain has no variable `{name}`")]
    Unknown {
        /// The variable.
        name: Arc<str>,
    },
}

impl AskError {
    /// Whether there is no answer because the domain has no point. A caller may treat this case as the answer yes,
    /// since every statement holds at all points of an empty domain.
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
