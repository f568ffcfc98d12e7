//! The operators because of which an expression has no type, and their places in the text.

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
    /// The operation, as the same node of the expression that was checked.
    pub fn operator(&self) -> &Expr {
        &self.operator
    }

    /// The reason why the copies have no common dynamic part.
    pub fn why(&self) -> &'static str {
        self.why
    }

    /// The error with its place in `parsed`, the text from which the expression was read.
    pub fn placed(&self, parsed: &Parsed) -> Placed {
        Placed::new(self.to_string(), self.code().map(|c| c.to_string()), &self.operator, self.why, parsed)
    }
}

/// The reason why an expression has no type at all. Variants about a part of the expression contain that part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum CheckError {
    /// A variable that is neither declared nor unrolled.
    #[error("the variable `{name}` is not declared")]
    #[diagnostic(code(quaff::index_type::unknown), help("declare its range, or how it is unrolled"))]
    Unknown {
        /// The variable.
        name: Arc<str>,
        /// The node of the variable.
        culprit: Expr,
    },
    /// An operation that has no value or too large a value, or an expression with too many copies.
    #[error("`{}`: {error}", shown(.culprit))]
    #[diagnostic(code(quaff::index_type::refused))]
    Refused {
        /// The error of the operation.
        error: IndexError,
        /// The node of the operation.
        culprit: Expr,
    },
}

impl CheckError {
    /// The part of the expression that caused the error, as the same node that was given.
    pub fn culprit(&self) -> &Expr {
        match self {
            CheckError::Unknown { culprit, .. } | CheckError::Refused { culprit, .. } => culprit,
        }
    }

    /// The error with its place in `parsed`, the text from which the expression was read.
    pub fn placed(&self, parsed: &Parsed) -> Placed {
        let label = match self {
            CheckError::Unknown { .. } => "not declared",
            CheckError::Refused { .. } => "here",
        };
        Placed::new(self.to_string(), self.code().map(|c| c.to_string()), self.culprit(), label, parsed)
    }
}

/// A message with its place in a text.
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

    /// The first byte and the length of the place. `None` for an expression that was not read from this text.
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

/// The text of a subexpression in messages. If it is too long, only its size is shown.
fn shown(e: &Expr) -> String {
    const LIMIT: usize = 200;
    e.to_infix(LIMIT).unwrap_or_else(|e| format!("an expression of {} nodes", e.nodes))
}
