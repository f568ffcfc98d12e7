//! [`ReadError`]: a text that has no meaning in a dialect.

use miette::{Diagnostic, LabeledSpan, SourceCode};
use quaff_expr::expr::ParseError;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text that cannot be read: the error, its place, and a suggested text if there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    message: String,
    help: Option<String>,
    text: Arc<str>,
    span: Range<usize>,
    /// The places with their labels. The first one is `span`.
    labels: Vec<LabeledSpan>,
}

impl ReadError {
    /// An error with `message` about the bytes `span` of `text`.
    pub(crate) fn new(message: impl Into<String>, text: &str, span: Range<usize>) -> ReadError {
        let labels = vec![LabeledSpan::new(Some("here".into()), span.start, span.len())];
        ReadError { message: message.into(), help: None, text: text.into(), span, labels }
    }

    /// Adds a suggestion to the error.
    pub(crate) fn with_help(self, help: impl Into<String>) -> ReadError {
        ReadError { help: Some(help.into()), ..self }
    }

    /// The bytes of [`source_text`](ReadError::source_text) that cause the error. The range may be empty at the end of
    /// the text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The text that was read.
    pub fn source_text(&self) -> &str {
        &self.text
    }

    /// The suggested text, if there is one.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<ParseError> for ReadError {
    fn from(error: ParseError) -> ReadError {
        let help = error.help().map(|h| h.to_string());
        let read = ReadError::new(error.to_string(), error.source_text(), error.span());
        let labels = error.labels().map_or_else(Vec::new, Iterator::collect);
        ReadError { help, labels, ..read }
    }
}

impl Diagnostic for ReadError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new("quaff::parse"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h.clone()) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
