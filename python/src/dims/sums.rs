//! `quaff.Sum`: sums of indices, such as `oh * 2 + ky - 1`.

use super::handles::{PyDim, PyEquation, PyProduct, Right};
use crate::arguments::operand;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use quaff::expr::sum::written;
use quaff::expr::{Expr, int, var};
use quaff_fronts::dims::{Dim, Term};

/// A sum of indices with coefficients, and a constant: `oh * stride + ky - 1`.
///
/// Coefficients and the constant are integers or `Expr`.
///
/// `ih == oh * 2 + ky - 1` is an equation for `Dims.eq`.
///
/// >>> oh, ky = quaff.Dims().new("oh=8 ky=3")
/// >>> oh * 2 + ky - 1
/// <Sum oh*2 + ky - 1>
#[pyclass(name = "Sum", module = "quaff", frozen)]
#[derive(Clone)]
pub(crate) struct PySum {
    /// The dimensions, each with its name and its coefficient.
    pub(super) terms: Vec<(Dim, String, Expr)>,
    pub(super) constant: Expr,
}

impl PySum {
    /// `object` as a sum. It may be a dimension, a product of one dimension and integers, an integer, an expression or
    /// a sum. Otherwise `None`.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<PySum>> {
        if let Ok(sum) = object.cast::<PySum>() {
            return Ok(Some(sum.get().clone()));
        }
        if let Some(constant) = operand(object)? {
            return Ok(Some(PySum { terms: vec![], constant }));
        }
        let Some(product) = PyProduct::of(object)? else { return Ok(None) };
        let (mut dims, mut coefficient) = (vec![], 1i64);
        for (term, name) in product.terms.iter().zip(product.text.split(" * ")) {
            match *term {
                Term::Dim(dim) => dims.push((dim, name.to_owned())),
                Term::Int(factor) => {
                    let wide = || PyTypeError::new_err(format!("the coefficient of {} leaves 64 bits", product.text));
                    coefficient = coefficient.checked_mul(factor).ok_or_else(wide)?;
                }
            }
        }
        match dims.pop().filter(|_| dims.is_empty()) {
            Some((dim, name)) => Ok(Some(PySum { terms: vec![(dim, name, int(coefficient))], constant: int(0) })),
            None => Err(PyTypeError::new_err(format!(
                "{} is a product of several dimensions; a sum has one index in each term",
                product.text
            ))),
        }
    }

    fn plus(mut self, other: PySum, sign: i64) -> PySum {
        let sum = |a: &Expr, b: Expr| {
            let numbers = a.as_const().zip(b.as_const().and_then(|b| b.checked_mul(sign)));
            let parts = [(a.clone(), 1), (b, sign)];
            let known = numbers.and_then(|(a, b)| a.checked_add(b));
            known.map_or_else(|| written(parts.into_iter().filter(|(part, _)| part.as_const() != Some(0))), int)
        };
        for (dim, name, coefficient) in other.terms {
            match self.terms.iter_mut().find(|(own, ..)| *own == dim) {
                Some((_, _, own)) => *own = sum(own, coefficient),
                None => self.terms.push((dim, name, written([(coefficient, sign)]))),
            }
        }
        self.constant = sum(&self.constant, other.constant);
        self
    }

    fn times(mut self, factor: &Expr) -> PySum {
        let scaled = |x: &Expr| match (x.as_const(), factor.as_const()) {
            (Some(0), _) | (_, Some(0)) => int(0),
            (Some(c), _) => written([(factor.clone(), c)]),
            (_, Some(c)) => written([(x.clone(), c)]),
            _ => x * factor,
        };
        self.terms.iter_mut().for_each(|(_, _, coefficient)| *coefficient = scaled(coefficient));
        self.constant = scaled(&self.constant);
        self
    }

    pub(super) fn text(&self) -> String {
        let terms = self.terms.iter().map(|(_, name, coefficient)| match coefficient.as_const() {
            Some(c) => (var(name.clone()), c),
            None => (var(name.clone()) * coefficient, 1),
        });
        written(terms.chain([(self.constant.clone(), 1)])).to_string()
    }
}

/// `left + sign * right`, or `NotImplemented` if one of them is no sum.
pub(super) fn added(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>, sign: i64) -> PyResult<Py<PyAny>> {
    let py = left.py();
    match (PySum::of(left)?, PySum::of(right)?) {
        (Some(left), Some(right)) => Ok(Py::new(py, left.plus(right, sign))?.into_any()),
        _ => Ok(py.NotImplemented()),
    }
}

/// `sum * factor`, or `NotImplemented` if `factor` is no factor.
pub(super) fn scaled(sum: &Bound<'_, PyAny>, factor: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = sum.py();
    match (operand(factor)?, PySum::of(sum)?) {
        (Some(factor), Some(sum)) => Ok(Py::new(py, sum.times(&factor))?.into_any()),
        _ => Ok(py.NotImplemented()),
    }
}

/// The negative of a dimension or a product.
pub(super) fn negative(object: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    match PySum::of(object)? {
        Some(sum) => Ok(Py::new(object.py(), sum.times(&int(-1)))?.into_any()),
        None => Ok(object.py().NotImplemented()),
    }
}

#[pymethods]
impl PySum {
    fn __add__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        added(slf, other, 1)
    }

    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        added(other, slf, 1)
    }

    fn __sub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        added(slf, other, -1)
    }

    fn __rsub__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        added(other, slf, -1)
    }

    fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        scaled(slf, other)
    }

    fn __rmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        scaled(slf, other)
    }

    fn __neg__(&self) -> PySum {
        self.clone().times(&int(-1))
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        match other.cast::<PyDim>() {
            Ok(_) => match PyProduct::of(other)? {
                Some(left) => Ok(Py::new(py, PyEquation { left, right: Right::Sum(slf.get().clone()) })?.into_any()),
                None => Ok(py.NotImplemented()),
            },
            Err(_) => Ok(py.NotImplemented()),
        }
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<Sum {}>", self.text())
    }
}
