//! `quaff.KernelText`: a printed kernel, with a report.

use super::failed;
use crate::answer::{contract, instructions};
use crate::dims::escaped;
use crate::domain::PyDomain;
use crate::expr::PyExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff_fronts::kernel::{AccessReport, Kernel, KernelIndex, KernelText};

/// A printed kernel, with a report of its indices and of its copies. `Kernel.finish` makes it; `str` is its text.
#[pyclass(name = "KernelText", module = "quaff", frozen)]
pub(crate) struct PyKernelText {
    kernel: Box<Kernel>,
    text: KernelText,
}

impl PyKernelText {
    pub(super) fn new(kernel: Box<Kernel>, text: KernelText) -> PyKernelText {
        PyKernelText { kernel, text }
    }
}

#[pymethods]
impl PyKernelText {
    /// CUDA C++, complete: it compiles as it is.
    #[getter]
    fn source(&self) -> &str {
        &self.text.source
    }

    /// What the host needs to prepare divisors; empty where there are none.
    #[getter]
    fn host(&self) -> &str {
        &self.text.host
    }

    /// The parameters of the kernel and what the host prepares, as `Simplified.contract`.
    #[getter]
    fn contract<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        contract(py, self.text.contract.clone())
    }

    /// All indices and conditions, in the order of recording: a dict each, with `name`, `raw` (as built) and `simplified`.
    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let one = |index: &KernelIndex| {
            let out = PyDict::new(py);
            out.set_item("name", &*index.name)?;
            out.set_item("raw", PyExpr(index.raw.clone()))?;
            out.set_item("simplified", PyExpr(index.simplified.clone()))?;
            Ok(out)
        };
        self.text.indices.iter().map(one).collect()
    }

    /// How each copy is done: a dict each, with `to`, `source` (names of buffers), `lanes`, `vectors` (the types of accesses that cover several lanes),
    /// `single` (how many lanes are accessed one by one) and `reasons` (why there are such lanes).
    #[getter]
    fn accesses<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let one = |access: &AccessReport| {
            let out = PyDict::new(py);
            out.set_item("to", &*access.to)?;
            out.set_item("source", &*access.from)?;
            out.set_item("lanes", access.lanes)?;
            out.set_item("vectors", access.vectors.clone())?;
            out.set_item("single", access.single)?;
            out.set_item("reasons", &access.reasons)?;
            Ok(out)
        };
        self.text.accesses.iter().map(one).collect()
    }

    /// The cost of all indices together, each computed once, in instructions.
    #[getter]
    fn cost(&self) -> f64 {
        instructions(self.text.cost)
    }

    /// The same as the equations built them.
    #[getter]
    fn input_cost(&self) -> f64 {
        instructions(self.text.input_cost)
    }

    /// What a thread executes of the indices: each operation as often as the loops run that it depends on.
    #[getter]
    fn executed(&self) -> f64 {
        instructions(self.text.executed)
    }

    /// The same as the equations built them.
    #[getter]
    fn input_executed(&self) -> f64 {
        instructions(self.text.input_executed)
    }

    /// What ended the search.
    #[getter]
    fn stop(&self) -> &'static str {
        self.text.stop.as_str()
    }

    /// What is known of the variables of the text: `quaff.verify(index["raw"], index["simplified"], text.facts)`.
    #[getter]
    fn facts(&self) -> PyDomain {
        PyDomain(self.kernel.facts())
    }

    /// The text with all indices as the equations built them, for comparison.
    ///
    /// Raises:
    ///     KernelError: an index has an operator that C does not spell.
    fn as_built(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.kernel.emit_raw()).map_err(|e| failed(&e, &[]))
    }

    fn __str__(&self) -> &str {
        &self.text.source
    }

    fn __repr__(&self) -> String {
        let KernelText { executed, input_executed, .. } = &self.text;
        format!("<KernelText, {executed} instructions of {input_executed}>")
    }

    /// The text, and a table of its indices.
    fn _repr_html_(&self) -> String {
        let mut html = String::from(
            "<table class=\"quaff-kernel\"><thead><tr><th>index</th><th>as built</th><th>simplified</th></tr></thead><tbody>",
        );
        for KernelIndex { name, raw, simplified, .. } in &self.text.indices {
            let cells = [name.to_string(), raw.to_string(), simplified.to_string()].map(|cell| escaped(&cell));
            html += &format!("<tr><td>{}</td></tr>", cells.join("</td><td>"));
        }
        let KernelText { source, executed, input_executed, accesses, .. } = &self.text;
        let copies: String = accesses.iter().map(|access| escaped(&access.to_string()) + "<br>").collect();
        html + &format!(
            "</tbody></table><p>{copies}{executed} instructions of a thread, as built {input_executed}</p><pre>{}</pre>",
            escaped(source)
        )
    }
}
