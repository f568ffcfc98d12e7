//! [`Text`], which every printer returns: statements, results, inputs, and what the host prepares.

use super::reserved::Language;
use std::fmt;
use std::sync::Arc;

/// A variable as the text uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The variable in the expression.
    pub variable: Arc<str>,
    /// How the text calls it: the same, unless that is no identifier or a reserved word of the target.
    pub name: String,
    /// Its type in the target; empty where there are no types.
    pub ty: &'static str,
    /// Whether the first statements define it, from the text of an opaque value; it is then no parameter.
    pub defined: bool,
}

/// A prepared divisor that the text takes as a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostDivisor {
    /// The parameter's name; its type is `quaff_fastdivmod_t`.
    pub name: String,
    /// The host's expression that makes it, over the variables as [`Input::name`] calls them: `quaff_fastdivmod(n)`.
    pub setup: String,
}

/// The value of one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// An expression over inputs and temporaries.
    pub text: String,
    /// Its type in the target; empty where there are no types.
    pub ty: &'static str,
}

/// Program text in pieces, to be put together by the caller; `Display` prints a function's body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Definitions that the text needs once per file; empty when it needs none.
    pub prelude: String,
    /// Definitions for the host side; empty when no divisor is prepared. In C, the prelude has them too.
    pub host: String,
    /// The variables that occur.
    pub inputs: Vec<Input>,
    /// The prepared divisors that occur.
    pub divisors: Vec<HostDivisor>,
    /// Definitions of temporaries, in order, each one complete, without line end.
    pub statements: Vec<String>,
    /// The values of the roots, in order.
    pub results: Vec<Output>,
    language: Language,
}

impl Text {
    pub(super) fn new(language: Language) -> Text {
        Text { language, ..Text::default() }
    }
}

impl fmt::Display for Text {
    /// A function's body: all statements, and `return` with the result. Of several results, C assigns to `out[0]`,
    /// `out[1]` and so on; Python and Rust return a tuple.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for statement in &self.statements {
            writeln!(f, "{statement}")?;
        }
        let all = || self.results.iter().map(|r| r.text.as_str()).collect::<Vec<_>>().join(", ");
        match (self.language, self.results.len()) {
            (Language::C | Language::Cuda | Language::Rust, 1) => writeln!(f, "return {};", all()),
            (Language::C | Language::Cuda, _) => {
                self.results.iter().enumerate().try_for_each(|(i, r)| writeln!(f, "out[{i}] = {};", r.text))
            }
            (Language::Python, _) => writeln!(f, "return {}", all()),
            (Language::Rust, _) => writeln!(f, "return ({});", all()),
        }
    }
}
