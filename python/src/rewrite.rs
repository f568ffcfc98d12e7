//! `quaff.rewrite`: source files with cheaper index arithmetic.

use crate::answer::instructions;
use crate::errors;
use crate::numbers::integer;
use crate::simplifier::{PySimplifier, unlocked};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use quaff_rewrite::{Change, Language, Left, Options, Report, Rewritten};
use similar::TextDiff;

/// A source file with cheaper index arithmetic. `quaff.rewrite` makes it.
#[pyclass(name = "Rewritten", module = "quaff", frozen)]
pub(crate) struct PyRewritten {
    source: String,
    answer: Rewritten,
}

/// Rewrites the kernels of a source file. The integers of a kernel are simplified together, and each value of the new text is compared with the
/// old one.
///
/// Args:
///     source: the text of a file: functions with `__global__` or `__device__` in CUDA, all functions in C, functions under `@triton.jit`.
///     language: "cuda", "c" or "triton".
///     notes: facts that hold in each kernel that has their variables, such as `"n in 1..4096, n % 16 == 0"`; one text or several.
///     define: a dict from the names of macros, arguments of templates and `tl.constexpr` to their values.
///     host: lets the host prepare divisors, in CUDA.
///     simplifier: a `Simplifier` with rules or limits of its own.
///
/// Raises:
///     ValueError: there is no such language; a note is no fact.
///     ParseError: there is no tree of the text in this language.
#[pyfunction]
#[pyo3(signature = (source, language, *, notes = None, define = None, host = false, simplifier = None))]
pub(crate) fn rewrite(
    py: Python<'_>,
    source: &str,
    language: &str,
    notes: Option<&Bound<'_, PyAny>>,
    define: Option<&Bound<'_, PyDict>>,
    host: bool,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<PyRewritten> {
    let language = match language {
        "cuda" => Language::Cuda,
        "c" => Language::C,
        "triton" => Language::Triton,
        _ => return Err(PyValueError::new_err("the language is neither cuda, c nor triton")),
    };
    let mut options = if host { Options::default().host() } else { Options::default() };
    for note in notes.map(texts).transpose()?.unwrap_or_default() {
        options = options.note(&note).map_err(PyValueError::new_err)?;
    }
    for (name, value) in define.into_iter().flatten() {
        let name: String = name.extract()?;
        let Some(value) = integer(&value)? else {
            return Err(PyTypeError::new_err(format!("the value of {name:?} is an integer")));
        };
        options = options.define(name, value);
    }
    let answer = unlocked(py, simplifier.as_ref(), |s| quaff_rewrite::rewrite(source, language, &options, s));
    let answer = answer.map_err(|e| errors::other("ParseError", &e))?;
    Ok(PyRewritten { source: source.into(), answer })
}

/// One text, or several in a list.
fn texts(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match object.cast::<PyString>() {
        Ok(one) => Ok(vec![one.extract()?]),
        Err(_) => object.extract(),
    }
}

#[pymethods]
impl PyRewritten {
    /// The text; that of the source where nothing is cheaper.
    #[getter]
    fn text(&self) -> &str {
        &self.answer.text
    }

    /// Whether the text is not that of the source.
    #[getter]
    fn is_changed(&self) -> bool {
        self.answer.text != self.source
    }

    /// A patch in the unified format; empty where nothing changes.
    #[pyo3(signature = (name = "source"))]
    fn diff(&self, name: &str) -> String {
        let diff = TextDiff::from_lines(&self.source, &self.answer.text);
        diff.unified_diff().header(name, name).to_string()
    }

    /// What became of each kernel, as dicts. `before` and `after` are the cost of its integers, and `changes` the values with a new text. `assumed`
    /// has the facts that it relies on, and `left` the places that stay as they are. `proved` and `tried` count the values that were proved
    /// equal, and those that only agree at points.
    #[getter]
    fn kernels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let kernels: Vec<_> =
            self.answer.kernels.iter().map(|kernel| of_kernel(py, kernel)).collect::<PyResult<_>>()?;
        PyList::new(py, kernels)
    }

    fn __repr__(&self) -> String {
        let changed = self.answer.kernels.iter().filter(|kernel| !kernel.changes.is_empty()).count();
        format!("<Rewritten {changed} of {} kernels>", self.answer.kernels.len())
    }
}

fn of_kernel<'py>(py: Python<'py>, kernel: &Report) -> PyResult<Bound<'py, PyDict>> {
    let change = |c: &Change| {
        let change = PyDict::new(py);
        change.set_item("line", c.line)?;
        change.set_item("before", &c.before)?;
        change.set_item("after", &c.after)?;
        change.set_item("cost", c.cost.map(|(before, after)| (instructions(before), instructions(after))))?;
        Ok(change)
    };
    let left = |l: &Left| {
        let left = PyDict::new(py);
        left.set_item("line", l.line)?;
        left.set_item("text", &l.text)?;
        left.set_item("reason", &l.reason)?;
        Ok(left)
    };
    let all = PyDict::new(py);
    all.set_item("name", &kernel.name)?;
    all.set_item("line", kernel.line)?;
    all.set_item("before", instructions(kernel.before))?;
    all.set_item("after", instructions(kernel.after))?;
    all.set_item("changes", kernel.changes.iter().map(change).collect::<PyResult<Vec<_>>>()?)?;
    all.set_item("assumed", &kernel.assumed)?;
    all.set_item("left", kernel.left.iter().map(left).collect::<PyResult<Vec<_>>>()?)?;
    all.set_item("proved", kernel.proved)?;
    all.set_item("tried", kernel.tried)?;
    Ok(all)
}
