//! The parts of equations: `quaff.Dim`, `quaff.Product`, `quaff.Equation` and `quaff.Scope`.

use super::sums::{PySum, added, negative, scaled};
use crate::numbers::integer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use quaff_fronts::dims::{Dim, Scope, Term};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A dimension of a kernel. It has a size, and at run time an index below this size.
///
/// It is made by `Dims.new`.
///
/// `B * T` and `X * 4` are products, whose last factor varies fastest. `oh * 2 + ky - 1` is a sum. `N == B * T` is an
/// equation for `Dims.eq`.
///
/// >>> B, T = quaff.Dims().new("B T=256")
/// >>> B * T, T * 2 - 1
/// (<Product B * T>, <Sum T*2 - 1>)
#[pyclass(name = "Dim", module = "quaff", frozen)]
#[derive(Clone)]
pub(crate) struct PyDim {
    pub(super) dim: Dim,
    /// The name. A second dimension with the same name is `name#2`.
    #[pyo3(get)]
    pub(super) name: String,
}

/// A product of dimensions and strides. The index of the last factor varies fastest.
///
/// >>> B, T = quaff.Dims().new("B T=256")
/// >>> B * T * 4
/// <Product B * T * 4>
#[pyclass(name = "Product", module = "quaff", frozen)]
#[derive(Clone)]
pub(crate) struct PyProduct {
    pub(super) terms: Vec<Term>,
    pub(super) text: String,
}

/// An equation of two products, or of a dimension and a sum, for `Dims.eq`.
///
/// Its truth value says whether both sides are the same product.
///
/// >>> N, B, T = quaff.Dims().new("N B T=256")
/// >>> N == B * T
/// <Equation N = B * T>
/// >>> bool(B * T == B * T)
/// True
#[pyclass(name = "Equation", module = "quaff", frozen)]
pub(crate) struct PyEquation {
    pub(super) left: PyProduct,
    pub(super) right: Right,
}

/// The right side of an equation.
#[derive(Clone)]
pub(super) enum Right {
    Product(PyProduct),
    Sum(PySum),
}

/// A scope of equations.
///
/// It is made by `Dims.new_scope`.
///
/// >>> quaff.Dims().new_scope("load")
/// <Scope load>
#[pyclass(name = "Scope", module = "quaff", frozen)]
#[derive(Clone)]
pub(crate) struct PyScope {
    pub(crate) scope: Scope,
    /// The name of the scope.
    #[pyo3(get)]
    pub(super) name: String,
}

impl PyProduct {
    /// `object` as a product, if it is a dimension, an integer or a product. Otherwise `None`.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<PyProduct>> {
        if let Ok(product) = object.cast::<PyProduct>() {
            return Ok(Some(product.get().clone()));
        }
        if let Ok(dim) = object.cast::<PyDim>() {
            let PyDim { dim, name } = dim.get();
            return Ok(Some(PyProduct { terms: vec![(*dim).into()], text: name.clone() }));
        }
        Ok(integer(object)?.map(|stride| PyProduct { terms: vec![stride.into()], text: stride.to_string() }))
    }

    fn times(self, other: PyProduct) -> PyProduct {
        let text = format!("{} * {}", self.text, other.text);
        PyProduct { terms: [self.terms, other.terms].concat(), text }
    }
}

/// `left * right`: a product, or a sum if one of them is an expression. `NotImplemented` if one of them is no factor.
fn product(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    match (PyProduct::of(left)?, PyProduct::of(right)?) {
        (Some(first), Some(second)) => Ok(Py::new(left.py(), first.times(second))?.into_any()),
        (Some(_), None) => scaled(left, right),
        (None, _) => scaled(right, left),
    }
}

/// `left == right` as an equation. False if `right` is neither a product nor a sum.
fn equation(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = left.py();
    let right = match right.cast::<PySum>() {
        Ok(sum) => Some(Right::Sum(sum.get().clone())),
        Err(_) => PyProduct::of(right)?.map(Right::Product),
    };
    match (PyProduct::of(left)?, right) {
        (Some(left), Some(right)) => Ok(Py::new(py, PyEquation { left, right })?.into_any()),
        _ => Ok(py.NotImplemented()),
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The operators of dimensions and of products. Each class has its own hash and text.
macro_rules! operators {
    ($class:ident, $name:literal, $key:ident, $text:ident) => {
        #[pymethods]
        impl $class {
            fn __mul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                product(slf, other)
            }

            fn __rmul__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                product(other, slf)
            }

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

            fn __neg__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                negative(slf)
            }

            fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
                equation(slf, other)
            }

            fn __hash__(&self) -> u64 {
                hash_of(&self.$key)
            }

            fn __str__(&self) -> &str {
                &self.$text
            }

            fn __repr__(&self) -> String {
                format!(concat!("<", $name, " {}>"), self.$text)
            }
        }
    };
}

operators!(PyDim, "Dim", dim, name);
operators!(PyProduct, "Product", terms, text);

#[pymethods]
impl PyEquation {
    fn __bool__(&self) -> bool {
        matches!(&self.right, Right::Product(right) if self.left.terms == right.terms)
    }

    fn __str__(&self) -> String {
        let right = match &self.right {
            Right::Product(product) => product.text.clone(),
            Right::Sum(sum) => sum.text(),
        };
        format!("{} = {right}", self.left.text)
    }

    fn __repr__(&self) -> String {
        format!("<Equation {}>", self.__str__())
    }
}

#[pymethods]
impl PyScope {
    fn __str__(&self) -> &str {
        &self.name
    }

    fn __repr__(&self) -> String {
        format!("<Scope {}>", self.name)
    }
}

/// An error about an object that is not a dimension.
pub(super) fn no_dim(object: &Bound<'_, PyAny>) -> PyErr {
    let ty = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!("a dimension is a Dim or its name, and not {ty}"))
}
