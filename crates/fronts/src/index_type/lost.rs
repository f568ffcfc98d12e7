//! Which operator of an expression has no type, and where it stands.

use super::error::IndexError;
use miette::{Diagnostic, SourceSpan};
use quaff::expr::{Expr, Parsed};
use std::sync::Arc;

/// An operator after which the copies of an index have no dynamic part in common.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[error("after `{}` the copies have nothing in common: {why}", shown(.operator))]
#[diagnostic(code(quaff::index_type::lost), help("each copy computes it by itself"))]
pub struct Lost {
    pub(super) operator: Expr,
    pub(super) why: &'static str,
}

impl Lost {
    /// The operation, the very node of the expression that was checked.
    pub fn operator(&self) -> &Expr {
        &self.operator
    }

    /// What is lost.
    pub fn why(&self) -> &'static str {
        self.why
    }

    /// With the place in the text that the expression was read from.
    pub fn placed(&self, parsed: &Parsed) -> Placed {
        Placed::new(self.to_string(), self.code().map(|c| c.to_string()), &self.operator, self.why, parsed)
    }
}

/// Why an expression has no type at all. Every variant that concerns a part of it carries that part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum CheckError {
    /// A variable that is neither declared nor unrolled.
    #[error("the variable `{name}` is not declared")]
    #[diagnostic(code(quaff::index_type::unknown), help("declare its range, or how it is unrolled"))]
    Unknown {
        /// The variable.
        name: Arc<str>,
        /// Where it stands.
        culprit: Expr,
    },
    /// An operation without values, or with too many of them.
    #[error("`{}`: {error}", shown(.culprit))]
    #[diagnostic(code(quaff::index_type::refused))]
    Refused {
        /// What is wrong with it.
        error: IndexError,
        /// Where it stands.
        culprit: Expr,
    },
}

impl CheckError {
    /// The part of the expression that the error is about, the very node given.
    pub fn culprit(&self) -> &Expr {
        match self {
            CheckError::Unknown { culprit, .. } | CheckError::Refused { culprit, .. } => culprit,
        }
    }

    /// With the place in the text that the expression was read from.
    pub fn placed(&self, parsed: &Parsed) -> Placed {
        let label = match self {
            CheckError::Unknown { .. } => "not declared",
            CheckError::Refused { .. } => "here",
        };
        Placed::new(self.to_string(), self.code().map(|c| c.to_string()), self.culprit(), label, parsed)
    }
}

/// A message with the place in a text that it is about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Placed {
    message: String,
    code: Option<String>,
    label: &'static str,
    text: Arc<str>,
    span: Option<SourceSpan>,
}

impl Placed {
    fn new(message: String, code: Option<String>, culprit: &Expr, label: &'static str, parsed: &Parsed) -> Placed {
        let span = parsed.span_of(culprit).map(SourceSpan::from);
        Placed { message, code, label, text: parsed.source().into(), span }
    }

    /// First byte and length of the place; `None` for an expression that was not read from this text.
    pub fn span(&self) -> Option<(usize, usize)> {
        self.span.map(|s| (s.offset(), s.len()))
    }
}

impl Diagnostic for Placed {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.code.as_ref().map(|c| Box::new(c) as _)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let span = self.span?;
        Some(Box::new(std::iter::once(miette::LabeledSpan::new_with_span(Some(self.label.into()), span))))
    }
}

/// Text of a sub-expression in messages: a long one says nothing.
fn shown(e: &Expr) -> String {
    const LIMIT: usize = 200;
    e.to_infix(LIMIT).unwrap_or_else(|e| format!("an expression of {} nodes", e.nodes))
}
