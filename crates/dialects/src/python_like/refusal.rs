//! [`Refusal`]: why a part of a text has no meaning.

use crate::error::ReadError;
use std::ops::Range;
use std::rc::Rc;

/// A message about the bytes `span`. It becomes a [`ReadError`], which holds the whole text, only when it is the one that is returned.
#[derive(Debug)]
pub(super) struct Refusal {
    message: String,
    help: Option<String>,
    span: Range<usize>,
}

/// What a part of a text is read as.
pub(super) type Reading<T> = Result<T, Rc<Refusal>>;

impl Refusal {
    pub(super) fn new(message: impl Into<String>, span: &Range<usize>) -> Refusal {
        Refusal { message: message.into(), help: None, span: span.clone() }
    }

    /// The same with a hint at what to write.
    pub(super) fn help(self, help: impl Into<String>) -> Refusal {
        Refusal { help: Some(help.into()), ..self }
    }

    /// As the reason why there is no value.
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

/// `text` on one line, cut when too long for a message.
pub(super) fn shorten(text: &str) -> String {
    const MAX: usize = 40;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None if line.len() < text.len() => format!("{line}..."),
        None => line.into(),
    }
}
