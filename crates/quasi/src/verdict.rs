//! The possible answers: equal, different at a point, or undecided with a reason.

#[cfg(doc)]
use super::Options;
use super::witness::Witness;
use quaff_expr::domain::DomainError;
use quaff_expr::expr::UnknownVariable;
use std::fmt;
use std::sync::Arc;

/// Whether two expressions are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The expressions have the same value at every point of the domain at which the first one has a value.
    Equal,
    /// The expressions differ at some point.
    Differs {
        /// A point at which they differ.
        witness: Witness,
    },
    /// Neither answer is known.
    Undecided {
        /// The reason why neither answer is known.
        why: Why,
    },
}

/// The reason why the question is undecided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// The domain contradicts itself.
    #[error(transparent)]
    Domain(DomainError),
    /// A variable is not declared.
    #[error("the variable `{}` is not declared", .0.name)]
    Unknown(UnknownVariable),
    /// More points than [`Options::max_points`] would have to be compared.
    #[error("more than {limit} points would have to be compared")]
    TooManyPoints {
        /// The limit that would be exceeded.
        limit: u64,
    },
    /// More steps of algebra than [`Options::max_steps`] would have to be taken.
    #[error("more than {limit} steps of algebra would have to be taken")]
    TooManySteps {
        /// The limit that would be exceeded.
        limit: u64,
    },
    /// The number of points times the number of operators is more than [`Options::max_evaluations`].
    #[error("more than {limit} operators would have to be evaluated")]
    TooManyEvaluations {
        /// The limit that would be exceeded.
        limit: u64,
    },
    /// The question was not started, because earlier questions of the same call used all work that was available.
    #[error("other checks took all the work that is allowed for them")]
    NothingLeft,
    /// A variable must be enumerated, because an expression is not periodic in it, but its range has an open end.
    #[error("the range of `{name}` is open and the expressions are not periodic in it")]
    Unbounded {
        /// The name of the variable.
        name: Arc<str>,
    },
    /// A value that matters exceeds 128 bits.
    #[error("a value is outside of 128 bits")]
    Overflow,
    /// A coefficient of the difference exceeds 64 bits.
    #[error("a coefficient is outside of 64 bits")]
    Unrepresentable,
    /// The solver found no answer in [`Options::smt_timeout`], or failed.
    #[error("the solver does not know: {message}")]
    Solver {
        /// The message of the solver.
        message: String,
    },
}

/// The method that found a [`Verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The exact procedure on the difference of the expressions.
    Exact,
    /// Enumeration of both expressions at every point, or at enough points of each period.
    Enumeration,
    /// Evaluation at the corners of the domain and at random points.
    Sampling,
    /// An SMT solver.
    Solver,
    /// No method, because the verdict is [`Verdict::Undecided`].
    None,
}

impl Method {
    /// The name `"exact"`, `"enumeration"`, `"sampling"`, `"solver"` or `"none"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Enumeration => "enumeration",
            Method::Sampling => "sampling",
            Method::Solver => "solver",
            Method::None => "none",
        }
    }
}

/// A verdict, the method that found it, and the work of finding it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The method that found the verdict.
    pub method: Method,
    /// The number of enumerated points.
    pub points: u64,
    /// The number of steps of algebra, as [`Options::max_steps`] counts them.
    pub steps: u64,
    /// The number of evaluated operators, as [`Options::max_evaluations`] counts them. Evaluations of samples are
    /// included.
    pub evaluations: u64,
}

/// The work that was done for a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) points: u64,
    pub(super) steps: u64,
    pub(super) evaluations: u64,
}

impl Work {
    pub(super) fn plus(self, other: Work) -> Work {
        Work {
            points: self.points.saturating_add(other.points),
            steps: self.steps.saturating_add(other.steps),
            evaluations: self.evaluations.saturating_add(other.evaluations),
        }
    }
}

impl Decision {
    pub(super) fn new(verdict: Verdict, method: Method, work: Work) -> Decision {
        let Work { points, steps, evaluations } = work;
        Decision { verdict, method, points, steps, evaluations }
    }

    /// The decision that reports why a comparison was not started.
    pub fn not_asked(why: Why) -> Decision {
        Decision::undecided(why, Work::default())
    }

    /// An undecided result, with the reason.
    pub(super) fn undecided(why: Why, work: Work) -> Decision {
        Decision::new(Verdict::Undecided { why }, Method::None, work)
    }
}

impl fmt::Display for Verdict {
    /// Writes for example `equal`, `different at x = 3: 7 but 8`, or `undecided: ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Equal => f.write_str("equal"),
            Verdict::Differs { witness } => write!(f, "different at {witness}"),
            Verdict::Undecided { why } => write!(f, "undecided: {why}"),
        }
    }
}

/// The result of a procedure. A point in it at which the expressions differ is not confirmed yet.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Equal,
    /// A point at which the expressions differ.
    Differs(Vec<i64>),
    Unknown(Why),
}
