//! The problems (errors and warnings) of an input, each with its place.

use miette::{Diagnostic, LabeledSpan, Severity};
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

/// An input field of the page. If it has several lines, one of them is meant, with its text.
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

    /// No field, or a field whose text has no places.
    pub(crate) const NONE: Field<'static> = Field { name: "", line: 0, text: "" };
}

/// A problem with its place and possible fixes.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Problem {
    field: &'static str,
    line: usize,
    /// The beginning of the problem's range in the text of the field, in UTF-16 code units.
    from: usize,
    to: usize,
    severity: &'static str,
    message: String,
    help: String,
    fixes: Vec<Fix>,
}

/// A change of the inputs that fixes a problem.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Fix {
    label: String,
    /// The fields of the state that change, with their new values.
    set: Value,
}

/// The longest message that is shown, in characters.
const MESSAGE: usize = 400;

impl Problem {
    /// A problem that concerns a whole field.
    pub(crate) fn new(field: Field<'_>, message: impl Into<String>) -> Problem {
        let message: String = message.into();
        let message = match message.char_indices().nth(MESSAGE) {
            Some((end, _)) => format!("{} ...", &message[..end]),
            None => message,
        };
        let (field, line) = (field.name, field.line);
        Problem { field, line, from: 0, to: 0, severity: "error", message, help: String::new(), fixes: Vec::new() }
    }

    /// A problem for an error of the library. The labels of the error are places in the text of `field`.
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

    /// Places the problem at the bytes `span` of the text of `field`. For an empty span, the place is the character
    /// before it.
    pub(crate) fn at(mut self, field: Field<'_>, mut span: Range<usize>) -> Problem {
        if span.is_empty() || span.start >= field.text.len() {
            let before = field.text.get(..span.start).unwrap_or(field.text).trim_end();
            span = before.len() - before.chars().next_back().map_or(0, char::len_utf8)..before.len();
        }
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

    /// Turns the problem into a warning. With a warning, there is still an answer.
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
