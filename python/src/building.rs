//! Makes expressions from operands and from texts.

use crate::arguments::{operand, read};
use crate::dialects;
use crate::errors;
use crate::expr::PyExpr;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError, PyZeroDivisionError};
use pyo3::prelude::*;
use quaff::expr::{self, EvalError, EvalFailure, Expr, Op};

impl PyExpr {
    pub(crate) fn built(&self, op: Op, other: &Bound<'_, PyAny>, is_left: bool) -> PyResult<Option<PyExpr>> {
        let Some(other) = operand(other)? else { return Ok(None) };
        let args = if is_left { [self.0.clone(), other] } else { [other, self.0.clone()] };
        made(op, args).map(Some)
    }

    pub(crate) fn quotient_and_remainder(
        &self,
        py: Python<'_>,
        other: &Bound<'_, PyAny>,
        is_left: bool,
    ) -> PyResult<Py<PyAny>> {
        match (self.built(Op::FloorDiv, other, is_left)?, self.built(Op::FloorMod, other, is_left)?) {
            (Some(quotient), Some(remainder)) => Ok((quotient, remainder).into_pyobject(py)?.into_any().unbind()),
            _ => Ok(py.NotImplemented()),
        }
    }
}

pub(crate) fn made(op: Op, args: impl IntoIterator<Item = Expr>) -> PyResult<PyExpr> {
    Expr::try_new(op, args).map(PyExpr).map_err(|e| PyTypeError::new_err(e.to_string()))
}

/// The expression, or `NotImplemented` if there is none, so that Python tries the other operand.
pub(crate) fn or_not_implemented(py: Python<'_>, made: Option<PyExpr>) -> PyResult<Py<PyAny>> {
    match made {
        Some(e) => Ok(Py::new(py, e)?.into_any()),
        None => Ok(py.NotImplemented()),
    }
}

/// The expression in `text`, as `Expr.parse` describes it.
pub(crate) fn parsed(text: &str, dialect: Option<&str>) -> PyResult<PyExpr> {
    if let Some(dialect) = dialect {
        let (mut results, requirements) = {
            let found = dialects::found(text, dialect)?;
            (found.results, found.requirements)
        };
        return match (results.pop(), results.is_empty() && requirements.is_empty()) {
            (Some(one), true) => Ok(PyExpr(one.into_expr())),
            _ => Err(PyValueError::new_err("the text has several results or relies on ranges: see `quaff.read`")),
        };
    }
    if !text.trim_start().starts_with('(') {
        return read(text).map(|parsed| PyExpr(parsed.into_expr()));
    }
    let error = match expr::parse_sexp(text) {
        Ok(parsed) => return Ok(PyExpr(parsed.into_expr())),
        Err(error) => error,
    };
    match expr::parse(text) {
        Ok(parsed) => Ok(PyExpr(parsed.into_expr())),
        // the error comes from the notation that could read more of the text
        Err(infix) if infix.span().start >= error.span().start => Err(errors::unread(infix, text)),
        Err(_) => Err(errors::placed("ParseError", &error, Some(text))),
    }
}

/// The product of `exponent` factors. `None` if `exponent` is no number.
pub(crate) fn power(base: &Expr, exponent: &Bound<'_, PyAny>, is_modular: bool) -> PyResult<Option<PyExpr>> {
    let Some(exponent) = operand(exponent)?.and_then(|exponent| exponent.as_const()) else {
        return Ok(None);
    };
    if !(0..=64).contains(&exponent) || is_modular {
        return Err(PyValueError::new_err("a power has an exponent from 0 to 64, and no modulus"));
    }
    let power = (0..exponent).fold(None, |all: Option<Expr>, _| Some(all.map_or(base.clone(), |all| all * base)));
    Ok(Some(PyExpr(power.unwrap_or_else(|| expr::int(1)))))
}

/// A power of a power of 2 as a shift. `None` for another base.
pub(crate) fn shifted(base: &Bound<'_, PyAny>, exponent: &Expr, is_modular: bool) -> PyResult<Option<PyExpr>> {
    let power_of_2 = |base: &i64| *base > 0 && base.count_ones() == 1;
    match operand(base)?.and_then(|base| base.as_const()).filter(power_of_2) {
        Some(base) if !is_modular => {
            let bits = exponent * expr::int(base.trailing_zeros().into());
            made(Op::Shl, [expr::int(1), bits]).map(Some)
        }
        _ => Ok(None),
    }
}

/// The exception for an expression without a value.
pub(crate) fn failed(failure: &EvalFailure) -> PyErr {
    let text = failure.to_string();
    match failure {
        EvalFailure::Unknown(_) => PyKeyError::new_err(text),
        EvalFailure::Undefined(EvalError::DivisionByZero) => PyZeroDivisionError::new_err(text),
        EvalFailure::Undefined(_) => errors::plain("EvalError", &text),
    }
}
