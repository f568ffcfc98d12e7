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

/// A source file with cheaper index arithmetic.
///
/// It is made by `quaff.rewrite`.
///
/// >>> found = quaff.rewrite("void f(int* x, int i) { x[0] = i*4/4; }", "c")
/// >>> found.is_changed, found.text
/// (True, 'void f(int* x, int i) { x[0] = i; }')
#[pyclass(name = "Rewritten", module = "quaff", frozen)]
pub(crate) struct PyRewritten {
    source: String,
    language: Language,
    notes: Vec<String>,
    answer: Rewritten,
}

impl PyRewritten {
    /// The original text, the dialect of its language, and the notes about its kernels.
    pub(crate) fn asked(&self) -> (&str, &'static str, &[String]) {
        let dialect = match self.language {
            Language::Cuda => "cuda",
            Language::C => "c",
            Language::Triton => "triton",
        };
        (&self.source, dialect, &self.notes)
    }
}

/// Rewrites the kernels of a source file.
///
/// The integer expressions of a kernel are simplified together. Each value of the new text is compared with the old
/// value.
///
/// Args:
///     source: the text of a file: functions with `__global__` or `__device__` in CUDA, all functions in C, functions under `@triton.jit`.
///     language: "cuda", "c" or "triton".
///     notes: facts that hold in each kernel with these variables, such as `"n in 1..4096, n % 16 == 0"`. It is one
///         text or several.
///     define: a dict from the names of macros, arguments of templates and `tl.constexpr` to their values.
///     host: lets the host prepare divisors, in CUDA.
///     simplifier: a `Simplifier` with special rules or limits.
///
/// Raises:
///     ValueError: the language is unknown, or a note is no fact.
///     ParseError: the text cannot be parsed in this language.
///
/// >>> text = "__global__ void f(int* x, int n) { x[0] = n/64*64 + n%64; }"
/// >>> print(quaff.rewrite(text, "cuda", notes="n in 0..4096").text)
/// __global__ void f(int* x, int n) { x[0] = n; }
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
    let notes = notes.map(texts).transpose()?.unwrap_or_default();
    for note in &notes {
        options = options.note(note).map_err(PyValueError::new_err)?;
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
    Ok(PyRewritten { source: source.into(), language, notes, answer })
}

/// The texts in an argument, which is one text or a list.
fn texts(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match object.cast::<PyString>() {
        Ok(one) => Ok(vec![one.extract()?]),
        Err(_) => object.extract(),
    }
}

#[pymethods]
impl PyRewritten {
    /// The new text. If nothing is cheaper, it is the text of the source.
    #[getter]
    fn text(&self) -> &str {
        &self.answer.text
    }

    /// Whether the text differs from the source.
    #[getter]
    fn is_changed(&self) -> bool {
        self.answer.text != self.source
    }

    /// A patch in the unified format. It is empty if nothing changes.
    ///
    /// >>> found = quaff.rewrite("void f(int* x, int i) { x[0] = i*4/4; }", "c")
    /// >>> found.diff("f.c").splitlines()[:3]
    /// ['--- f.c', '+++ f.c', '@@ -1 +1 @@']
    #[pyo3(signature = (name = "source"))]
    fn diff(&self, name: &str) -> String {
        let diff = TextDiff::from_lines(&self.source, &self.answer.text);
        diff.unified_diff().header(name, name).to_string()
    }

    /// The result for each kernel, as a list of dicts. `before` and `after` are the costs of its integer expressions.
    /// `changes` has the values with a new text. `assumed` has the facts that the new text relies on, and `left` the
    /// places that were not changed. `proved` counts the values that were proved equal, and `tried` counts the values
    /// that were only compared at points.
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
    all.set_item("unknown_signs", &kernel.unknown_signs)?;
    all.set_item("proved", kernel.proved)?;
    all.set_item("tried", kernel.tried)?;
    Ok(all)
}
