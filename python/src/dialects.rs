//! Texts of other languages: `quaff.read`, `Expr.parse` and `Simplified.text`.

use crate::domain::PyDomain;
use crate::errors;
use crate::expr::PyExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quaff_dialects::{Dialect, Read};

/// A value with the ends of the range that it has to lie in, and the reason.
type Required = (PyExpr, Option<i64>, Option<i64>, &'static str);

/// The dialect of this name.
pub(crate) fn named(name: &str) -> PyResult<Dialect> {
    name.parse().map_err(|e: quaff_dialects::UnknownDialect| PyValueError::new_err(e.to_string()))
}

pub(crate) fn found(text: &str, dialect: &str) -> PyResult<Read> {
    let dialect = named(dialect)?;
    quaff_dialects::read(text, dialect).map_err(|e| match dialect {
        Dialect::Infix => errors::unread(e, text),
        _ => errors::placed("ParseError", &e, Some(text)),
    })
}

/// What `text` is in a dialect: a list of expressions, a `Domain` with the ranges and conditions that the text or its language gives, and a
/// list of requirements. A requirement is a tuple of a value, the ends of the range that it has to lie in, and the reason: the text means
/// something else where the value is not in the range.
///
/// Args:
///     text: an expression, or a map with several results.
///     dialect: "infix", "c", "cuda", "triton", "inductor", "sympy", "tvm", "mlir", "xla", "halide", "tinygrad", "python" or "sexp".
///
/// Raises:
///     ParseError: with the place.
///     ValueError: there is no such dialect.
#[pyfunction]
pub(crate) fn read(text: &str, dialect: &str) -> PyResult<(Vec<PyExpr>, PyDomain, Vec<Required>)> {
    let Read { results, domain, requirements } = found(text, dialect)?;
    let required = requirements.into_iter().map(|r| (PyExpr(r.value), r.range.lo(), r.range.hi(), r.reason));
    let required = required.collect();
    Ok((results.into_iter().map(|parsed| PyExpr(parsed.into_expr())).collect(), PyDomain(domain), required))
}
