//! Arguments of functions: expressions as objects, integers or text, and domains as objects, dicts or text.

use crate::domain::PyDomain;
use crate::errors;
use crate::expr::PyExpr;
use crate::numbers::integer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};
use quaff::domain::Domain;
use quaff::expr::name::is_readable;
use quaff::expr::{Expr, Parsed, int, parse};

/// An expression, with its text if it was given as text.
pub(crate) struct Asked {
    pub(crate) expr: Expr,
    pub(crate) parsed: Option<Parsed>,
}

impl Asked {
    pub(crate) fn exprs(asked: Vec<Asked>) -> Vec<Expr> {
        asked.into_iter().map(|a| a.expr).collect()
    }

    /// The texts that errors show.
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
        let (module, name) = kind(&object)?;
        // converting a `SymInt` of torch to an integer would fix the size to its current value
        let value = if (&*module, &*name) == ("torch", "SymInt") { None } else { integer(&object)? };
        match value {
            Some(value) => Ok(Asked { expr: int(value), parsed: None }),
            None => {
                let hint = hint(&module, &name);
                Err(PyTypeError::new_err(format!(
                    "an expression is an Expr, an integer or a text, and not {name}{hint}"
                )))
            }
        }
    }
}

/// The module and the name of the type of `object`. Both are empty for a Python integer, which is the usual case.
fn kind(object: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
    if object.cast::<PyInt>().is_ok() {
        return Ok(Default::default());
    }
    let ty = object.get_type();
    let module = ty.module().map(|module| module.to_string()).unwrap_or_default();
    Ok((module, ty.name()?.to_string()))
}

/// A hint, for an error, how to convert an object of another library.
fn hint(module: &str, name: &str) -> &'static str {
    match (module.split('.').next().unwrap_or_default(), name) {
        ("sympy", _) => "; `quaff.sympy` takes expressions of sympy",
        ("tvm", _) => "; `quaff.tvm` takes expressions of TVM",
        ("tinygrad", _) => "; `quaff.tinygrad` takes kernels of tinygrad",
        ("torch", "SymInt") => "; `quaff.sympy` takes its expression, which is `s.node.expr`",
        ("z3", _) => "; build it of `quaff.variables`, or give it as a text in which `//` and `%` round down",
        ("numpy", "ndarray") => "; `quaff.simplify_all` takes several expressions, as in `list(a.flat)`",
        _ => "",
    }
}

/// The expression in `text`.
///
/// # Errors
/// `quaff.ParseError`.
pub(crate) fn read(text: &str) -> PyResult<Parsed> {
    parse(text).map_err(|e| errors::unread(e, text))
}

/// Returns `name` if texts can read it back.
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

/// An operand of an operator: an expression or an integer. Text is not accepted, because it could be mistaken for a
/// name.
pub(crate) fn operand(object: &Bound<'_, PyAny>) -> PyResult<Option<Expr>> {
    match object.cast::<PyExpr>() {
        Ok(expr) => Ok(Some(expr.get().0.clone())),
        Err(_) => Ok(integer(object)?.map(int)),
    }
}

/// A domain: an existing object, or a new one from a dict or a text.
pub(crate) enum Given {
    Held(Py<PyDomain>),
    Made(Domain),
}

impl Given {
    /// The given domain. `None` gives a domain without variables.
    pub(crate) fn or_empty(given: Option<Given>) -> Given {
        given.unwrap_or_else(|| Given::Made(Domain::new()))
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Given {
        match self {
            Given::Held(held) => Given::Held(held.clone_ref(py)),
            Given::Made(made) => Given::Made(made.clone()),
        }
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
