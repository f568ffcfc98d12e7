//! `quaff.Access`, and the answer to a question about several accesses.

use crate::answer::{contract, definitions, instructions, no_text, with_definitions};
use crate::arguments::{Asked, Given};
use crate::errors;
use crate::expr::PyExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff::Simplifier;
use quaff::access::{Access, Direction, Gate, SimplifiedAccesses};
use quaff::emit::{is_name, is_type};
use quaff::expr::Expr;
use quaff_explorer::Part;
use std::slice::from_ref;

/// A load or store of a kernel, which happens if its gate holds.
///
/// Args:
///     index: the index into the buffer, which may be wrong if the gate does not hold.
///     gate: the condition under which the access happens. None if it always happens.
///     buffer: the name of the buffer in texts.
///     load: the name of the variable that is loaded into.
///     store: the text of the value that is stored, if the access is a store.
///     element: the C type of the elements.
///
/// >>> load = quaff.Access("i - 1", "i > 0", buffer="image", load="pixel")
/// >>> load
/// <Access image[i - 1], gate=i > 0>
/// >>> load.index, load.gate
/// (quaff.Expr('i - 1'), quaff.Expr('i > 0'))
#[pyclass(name = "Access", module = "quaff", frozen)]
pub(crate) struct PyAccess(pub(crate) Access);

/// The arguments of the constructor: the index and the gate.
type Positional = (PyExpr, Option<PyExpr>);

#[pymethods]
impl PyAccess {
    #[new]
    #[pyo3(signature = (index, gate = None, *, buffer = "buffer", load = None, store = None, element = "float"))]
    fn new(
        index: Asked,
        gate: Option<Asked>,
        buffer: &str,
        load: Option<&str>,
        store: Option<&str>,
        element: &str,
    ) -> PyResult<PyAccess> {
        for (argument, name) in [("buffer", Some(buffer)), ("load", load)] {
            if let Some(name) = name.filter(|name| !is_name(name)) {
                let why =
                    format!("{argument} is {name:?}, which is no name: an identifier that is no keyword of C or C++");
                return Err(PyValueError::new_err(why));
            }
        }
        if !is_type(element) {
            return Err(PyValueError::new_err(format!(
                "element is {element:?}, which is no type: words such as `__half`"
            )));
        }
        let access = match (load, store) {
            (Some(_), Some(_)) => {
                return Err(PyValueError::new_err("an access is a load or a store"));
            }
            (load, None) => Access::load(load.unwrap_or("value"), buffer, index.expr),
            (None, Some(value)) => Access::store(buffer, index.expr, value),
        };
        let access = access.element(element);
        Ok(PyAccess(match gate {
            Some(gate) => access.when(gate.expr),
            None => access,
        }))
    }

    /// The index.
    #[getter]
    fn index(&self) -> PyExpr {
        PyExpr(self.0.index().clone())
    }

    /// The condition under which the access happens: None for always, the constant 0 for never.
    #[getter]
    fn gate(&self) -> Option<PyExpr> {
        gate(self.0.gate()).map(PyExpr)
    }

    /// The name of the buffer.
    #[getter]
    fn buffer(&self) -> &str {
        self.0.buffer()
    }

    /// The arguments with which a pickle calls the class.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Positional, Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("buffer", self.0.buffer())?;
        named.set_item("element", self.0.element_type())?;
        match self.0.direction() {
            Direction::Load { into, .. } => named.set_item("load", &**into)?,
            Direction::Store { value } => named.set_item("store", &**value)?,
        }
        Ok(((self.index(), self.gate()), named))
    }

    fn __repr__(&self) -> String {
        let gate = gate(self.0.gate()).map(|g| format!(", gate={}", PyExpr::text(&g))).unwrap_or_default();
        format!("<Access {}[{}]{gate}>", self.0.buffer(), PyExpr::text(self.0.index()))
    }
}

fn gate(gate: &Gate) -> Option<Expr> {
    match gate {
        Gate::Always => None,
        Gate::When(condition) => Some(condition.clone()),
        Gate::Never => Some(0.into()),
    }
}

/// The answer to `simplify_accesses`.
///
/// >>> store = quaff.Access("t//4*4 + t%4", buffer="out", store="v")
/// >>> found = quaff.simplify_accesses([store], "t=0..127")
/// >>> found.accesses, found.cost, found.input_cost
/// ([<Access out[t]>], 0.0, 3.0)
#[pyclass(name = "SimplifiedAccesses", module = "quaff", frozen)]
pub(crate) struct PySimplifiedAccesses {
    pub(crate) answer: SimplifiedAccesses,
    pub(crate) asked: Vec<Access>,
    pub(crate) given: Given,
    pub(crate) simplifier: Simplifier,
}

#[pymethods]
impl PySimplifiedAccesses {
    /// The simplified accesses, in the order of the call.
    #[getter]
    fn accesses(&self) -> Vec<PyAccess> {
        self.answer.accesses().iter().cloned().map(PyAccess).collect()
    }

    /// The cost of gates and indices together, in simple 32-bit instructions.
    #[getter]
    fn cost(&self) -> f64 {
        instructions(self.answer.cost())
    }

    /// The cost of gates and indices as written.
    #[getter]
    fn input_cost(&self) -> f64 {
        instructions(self.answer.input_cost())
    }

    /// The reason why the search ended.
    #[getter]
    fn stop(&self) -> &'static str {
        self.answer.stop().as_str()
    }

    /// CUDA text of all accesses, in which an index is only computed if its gate holds.
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///
    /// >>> store = quaff.Access("t%4", "t < 3", buffer="out", store="v")
    /// >>> quaff.simplify_accesses([store], "t=0..3").cuda()
    /// 'if (t < 3) {\n  out[t] = v;\n}\n'
    fn cuda(&self) -> PyResult<String> {
        self.answer.cuda().map(|text| text.to_string()).map_err(|e| no_text(&e))
    }

    /// The code that the text of `cuda` needs outside of its function.
    ///
    /// It has the type of prepared divisors, and the functions of the host that prepare them. It is empty if no divisor
    /// is fixed for a launch.
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///
    /// >>> store = quaff.Access("t%4", buffer="out", store="v")
    /// >>> quaff.simplify_accesses([store], "t=0..3").cuda_definitions()
    /// ''
    fn cuda_definitions(&self) -> PyResult<String> {
        Ok(definitions(&self.answer.cuda().map_err(|e| no_text(&e))?))
    }

    /// The function whose body is the text, as `Simplified.contract` describes it.
    ///
    /// Buffers and stored values are also parameters.
    ///
    /// Args:
    ///     language: "cuda" or "c".
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///     ValueError: the language is unknown.
    ///
    /// >>> store = quaff.Access("t%4", buffer="out", store="v")
    /// >>> quaff.simplify_accesses([store], "t=0..3").contract()["params"]
    /// [{'name': 't', 'type': 'int'}, {'name': 'out', 'type': 'float *'}, {'name': 'v', 'type': 'float'}]
    #[pyo3(signature = (language = "cuda"))]
    fn contract<'py>(&self, py: Python<'py>, language: &str) -> PyResult<Bound<'py, PyDict>> {
        let text = match language {
            "cuda" => self.answer.cuda(),
            "c" => self.answer.c(),
            _ => return Err(PyValueError::new_err("the language is neither cuda nor c")),
        };
        contract(py, text.map_err(|e| no_text(&e))?.contract())
    }

    /// C text of all accesses. It begins with the definitions that it needs.
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///
    /// >>> load = quaff.Access("t%4", "t < 3", buffer="data")
    /// >>> quaff.simplify_accesses([load], "t=0..3").c()
    /// 'const float value = t < 3 ? data[t] : 0;\n'
    fn c(&self) -> PyResult<String> {
        let text = self.answer.c().map_err(|e| no_text(&e))?;
        Ok(with_definitions(&text))
    }

    /// A table of the accesses as given and as simplified, with the cost of each access alone, and the CUDA text.
    ///
    /// Raises: The exceptions of `simplify`.
    fn _repr_html_(&self) -> PyResult<String> {
        let domain = self.given.domain();
        let nests = vec![Vec::new(); self.asked.len()];
        let nested = self.simplifier.in_loops(&self.answer, &nests, domain).map_err(|e| errors::simplify(&e, &[]))?;
        let price = |access: &Access| self.simplifier.cost_of_accesses(from_ref(access), domain).ok();
        Ok(Part::kernel(&self.asked, &self.answer, &nested, price).fragment())
    }

    fn __repr__(&self) -> String {
        let n = self.answer.accesses().len();
        format!("<SimplifiedAccesses {n} accesses, cost {} of {}>", self.answer.cost(), self.answer.input_cost())
    }
}
