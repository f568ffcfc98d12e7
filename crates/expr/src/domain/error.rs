//! What can be wrong with a domain.

use super::Interval;
use crate::expr::ParseError;
use miette::{Diagnostic, SourceSpan};
use std::sync::Arc;

/// Facts about variables that cannot all be true, or text that declares none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum DomainError {
    /// No integer lies in the range, or in all ranges when the name was declared more than once.
    #[error("the range of `{name}` is empty: {lower} is above {upper}")]
    #[diagnostic(code(quaff::domain::empty), help("both ends are inclusive: `{name}=0..15` has 16 values"))]
    Empty {
        /// The variable.
        name: Arc<str>,
        /// The lower end.
        lower: String,
        /// The upper end.
        upper: String,
    },
    /// An end that intervals cannot hold.
    #[error("an end of the range of `{name}` is {end}: ends lie in {}..{}", Interval::ENDS.start(), Interval::ENDS.end())]
    #[diagnostic(code(quaff::domain::end), help("an end is left out where the range is open: `{name}=0..`"))]
    BeyondReach {
        /// The variable.
        name: Arc<str>,
        /// The end.
        end: String,
    },
    /// The range holds no value of the stride.
    #[error("no value of `{name}` in {range} is {residue} modulo {modulus}")]
    #[diagnostic(code(quaff::domain::stride))]
    NoMultiple {
        /// The variable.
        name: Arc<str>,
        /// Its range.
        range: String,
        /// The modulus; 0 when the value is known.
        modulus: i64,
        /// The residue.
        residue: i64,
    },
    /// Two strides of one variable that no integer has both.
    #[error(
        "no integer `{name}` is both {first_residue} modulo {first_modulus} and {second_residue} modulo {second_modulus}"
    )]
    #[diagnostic(code(quaff::domain::stride))]
    StridesDisagree {
        /// The variable.
        name: Arc<str>,
        /// Modulus of what was known.
        first_modulus: i64,
        /// Residue of what was known.
        first_residue: i64,
        /// Modulus of the fact that contradicts it.
        second_modulus: i64,
        /// Residue of the fact that contradicts it.
        second_residue: i64,
    },
    /// Assumptions that no point of the domain satisfies.
    #[error("no point of the domain satisfies {conditions}")]
    #[diagnostic(code(quaff::domain::assumption))]
    NeverHolds {
        /// The assumed conditions.
        conditions: String,
    },
    /// A variable whose name is a word of the notation of expressions, which would read it as something else.
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
        /// The variable.
        name: Arc<str>,
        /// The modulus.
        modulus: i64,
    },
    /// Variables whose bounds depend on each other in a circle.
    #[error("the bounds of {} depend on each other", list(names))]
    #[diagnostic(code(quaff::domain::cycle), help("give one of them bounds without the others"))]
    Cyclic {
        /// The variables of the circle: each one's bounds mention the next, the last one's the first.
        names: Vec<Arc<str>>,
    },
    /// A bound that mentions a variable that is not declared.
    #[error("a bound of `{name}` mentions `{unknown}`, which is not declared")]
    #[diagnostic(code(quaff::domain::unknown), help("declare it, with `{unknown}=..` when nothing is known of it"))]
    Undeclared {
        /// The variable.
        name: Arc<str>,
        /// What its bound mentions.
        unknown: Arc<str>,
    },
    /// A variable of an assumption, or of an expression, that is not declared.
    #[error("the variable `{name}` is not declared")]
    #[diagnostic(code(quaff::domain::unknown), help("declare it, with `{name}=..` when nothing is known of it"))]
    NotDeclared {
        /// The variable.
        name: Arc<str>,
    },
    /// Two texts for one opaque value.
    #[error("`{name}` is both `{first}` and `{second}`")]
    #[diagnostic(code(quaff::domain::text))]
    TextsDisagree {
        /// The variable.
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
        /// What was expected.
        expected: &'static str,
        /// The whole text.
        #[source_code]
        text: String,
        /// Where it was expected.
        #[label("here")]
        span: SourceSpan,
    },
    /// Text whose bound is no expression; its places count from the start of the whole text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    BadBound(#[from] ParseError),
}

impl DomainError {
    /// Whether the domain has no point: its facts contradict one another. Then all that is asked of its points is so.
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
