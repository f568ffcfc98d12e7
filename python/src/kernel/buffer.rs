//! `quaff.Buffer`: memory that a kernel reads and writes.

use crate::dims::PyDim;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use quaff_fronts::kernel::{Buffer, Element};

/// A pointer parameter, a shared array or an array of registers. It is made by a `Kernel`.
///
/// `buffer[dim]` is the element at the index of a dimension.
///
/// >>> k = quaff.Kernel("f", quaff.Dims())
/// >>> data = k.input("data", "int")
/// >>> data.name, data.element
/// ('data', 'int')
#[pyclass(name = "Buffer", module = "quaff", frozen, mapping)]
pub(crate) struct PyBuffer(pub(super) Buffer);

/// An element of a buffer, as `buffer[dim]` returns it.
pub(super) type Place<'py> = (Bound<'py, PyBuffer>, Bound<'py, PyAny>);

/// The element of a C type.
pub(super) fn element_named(name: &str) -> PyResult<Element> {
    let found = Element::ALL.into_iter().find(|element| element.c_name() == name.trim());
    found.ok_or_else(|| {
        let names = Element::ALL.map(Element::c_name).join(", ");
        PyValueError::new_err(format!("no element is called {name:?}: it is one of {names}"))
    })
}

#[pymethods]
impl PyBuffer {
    /// The name of the buffer in the text.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The C type of the elements.
    #[getter]
    fn element(&self) -> &'static str {
        self.0.element().c_name()
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, dim: &Bound<'py, PyAny>) -> PyResult<Place<'py>> {
        if dim.cast::<PyDim>().is_err() && dim.cast::<PyString>().is_err() {
            return Err(PyTypeError::new_err("an element of a buffer is at a dimension or its name"));
        }
        Ok((slf.clone(), dim.clone()))
    }

    fn __repr__(&self) -> String {
        format!("<Buffer {} of {}>", self.0.name(), self.element())
    }
}
