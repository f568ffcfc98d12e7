//! Errors in domains.

use super::Interval;
use crate::expr::ParseError;
use miette::{Diagnostic, SourceSpan};
use std::sync::Arc;

/// An error in a domain: facts about variables that cannot all be true, or text that is no declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum DomainError {
    /// No integer lies in the range of a variable. If the name was declared more than once, no integer lies in all its
    /// ranges.
    #[error("the range of `{name}` is empty: {lower} is above {upper}")]
    #[diagnostic(code(quaff::domain::empty), help("both ends are inclusive: `{name}=0..15` has 16 values"))]
    Empty {
        /// The name of the variable.
        name: Arc<str>,
        /// The lower end.
        lower: String,
        /// The upper end.
        upper: String,
    },
    /// An end of a range is a number that intervals cannot hold.
    #[error("an end of the range of `{name}` is {end}: ends lie in {}..{}", Interval::ENDS.start(), Interval::ENDS.end())]
    #[diagnostic(code(quaff::domain::end), help("an end is left out where the range is open: `{name}=0..`"))]
    BeyondReach {
        /// The name of the variable.
        name: Arc<str>,
        /// The end.
        end: String,
    },
    /// The range holds no value of the stride.
    #[error("no value of `{name}` in {range} is {residue} modulo {modulus}")]
    #[diagnostic(code(quaff::domain::stride))]
    NoMultiple {
        /// The name of the variable.
        name: Arc<str>,
        /// The range of the variable.
        range: String,
        /// The modulus of the stride. It is 0 when the variable is a constant.
        modulus: i64,
        /// The residue of the stride.
        residue: i64,
    },
    /// No integer satisfies two strides of one variable.
    #[error(
        "no integer `{name}` is both {first_residue} modulo {first_modulus} and {second_residue} modulo {second_modulus}"
    )]
    #[diagnostic(code(quaff::domain::stride))]
    StridesDisagree {
        /// The name of the variable.
        name: Arc<str>,
        /// The modulus of the earlier facts.
        first_modulus: i64,
        /// The residue of the earlier facts.
        first_residue: i64,
        /// The modulus of the stride that contradicts the earlier facts.
        second_modulus: i64,
        /// The residue of the stride that contradicts the earlier facts.
        second_residue: i64,
    },
    /// Assumptions that no point of the domain satisfies.
    #[error("no point of the domain satisfies {conditions}")]
    #[diagnostic(code(quaff::domain::assumption))]
    NeverHolds {
        /// The assumed conditions.
        conditions: String,
    },
    /// The name of a variable is a word of the notation of expressions, which gives the word another meaning.
    #[error("`{name}` cannot be the name of a variable: expressions mean something else by it")]
    #[diagnostic(code(quaff::domain::name), help("choose another name"))]
    ReservedName {
        /// The name.
        name: Arc<str>,
    },
    /// A stride with a modulus below 1.
    #[error("the stride of `{name}` is {modulus}")]
    #[diagnostic(code(quaff::domain::modulus), help("a stride is at least 1"))]
    BadModulus {
        /// The name of the variable.
        name: Arc<str>,
        /// The modulus.
        modulus: i64,
    },
    /// The bounds of some variables depend on each other in a circle.
    #[error("the bounds of {} depend on each other", list(names))]
    #[diagnostic(code(quaff::domain::cycle), help("give one of them bounds without the others"))]
    Cyclic {
        /// The variables of the circle. The bounds of each mention the next one, and the bounds of the last mention the
        /// first.
        names: Vec<Arc<str>>,
    },
    /// A bound that mentions a variable that is not declared.
    #[error("a bound of `{name}` mentions `{unknown}`, which is not declared")]
    #[diagnostic(code(quaff::domain::unknown), help("declare it, with `{unknown}=..` when nothing is known of it"))]
    Undeclared {
        /// The name of the variable.
        name: Arc<str>,
        /// The undeclared variable in its bound.
        unknown: Arc<str>,
    },
    /// A variable of an assumption, or of an expression, that is not declared.
    #[error("the variable `{name}` is not declared")]
    #[diagnostic(code(quaff::domain::unknown), help("declare it, with `{name}=..` when nothing is known of it"))]
    NotDeclared {
        /// The name of the variable.
        name: Arc<str>,
    },
    /// One opaque value has two texts.
    #[error("`{name}` is both `{first}` and `{second}`")]
    #[diagnostic(code(quaff::domain::text))]
    TextsDisagree {
        /// The name of the variable.
        name: Arc<str>,
        /// The first text.
        first: Arc<str>,
        /// The second text.
        second: Arc<str>,
    },
    /// Text that is no declaration.
    #[error("expected {expected}")]
    #[diagnostic(
        code(quaff::domain::declaration),
        help("write `i=0..15`, `j=0..N-1`, `n=1..` or `x=0..96 step 4 from 1`")
    )]
    BadDeclaration {
        /// A description of the expected text.
        expected: &'static str,
        /// The whole text.
        #[source_code]
        text: String,
        /// The place in the text.
        #[label("here")]
        span: SourceSpan,
    },
    /// A bound in a text is not a valid expression. The places in the error count from the start of the whole text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    BadBound(#[from] ParseError),
}

impl DomainError {
    /// Whether the domain has no point, because its facts contradict one another. Every statement about all points of
    /// such a domain is true.
    pub fn is_empty(&self) -> bool {
        matches!(
            self,
            DomainError::Empty { .. }
                | DomainError::NoMultiple { .. }
                | DomainError::StridesDisagree { .. }
                | DomainError::NeverHolds { .. }
        )
    }
}

fn list(names: &[Arc<str>]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
