//! Objects as bytes of `pickle`: the name of the class, and what its `_unpickled` takes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quaff::Simplified;
use quaff_fronts::view::ViewStack;

/// What `__reduce__` returns for an object of the class `kind` in `quaff._quaff`.
pub(crate) fn reduced<'py>(
    py: Python<'py>,
    kind: &str,
    state: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let read = py.import("quaff._errors")?.getattr("_unpickled")?;
    Ok((read, (kind, state.into_pyobject(py)?).into_pyobject(py)?))
}

fn unreadable(e: &serde_json::Error) -> PyErr {
    PyValueError::new_err(format!("the pickle is not of this version of quaff: {e}"))
}

pub(crate) fn of_answer(answer: &Simplified) -> PyResult<String> {
    serde_json::to_string(answer).map_err(|e| PyValueError::new_err(e.to_string()))
}

pub(crate) fn answer(text: &str) -> PyResult<Simplified> {
    serde_json::from_str(text).map_err(|e| unreadable(&e))
}

pub(crate) fn of_view(view: &ViewStack) -> PyResult<String> {
    serde_json::to_string(view).map_err(|e| PyValueError::new_err(e.to_string()))
}

pub(crate) fn view(text: &str) -> PyResult<ViewStack> {
    serde_json::from_str(text).map_err(|e| unreadable(&e))
}
