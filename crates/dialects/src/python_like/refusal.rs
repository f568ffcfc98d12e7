//! [`Refusal`]: the reason why a part of a text has no meaning.

use crate::error::ReadError;
use std::ops::Range;
use std::rc::Rc;

/// A message about the bytes `span`. Only the message that is finally returned becomes a [`ReadError`], which holds the
/// whole text.
#[derive(Debug)]
pub(super) struct Refusal {
    message: String,
    help: Option<String>,
    span: Range<usize>,
}

/// The result of reading a part of a text.
pub(super) type Reading<T> = Result<T, Rc<Refusal>>;

impl Refusal {
    pub(super) fn new(message: impl Into<String>, span: &Range<usize>) -> Refusal {
        Refusal { message: message.into(), help: None, span: span.clone() }
    }

    /// Adds a suggestion to the refusal.
    pub(super) fn help(self, help: impl Into<String>) -> Refusal {
        Refusal { help: Some(help.into()), ..self }
    }

    /// Returns the refusal as an error.
    pub(super) fn err<T>(self) -> Reading<T> {
        Err(Rc::new(self))
    }

    pub(super) fn error(&self, text: &str) -> ReadError {
        let error = ReadError::new(self.message.clone(), text, self.span.clone());
        match &self.help {
            Some(help) => error.with_help(help.clone()),
            None => error,
        }
    }
}

/// `text` on one line, cut if it is too long for a message.
pub(super) fn shorten(text: &str) -> String {
    const MAX: usize = 40;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None if line.len() < text.len() => format!("{line}..."),
        None => line.into(),
    }
}
