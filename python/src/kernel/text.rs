//! `quaff.KernelText`: a printed kernel, with a report.

use super::recording::failed;
use crate::answer::{contract, instructions};
use crate::domain::PyDomain;
use crate::expr::PyExpr;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff_explorer::Part;
use quaff_fronts::kernel::{AccessReport, Kernel, KernelIndex, KernelText};

/// A printed kernel, with a report of its indices and of its transfers (copies of elements).
///
/// It is made by `Kernel.finish`. `str` returns the text.
///
/// >>> k = quaff.Kernel("f", quaff.Dims())
/// >>> k.code("// nothing")
/// >>> print(k.finish().source)
/// extern "C" __global__ void f() {
///   // nothing
/// }
/// <BLANKLINE>
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
    /// The complete CUDA C++ text, which compiles without further code.
    #[getter]
    fn source(&self) -> &str {
        &self.text.source
    }

    /// The host code that computes a multiplier and a shift for each prepared divisor. It is empty if there are none.
    #[getter]
    fn host(&self) -> &str {
        &self.text.host
    }

    /// The parameters of the kernel, and the divisors that the host prepares, as in `Simplified.contract`.
    #[getter]
    fn contract<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        contract(py, self.text.contract.clone())
    }

    /// All indices and conditions, in the order of recording. Each is a dict with `name`, `raw` (as it was built) and
    /// `simplified`.
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

    /// For each copy, a dict with:
    ///
    /// - `to` and `source`: the names of the buffers;
    /// - `lanes`: the number of lanes;
    /// - `vectors`: the types of accesses that cover several lanes;
    /// - `single`: the number of lanes that are accessed one by one;
    /// - `reasons`: the reasons why these lanes are accessed one by one.
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

    /// The cost of all indices together in instructions. A shared subexpression counts once.
    #[getter]
    fn cost(&self) -> f64 {
        instructions(self.text.cost)
    }

    /// The cost of the indices before simplification, as the equations built them.
    #[getter]
    fn input_cost(&self) -> f64 {
        instructions(self.text.input_cost)
    }

    /// The instructions that a thread executes for the indices. Each operation counts once for each iteration of the
    /// loops that it depends on.
    #[getter]
    fn executed(&self) -> f64 {
        instructions(self.text.executed)
    }

    /// The instructions that a thread would execute for the indices as the equations built them.
    #[getter]
    fn input_executed(&self) -> f64 {
        instructions(self.text.input_executed)
    }

    /// The reason why the search ended.
    #[getter]
    fn stop(&self) -> &'static str {
        self.text.stop.as_str()
    }

    /// The facts about the variables of the text, for `quaff.verify(index["raw"], index["simplified"], text.facts)`.
    #[getter]
    fn facts(&self) -> PyDomain {
        PyDomain(self.kernel.facts())
    }

    /// The text with all indices as the equations built them, for comparison.
    ///
    /// Raises:
    ///     KernelError: an index has an operator without a spelling in C.
    ///
    /// >>> k = quaff.Kernel("f", quaff.Dims())
    /// >>> n, out = k.scalar("n", (1, 4096)), k.output("out", "int")
    /// >>> k.expr("half", n*4//8)
    /// >>> k.code("out[0] = $half;")
    /// >>> print(k.finish().as_built().splitlines()[1].strip())
    /// out[0] = ((n * 4) / 8);
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

    /// A table of the indices and the copies, and the text.
    fn _repr_html_(&self) -> String {
        Part::printed_kernel(&self.text).fragment()
    }
}
