//! `quaff.Access` and the answer to a question about several.

use crate::answer::{contract, definitions, instructions, no_text, with_definitions};
use crate::arguments::Asked;
use crate::expr::PyExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff::access::{Access, Direction, Gate, SimplifiedAccesses};
use quaff::emit::{is_name, is_type};
use quaff::expr::Expr;

/// A load or store of a kernel, which happens where its gate holds.
///
/// Args:
///     index: the index into the buffer; need not be right where the gate does not hold.
///     gate: the condition; None where the access always happens.
///     buffer: the name of the buffer in texts.
///     load: the name of the variable that is loaded into.
///     store: the text of the value that is stored; instead of `load`.
///     element: the C type of the elements.
#[pyclass(name = "Access", module = "quaff", frozen)]
pub(crate) struct PyAccess(pub(crate) Access);

/// The index of an access and its gate.
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

    /// What pickles call the class with.
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
#[pyclass(name = "SimplifiedAccesses", module = "quaff", frozen)]
pub(crate) struct PySimplifiedAccesses(pub(crate) SimplifiedAccesses);

#[pymethods]
impl PySimplifiedAccesses {
    /// The accesses, in the order of the call.
    #[getter]
    fn accesses(&self) -> Vec<PyAccess> {
        self.0.accesses().iter().cloned().map(PyAccess).collect()
    }

    /// What gates and indices cost together, in simple 32-bit instructions.
    #[getter]
    fn cost(&self) -> f64 {
        instructions(self.0.cost())
    }

    /// What they cost as written.
    #[getter]
    fn input_cost(&self) -> f64 {
        instructions(self.0.input_cost())
    }

    /// Why the search ended.
    #[getter]
    fn stop(&self) -> &'static str {
        self.0.stop().as_str()
    }

    /// CUDA text of all accesses, in which no index is computed where its gate does not hold.
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    fn cuda(&self) -> PyResult<String> {
        self.0.cuda().map(|text| text.to_string()).map_err(|e| no_text(&e))
    }

    /// What the text of `cuda` needs outside of its function: the type of prepared divisors, and the functions of the host that
    /// prepare them. Empty where no divisor is fixed for a launch.
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    fn cuda_definitions(&self) -> PyResult<String> {
        Ok(definitions(&self.0.cuda().map_err(|e| no_text(&e))?))
    }

    /// The function that a text is the body of, as `Simplified.contract` says it; buffers and values that are stored are parameters, too.
    ///
    /// Args:
    ///     language: "cuda" or "c".
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    ///     ValueError: there is no such language.
    #[pyo3(signature = (language = "cuda"))]
    fn contract<'py>(&self, py: Python<'py>, language: &str) -> PyResult<Bound<'py, PyDict>> {
        let text = match language {
            "cuda" => self.0.cuda(),
            "c" => self.0.c(),
            _ => return Err(PyValueError::new_err("the language is neither cuda nor c")),
        };
        contract(py, text.map_err(|e| no_text(&e))?.contract())
    }

    /// C text of all accesses; it begins with the definitions that it needs.
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    fn c(&self) -> PyResult<String> {
        let text = self.0.c().map_err(|e| no_text(&e))?;
        Ok(with_definitions(&text))
    }

    fn __repr__(&self) -> String {
        let n = self.0.accesses().len();
        format!("<SimplifiedAccesses {n} accesses, cost {} of {}>", self.0.cost(), self.0.input_cost())
    }
}
