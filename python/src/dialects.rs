//! Texts of other languages: `quaff.read`, `Expr.parse` and `Simplified.text`.

use crate::domain::PyDomain;
use crate::errors;
use crate::expr::PyExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quaff_dialects::{Dialect, Read};

/// A value, the ends of the range that must contain it, and the reason.
type Required = (PyExpr, Option<i64>, Option<i64>, &'static str);

/// The dialect called `name`.
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

/// The meaning of `text` in a dialect: a list of expressions, a domain, and a list of requirements.
///
/// The domain is a `Domain` with the ranges and conditions that the text or its language gives. A requirement is a
/// tuple of a value, the ends of the range that must contain the value, and the reason. If the value is outside of the
/// range, the text has another meaning.
///
/// Args:
///     text: an expression, or a map with several results.
///     dialect: "infix", "c", "cuda", "triton", "inductor", "sympy", "tvm", "mlir", "xla", "halide", "tinygrad", "python" or "sexp".
///
/// Raises:
///     ParseError: the text cannot be read, with the place.
///     ValueError: the dialect is unknown.
///
/// >>> quaff.read("affine_map<(i, j) -> (i floordiv 4, j mod 8)>", "mlir")
/// ([quaff.Expr('i//4'), quaff.Expr('j%8')], quaff.Domain(''), [])
#[pyfunction]
pub(crate) fn read(text: &str, dialect: &str) -> PyResult<(Vec<PyExpr>, PyDomain, Vec<Required>)> {
    let Read { results, domain, requirements } = found(text, dialect)?;
    let required = requirements.into_iter().map(|r| (PyExpr(r.value), r.range.lo(), r.range.hi(), r.reason));
    let required = required.collect();
    Ok((results.into_iter().map(|parsed| PyExpr(parsed.into_expr())).collect(), PyDomain(domain), required))
}
