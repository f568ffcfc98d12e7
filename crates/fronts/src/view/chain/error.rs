//! Errors in the text of a chain, with their places.

use crate::view::ViewError;
use miette::{Diagnostic, LabeledSpan, SourceCode};
use quaff_dialects::{Dialect, ReadError};
use std::fmt;
use std::ops::Range;

/// The reason why the text of a chain is no view.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .inner.kind)]
pub struct ChainError {
    // The data is boxed, because an error is large, and every result would reserve space for it.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    kind: ChainErrorKind,
    source: String,
    span: Range<usize>,
}

/// The cases of a [`ChainError`].
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChainErrorKind {
    /// A part of the chain that is no call.
    #[error("expected a call such as `permute(1, 0)`")]
    ExpectedCall,
    /// The first call cannot begin a chain.
    #[error("a chain begins with `shape(...)` or a layout such as `(8, 12):(12, 1)`")]
    ExpectedShape,
    /// A name that is no movement.
    #[error("unknown movement `{name}`")]
    UnknownMovement {
        /// The name as written.
        name: String,
        /// The movement with the most similar name, if there is a similar one.
        nearest: Option<&'static str>,
    },
    /// An argument of a wrong form.
    #[error("expected {expected}")]
    Argument {
        /// The expected form.
        expected: &'static str,
    },
    /// An opening parenthesis without a closing one.
    #[error("this `(` is never closed")]
    Unclosed,
    /// A closing parenthesis without an opening one.
    #[error("this `)` closes nothing")]
    Unopened,
    /// An argument that is not an expression.
    #[error("{0}")]
    Expression(ReadError),
    /// A movement that is not possible.
    #[error("{0}")]
    View(ViewError),
}

impl ChainError {
    pub(super) fn new(kind: ChainErrorKind, source: &str, span: Range<usize>) -> ChainError {
        ChainError { inner: Box::new(Inner { kind, source: source.into(), span }) }
    }

    /// This error for a chain whose expressions were parsed as infix. If another dialect can parse the expression that
    /// caused the error, the help names this dialect, as [`ReadError::naming_dialect`] does.
    pub fn naming_dialect(self, named: impl FnOnce(Dialect) -> String) -> ChainError {
        let Inner { kind, source, span } = *self.inner;
        let kind = match kind {
            ChainErrorKind::Expression(error) => ChainErrorKind::Expression(error.naming_dialect(named)),
            kind => kind,
        };
        ChainError { inner: Box::new(Inner { kind, source, span }) }
    }

    /// The kind of the error.
    pub fn kind(&self) -> &ChainErrorKind {
        &self.inner.kind
    }

    /// The range of bytes in the chain that caused the error. It may be empty at the end of the text.
    pub fn span(&self) -> Range<usize> {
        self.inner.span.clone()
    }

    /// The text that was read.
    pub fn source_text(&self) -> &str {
        &self.inner.source
    }
}

/// The names of all movements.
pub(super) const MOVEMENTS: [&str; 7] = ["reshape", "permute", "expand", "pad", "shrink", "flip", "stride"];

impl Diagnostic for ChainError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self.kind() {
            ChainErrorKind::View(error) => error.code(),
            ChainErrorKind::Expression(error) => error.code(),
            _ => Some(Box::new("quaff::view::text")),
        }
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        use ChainErrorKind as K;
        let text = match self.kind() {
            K::View(error) => return error.help(),
            K::Expression(error) => return error.help(),
            K::ExpectedCall | K::ExpectedShape => {
                "such as `shape(8, 12).reshape(4, 2, 12).permute(1, 0, 2)`".to_string()
            }
            K::UnknownMovement { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            K::UnknownMovement { .. } => format!("movements are {}", MOVEMENTS.join(", ")),
            K::Unclosed => "add the missing `)`".into(),
            K::Unopened => "remove it, or add the missing `(`".into(),
            K::Argument { .. } => return None,
        };
        Some(Box::new(text))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.inner.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = match self.kind() {
            ChainErrorKind::View(_) => "this movement",
            _ => "here",
        };
        let span = self.span();
        Some(Box::new(std::iter::once(LabeledSpan::new(Some(label.into()), span.start, span.len()))))
    }
}
