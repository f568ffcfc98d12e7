//! What is wrong with an input, at its place.

use miette::{Diagnostic, LabeledSpan, Severity};
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

/// A field of the page, and the position of a text in a field of several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: &'static str,
    pub(crate) line: usize,
    pub(crate) text: &'a str,
}

impl<'a> Field<'a> {
    pub(crate) fn new(name: &'static str, text: &'a str) -> Field<'a> {
        Field { name, line: 0, text }
    }

    /// A field that has no text, or none with places.
    pub(crate) const NONE: Field<'static> = Field { name: "", line: 0, text: "" };
}

/// Something that is wrong, with its place and what to do.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Problem {
    field: &'static str,
    line: usize,
    /// Offsets in the text of the field, in UTF-16 code units.
    from: usize,
    to: usize,
    severity: &'static str,
    message: String,
    help: String,
    fixes: Vec<Fix>,
}

/// A change of the inputs that mends a problem.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fix {
    label: String,
    /// Fields of the state with their new values.
    set: Value,
}

/// The longest message, in characters.
const MESSAGE: usize = 400;

impl Problem {
    /// A sentence about a field as a whole.
    pub(crate) fn new(field: Field<'_>, message: impl Into<String>) -> Problem {
        let message: String = message.into();
        let message = match message.char_indices().nth(MESSAGE) {
            Some((end, _)) => format!("{} ...", &message[..end]),
            None => message,
        };
        let (field, line) = (field.name, field.line);
        Problem { field, line, from: 0, to: 0, severity: "error", message, help: String::new(), fixes: Vec::new() }
    }

    /// An error of the library, whose labels are places in the text of `field`.
    pub(crate) fn of(error: &dyn Diagnostic, field: Field<'_>) -> Problem {
        let mut problem = Problem::new(field, error.to_string());
        problem.help = error.help().map(|h| h.to_string()).unwrap_or_default();
        if error.severity() == Some(Severity::Warning) {
            problem.severity = "warning";
        }
        let first: Option<LabeledSpan> = error.labels().and_then(|mut labels| labels.next());
        match first {
            Some(label) => problem.at(field, label.offset()..label.offset() + label.len()),
            None => problem,
        }
    }

    /// At the bytes `span` of the text of `field`.
    pub(crate) fn at(mut self, field: Field<'_>, span: Range<usize>) -> Problem {
        let units = |bytes: usize| {
            let mut end = bytes.min(field.text.len());
            while !field.text.is_char_boundary(end) {
                end -= 1;
            }
            field.text[..end].encode_utf16().count()
        };
        (self.from, self.to) = (units(span.start), units(span.end));
        self
    }

    /// As a warning: there is an answer all the same.
    pub(crate) fn warning(self) -> Problem {
        Problem { severity: "warning", ..self }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == "error"
    }

    pub(crate) fn with_help(self, help: impl Into<String>) -> Problem {
        Problem { help: help.into(), ..self }
    }

    pub(crate) fn with_fix(mut self, label: impl Into<String>, set: Value) -> Problem {
        self.fixes.push(Fix { label: label.into(), set });
        self
    }
}
