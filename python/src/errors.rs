//! Errors of the library as exceptions that show the place. The classes are in `quaff/_errors.py`.

use miette::Diagnostic;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule};
use quaff::SimplifyError;
use quaff::domain::DomainError;
use quaff::expr::Parsed;
use quaff_dialects::ReadError;
use std::ops::Range;

static CLASSES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// The exception `class` with the text of `error`, and with the part of `source` that has the error.
fn raised(class: &str, error: &dyn Diagnostic, source: Option<(&str, Range<usize>)>, culprit: Option<String>) -> PyErr {
    let made = Python::attach(|py| {
        let classes = CLASSES.get_or_try_init(py, || PyModule::import(py, "quaff._errors").map(Bound::unbind))?;
        let named = PyDict::new(py);
        named.set_item("code", error.code().map(|code| code.to_string()))?;
        named.set_item("help", error.help().map(|help| help.to_string()))?;
        if let Some((text, bytes)) = source {
            // positions count bytes, and Python counts characters
            let at = |byte: usize| text.char_indices().take_while(|(at, _)| *at < byte).count();
            named.set_item("source", text)?;
            named.set_item("span", (at(bytes.start), at(bytes.end)))?;
        }
        named.set_item("culprit", culprit)?;
        let exception = classes.bind(py).getattr(class)?.call((error.to_string(),), Some(&named))?;
        Ok::<_, PyErr>(PyErr::from_value(exception))
    });
    made.unwrap_or_else(|e| e)
}

/// The exception for an error, with its place in `source` if the error has one.
pub(crate) fn placed(class: &str, error: &dyn Diagnostic, source: Option<&str>) -> PyErr {
    let label = error.labels().and_then(|mut labels| labels.next());
    let span = label.map(|l| l.offset()..l.offset() + l.len());
    raised(class, error, source.zip(span), None)
}

/// The exception for a text that is no infix expression. Its help names a dialect that can read the text.
pub(crate) fn unread(error: impl Into<ReadError>, text: &str) -> PyErr {
    let error = error.into().naming_dialect(|dialect| format!("Expr.parse(text, dialect=\"{dialect}\")"));
    placed("ParseError", &error, Some(text))
}

/// The exception for an expression that cannot be simplified. It has a place if the expression was given as text.
pub(crate) fn simplify(error: &SimplifyError, asked: &[Option<&Parsed>]) -> PyErr {
    let Some(culprit) = error.culprit() else {
        let class = match error {
            SimplifyError::Domain(error) => domain_class(error),
            _ => "SimplifyError",
        };
        return raised(class, error, None, None);
    };
    let found = asked.iter().flatten().find_map(|parsed| parsed.span_of(culprit).map(|span| (parsed.source(), span)));
    raised("SimplifyError", error, found, Some(culprit.to_string()))
}

/// The class of the exception for an error in a domain.
pub(crate) fn domain_class(error: &DomainError) -> &'static str {
    if error.is_empty() { "EmptyDomainError" } else { "DomainError" }
}

/// The exception `class` for an error without a place.
pub(crate) fn other(class: &str, error: &dyn Diagnostic) -> PyErr {
    placed(class, error, None)
}

/// The exception `class` with the message `text`.
pub(crate) fn plain(class: &str, text: &str) -> PyErr {
    #[derive(Debug)]
    struct Plain(String);
    impl std::fmt::Display for Plain {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(&self.0)
        }
    }
    impl std::error::Error for Plain {}
    impl Diagnostic for Plain {}
    raised(class, &Plain(text.to_string()), None, None)
}
