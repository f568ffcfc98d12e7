//! What functions take: expressions as objects, integers or text, and domains as objects, dicts or text.

use crate::domain::PyDomain;
use crate::errors;
use crate::expr::PyExpr;
use crate::numbers::integer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use quaff::domain::Domain;
use quaff::expr::name::is_readable;
use quaff::expr::{Expr, Parsed, int, parse};

/// An expression, and its text where it was given as one.
pub(crate) struct Asked {
    pub(crate) expr: Expr,
    pub(crate) parsed: Option<Parsed>,
}

impl Asked {
    pub(crate) fn exprs(asked: Vec<Asked>) -> Vec<Expr> {
        asked.into_iter().map(|a| a.expr).collect()
    }

    /// The text that errors show.
    pub(crate) fn sources(asked: &[Asked]) -> Vec<Option<&Parsed>> {
        asked.iter().map(|a| a.parsed.as_ref()).collect()
    }
}

impl<'py> FromPyObject<'_, 'py> for Asked {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Asked> {
        if let Ok(expr) = object.cast::<PyExpr>() {
            return Ok(Asked { expr: expr.get().0.clone(), parsed: None });
        }
        if let Ok(text) = object.cast::<PyString>() {
            let parsed = read(&text.to_string_lossy())?;
            return Ok(Asked { expr: parsed.expr().clone(), parsed: Some(parsed) });
        }
        match integer(&object)? {
            Some(value) => Ok(Asked { expr: int(value), parsed: None }),
            None => Err(PyTypeError::new_err(format!(
                "an expression is an Expr, an integer or a text, and not {}",
                object.get_type().name()?
            ))),
        }
    }
}

/// The expression that `text` is.
///
/// # Errors
/// `quaff.ParseError`.
pub(crate) fn read(text: &str) -> PyResult<Parsed> {
    parse(text).map_err(|e| errors::unread(e, text))
}

/// `name`, where texts can read it.
///
/// # Errors
/// `ValueError`.
pub(crate) fn readable(name: &str) -> PyResult<&str> {
    if is_readable(name) {
        return Ok(name);
    }
    let what =
        "a name is letters, digits, `_` and single dots, such as `i` or `threadIdx.x`, and no word such as `and`";
    Err(PyValueError::new_err(format!("{name:?} is no name of a variable: {what}")))
}

/// An operand of an operator: an expression or an integer; text would be too easily taken for a name.
pub(crate) fn operand(object: &Bound<'_, PyAny>) -> PyResult<Option<Expr>> {
    match object.cast::<PyExpr>() {
        Ok(expr) => Ok(Some(expr.get().0.clone())),
        Err(_) => Ok(integer(object)?.map(int)),
    }
}

/// A domain: an object that is held, or one made of a dict or a text.
pub(crate) enum Given {
    Held(Py<PyDomain>),
    Made(Domain),
}

impl Given {
    /// `None` is a domain without variables.
    pub(crate) fn or_empty(given: Option<Given>) -> Given {
        given.unwrap_or_else(|| Given::Made(Domain::new()))
    }

    pub(crate) fn domain(&self) -> &Domain {
        match self {
            Given::Held(held) => &held.get().0,
            Given::Made(made) => made,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Given> {
        if let Ok(domain) = object.cast::<PyDomain>() {
            return Ok(Given::Held(domain.to_owned().unbind()));
        }
        let mut domain = Domain::new();
        crate::domain::declare(&mut domain, &object)?;
        Ok(Given::Made(domain))
    }
}
