//! Converts Python integers to constants of expressions.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

/// `value` if it is an integer of 64 bits. `None` if it is no integer.
///
/// # Errors
/// `OverflowError` for an integer that constants cannot hold.
pub(crate) fn integer(value: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Some(truth.is_true().into()));
    }
    let whole = match value.cast::<PyInt>() {
        Ok(int) => int.clone().into_any(),
        // integers of other libraries, such as numpy; an array of several elements has no `__index__` value
        Err(_) if value.hasattr("__index__")? => match value.call_method0("__index__") {
            Err(e) if e.is_instance_of::<PyTypeError>(value.py()) => return Ok(None),
            whole => whole?,
        },
        Err(_) => return Ok(None),
    };
    match whole.extract::<i64>() {
        Ok(value) => Ok(Some(value)),
        Err(_) => Err(PyOverflowError::new_err(format!(
            "{} is outside of 64 bits: constants lie in -2**63..2**63 - 1",
            shown(&whole)
        ))),
    }
}

/// The digits of `value`, cut to a readable length.
fn shown(value: &Bound<'_, PyAny>) -> String {
    // Python refuses to print an integer with too many digits
    let text = value.str().map_or_else(|_| "an integer".to_string(), |text| text.to_string());
    if text.len() <= 40 { text } else { format!("{}... ({} digits)", &text[..20], text.len()) }
}
