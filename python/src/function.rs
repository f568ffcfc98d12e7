//! `quaff.Function`: evaluates an expression at many points.

use crate::building::failed;
use crate::errors;
use crate::numbers::integer;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyZeroDivisionError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList, PyTuple};
use quaff::expr::{EvalError, EvalFailure, Expr, Program};

/// An expression as a function of the values of its variables.
///
/// It is made by `Expr.lambdify`.
///
/// It is called with integers, or with arrays of integers, which are broadcast as in numpy. The value is an integer, or
/// an array of 64-bit integers. Values are exact: a value that does not fit 64 bits is an error.
///
/// >>> f = quaff.Expr("i*16 + j").lambdify("i", "j")
/// >>> f(2, 5), f.names
/// (37, ('i', 'j'))
#[pyclass(name = "Function", module = "quaff", frozen)]
pub(crate) struct PyFunction {
    names: Vec<String>,
    expr: Expr,
    program: Program,
}

impl PyFunction {
    pub(crate) fn new(expr: &Expr, names: Vec<String>) -> PyResult<PyFunction> {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let program = Program::new(std::slice::from_ref(expr), &all);
        let program = program.map_err(|unknown| failed(&EvalFailure::Unknown(unknown)))?;
        Ok(PyFunction { names, expr: expr.clone(), program })
    }

    /// The value at each point, as bytes of 64-bit integers. `rows` has a row of values for each variable. An error has
    /// the point, and is `None` for a value that does not fit 64 bits.
    fn at_all(&self, rows: &[Vec<i64>], count: usize) -> Result<Vec<u8>, (Vec<i64>, Option<EvalError>)> {
        let (mut buffer, mut point) = (vec![], vec![0; rows.len()]);
        let mut values = Vec::with_capacity(count * size_of::<i64>());
        for at in 0..count {
            for (own, row) in point.iter_mut().zip(rows) {
                *own = i128::from(row[at]);
            }
            let value = self.program.eval_into(&point, &mut buffer).next().unwrap_or(Err(EvalError::NoValue));
            let value = value.map_err(Some).and_then(|value| i64::try_from(value).map_err(|_| None));
            let own = || rows.iter().map(|row| row[at]).collect();
            values.extend(value.map_err(|e| (own(), e))?.to_ne_bytes());
        }
        Ok(values)
    }

    fn failed_at(&self, point: &[i64], e: Option<EvalError>) -> PyErr {
        let values: Vec<String> = self.names.iter().zip(point).map(|(name, value)| format!("{name}={value}")).collect();
        let text = e.map_or("value outside of 64 bits".into(), |e| e.to_string());
        let text = format!("{text}, at {}", values.join(", "));
        match e {
            Some(EvalError::DivisionByZero) => PyZeroDivisionError::new_err(text),
            Some(EvalError::Overflow) | None => PyOverflowError::new_err(text),
            Some(_) => errors::plain("EvalError", &text),
        }
    }

    fn of_arrays<'py>(&self, py: Python<'py>, values: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let arrays = numpy.call_method1("broadcast_arrays", values)?;
        let (mut rows, mut shape) = (vec![], None);
        for array in arrays.try_iter()? {
            let array = array?;
            let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
            if !"iub".contains(kind.as_str()) {
                let kind = array.getattr("dtype")?.str()?;
                return Err(PyTypeError::new_err(format!("the values of variables are integers, and not {kind}")));
            }
            if kind == "u" && is_above(&array, i64::MAX)? {
                return Err(PyOverflowError::new_err("a value of a variable is outside of 64 bits with sign"));
            }
            shape = Some(array.getattr("shape")?);
            let bytes: Vec<u8> = array.call_method1("astype", ("int64",))?.call_method0("tobytes")?.extract()?;
            rows.push(bytes.as_chunks().0.iter().map(|bytes| i64::from_ne_bytes(*bytes)).collect::<Vec<i64>>());
        }
        let count = rows.first().map_or(0, Vec::len);
        let values = py.detach(|| self.at_all(&rows, count));
        let values = values.map_err(|(point, e)| self.failed_at(&point, e))?;
        let values = numpy.call_method1("frombuffer", (PyByteArray::new(py, &values), "int64"))?;
        values.call_method1("reshape", (shape,))
    }
}

fn is_above(array: &Bound<'_, PyAny>, number: i64) -> PyResult<bool> {
    array.rich_compare(number, CompareOp::Gt)?.call_method0("any")?.is_truthy()
}

#[pymethods]
impl PyFunction {
    /// The names of the variables, in the order of the arguments.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.names)
    }

    /// The value of the expression for these values of the variables.
    ///
    /// Raises:
    ///     ZeroDivisionError: a divisor is 0. The message has the point.
    ///     OverflowError: a value does not fit 64 bits.
    ///     EvalError: a shift amount is invalid.
    #[pyo3(signature = (*values))]
    fn __call__<'py>(&self, py: Python<'py>, values: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        if values.len() != self.names.len() {
            let (wanted, given) = (self.names.len(), values.len());
            return Err(PyTypeError::new_err(format!(
                "the function takes {wanted} values, and was called with {given}"
            )));
        }
        // a numpy array has `ndim`, even if it has only one element
        if values.iter().any(|value| value.cast::<PyList>().is_ok() || value.hasattr("ndim").is_ok_and(|has| has)) {
            return self.of_arrays(py, values);
        }
        let mut point = vec![];
        for value in values {
            let Some(value) = integer(&value)? else {
                let kind = value.get_type();
                return Err(PyTypeError::new_err(format!(
                    "a value is an integer or an array, and not {}",
                    kind.name()?
                )));
            };
            point.push(value);
        }
        let wide: Vec<i128> = point.iter().map(|value| i128::from(*value)).collect();
        let value = self.program.eval(&wide).pop().unwrap_or(Err(EvalError::NoValue));
        Ok(value.map_err(|e| self.failed_at(&point, Some(e)))?.into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<Function ({}): {}>", self.names.join(", "), crate::expr::PyExpr::text(&self.expr))
    }
}
