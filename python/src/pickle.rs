//! Pickles objects: the name of the class, and the arguments of its `_unpickled`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The result of `__reduce__` for an object of the class `kind` in `quaff._quaff`.
pub(crate) fn reduced<'py>(
    py: Python<'py>,
    kind: &str,
    state: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let read = py.import("quaff._errors")?.getattr("_unpickled")?;
    Ok((read, (kind, state.into_pyobject(py)?).into_pyobject(py)?))
}

/// A value as text.
pub(crate) fn text<T: Serialize>(value: &T) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// The value that [`text`] wrote.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    let wrong = |e| PyValueError::new_err(format!("the pickle is not of this version of quaff: {e}"));
    serde_json::from_str(text).map_err(wrong)
}
