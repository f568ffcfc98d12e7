//! `quaff.Simplified`: the answer to a call.

use crate::arguments::Asked;
use crate::dialects;
use crate::errors;
use crate::expr::PyExpr;
use crate::nodes::{self, Flat};
use crate::pickle;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quaff::domain::Interval;
use quaff::emit::{Contract, HostDivisor, Parameter, Text};
use quaff::expr::{Dag, Expr};
use quaff::lower::LowerError;
use quaff::{Simplified, Step};
use quaff_dialects::Written;
use std::collections::BTreeMap;

/// The answer to `simplify` or `simplify_all`.
#[pyclass(name = "Simplified", module = "quaff", frozen)]
pub(crate) struct PySimplified(
    pub(crate) Simplified,
    // whether the last expression is the condition under which the others are indices
    pub(crate) bool,
);

impl PySimplified {
    pub(crate) fn new(answer: Simplified) -> PySimplified {
        PySimplified(answer, false)
    }

    /// The answers, and the condition.
    fn parts(&self) -> (&[Expr], Option<&Expr>) {
        match self.0.exprs() {
            [answers @ .., inside] if self.1 => (answers, Some(inside)),
            answers => (answers, None),
        }
    }

    fn text_in(&self, language: &str) -> PyResult<Text> {
        let text = match language {
            "cuda" => self.0.cuda(),
            "c" => self.0.c(),
            "rust" => self.0.rust(),
            "python" => Ok(self.0.python()),
            "triton" => self.0.triton(),
            _ => return Err(PyValueError::new_err("the language is neither cuda, c, rust, python nor triton")),
        };
        text.map_err(|e| no_text(&e))
    }

    fn written(&self, dialect: &str) -> PyResult<Written> {
        let range_of = |e: &Expr| self.0.range_of(e).unwrap_or(Interval::ALL);
        let written = quaff_dialects::write(self.0.exprs(), dialects::named(dialect)?, &range_of);
        written.map_err(|e| errors::other("LowerError", &e))
    }

    fn texts(&self, between: &str, before_condition: &str) -> String {
        let (answers, inside) = self.parts();
        let answers: Vec<String> = answers.iter().map(PyExpr::text).collect();
        let condition = inside.map(|inside| before_condition.to_string() + &PyExpr::text(inside));
        answers.join(between) + &condition.unwrap_or_default()
    }
}

/// One entry of a trace: a rule, or the engine without one, found `before` equal to `after` where `conditions` hold.
#[pyclass(name = "Step", module = "quaff", frozen)]
pub(crate) struct PyStep(Step);

/// The ends of a range; None where it is open.
type Ends = (Option<i64>, Option<i64>);

/// The exception for an expression without machine text.
pub(crate) fn no_text(e: &LowerError) -> PyErr {
    errors::other("LowerError", e)
}

#[pymethods]
impl PySimplified {
    #[staticmethod]
    fn _unpickled(text: &str, has_condition: bool) -> PyResult<PySimplified> {
        Ok(PySimplified(pickle::read(text)?, has_condition))
    }

    /// Pickles with all that it says; the cost model and the rules are left out.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickle::reduced(py, "Simplified", (pickle::text(&self.0)?, self.1))
    }

    /// The answer to the first (or only) expression.
    #[getter]
    fn expr(&self) -> PyExpr {
        PyExpr(self.0.expr().clone())
    }

    /// The answers, in the order of the call.
    #[getter]
    pub(crate) fn exprs(&self) -> Vec<PyExpr> {
        self.parts().0.iter().cloned().map(PyExpr).collect()
    }

    /// The condition under which the answers of `Dims.get` are inside of their dimensions, where that is not certain; None otherwise.
    /// Texts, and the nodes of `to_nodes`, have it as one more result, the last one.
    #[getter]
    fn inside(&self) -> Option<PyExpr> {
        self.parts().1.cloned().map(PyExpr)
    }

    /// `(words, names, roots)` of the answers, as `quaff.to_nodes` returns them.
    fn to_nodes<'py>(&self, py: Python<'py>) -> PyResult<Flat<'py>> {
        nodes::flat(py, self.0.flat_nodes())
    }

    /// What the answer costs, in simple 32-bit instructions.
    #[getter]
    fn cost(&self) -> f64 {
        instructions(self.0.cost())
    }

    /// What no form costs less than that the last search found; 0 where nothing is known. Where it is `cost`, the answer is proved to be
    /// the cheapest of these.
    #[getter]
    fn least_cost(&self) -> f64 {
        instructions(self.0.least_cost())
    }

    /// What the input costs as it was written.
    #[getter]
    fn input_cost(&self) -> f64 {
        instructions(self.0.input_cost())
    }

    /// Why the search ended: "saturated", or the limit that ended it.
    #[getter]
    fn stop(&self) -> &'static str {
        self.0.stop().as_str()
    }

    /// Rounds of saturation.
    #[getter]
    fn rounds(&self) -> u32 {
        self.0.rounds()
    }

    /// E-nodes made.
    #[getter]
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    /// The seconds that the call took.
    #[getter]
    fn elapsed(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    /// The rules that fired, in order; empty unless it was asked for with `trace=True`.
    #[getter]
    fn trace(&self) -> Vec<PyStep> {
        self.0.trace().iter().cloned().map(PyStep).collect()
    }

    /// `(lower, upper)` of every part of the answers, in the order of the nodes of `to_nodes`: what operands, assumptions and the
    /// search tell. An end is None where it is open. A host whose `//` truncates need not correct one whose numerator is not negative.
    fn ranges(&self) -> Vec<Ends> {
        self.0.ranges().iter().map(|range| (range.lo(), range.hi())).collect()
    }

    /// `(lower, upper)` of a part of the answer where the search found more than the operands of the part tell; an end is None where
    /// it is open. None where nothing more was found, and where the part is not in the answer.
    fn range_of(&self, expr: Asked) -> Option<Ends> {
        // what was found is known by node: an equal expression is another one
        let dag = Dag::new(self.0.exprs());
        let part = (0..dag.nodes().len() as u32).filter_map(|node| dag.expr(node)).find(|part| **part == expr.expr)?;
        self.0.range_of(part).map(|range| (range.lo(), range.hi()))
    }

    /// The body of a CUDA function that returns the value, without a division.
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
        let text = self.0.cuda().map_err(|e| no_text(&e))?;
        Ok(definitions(&text))
    }

    /// The function that a text is the body of, as a dict: `params` (name and type of each), `results` (types), `divisors` (prepared by the
    /// host: name, divisor and the helper that makes each), `host_params` (what else the host needs) and `renamed` (from variables to their
    /// names in the text, where the language does not take their own).
    ///
    /// Args:
    ///     language: "cuda", "c", "rust", "python" or "triton".
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    ///     ValueError: there is no such language.
    #[pyo3(signature = (language = "cuda"))]
    fn contract<'py>(&self, py: Python<'py>, language: &str) -> PyResult<Bound<'py, PyDict>> {
        contract(py, self.text_in(language)?.contract())
    }

    /// A whole function of this name: definitions, parameters with their types, and what the host calls to prepare each divisor. Several
    /// results go to `out` in CUDA and C; other languages return a tuple.
    ///
    /// Args:
    ///     name: what the function is called; nothing in the text has this name.
    ///     language: "cuda", "c", "rust", "python" or "triton".
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    ///     ValueError: there is no such language, or it does not take the name.
    #[pyo3(signature = (name, language = "cuda"))]
    fn function(&self, name: &str, language: &str) -> PyResult<String> {
        self.text_in(language)?.function(name).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The body of a C function that returns the value; it begins with the definitions that it needs.
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    fn c(&self) -> PyResult<String> {
        let text = self.0.c().map_err(|e| no_text(&e))?;
        Ok(with_definitions(&text))
    }

    /// The body of a Rust function that returns the value.
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    fn rust(&self) -> PyResult<String> {
        self.0.rust().map(|text| text.to_string()).map_err(|e| no_text(&e))
    }

    /// The body of a Python function that returns the value.
    fn python(&self) -> String {
        self.0.python().to_string()
    }

    /// The body of a function for Triton that returns the value, exact though Triton's `//` rounds towards zero.
    ///
    /// Raises:
    ///     LowerError: a value can leave 64 bits.
    fn triton(&self) -> PyResult<String> {
        self.0.triton().map(|text| text.to_string()).map_err(|e| no_text(&e))
    }

    /// The answer in a dialect, which `Expr.parse` of the same dialect reads back; a line for each result. What is used more than once is
    /// defined in front, in languages with statements.
    ///
    /// Raises:
    ///     LowerError: the language has no text for the answer, such as MLIR for what is not affine.
    ///     ValueError: there is no such dialect.
    fn text(&self, dialect: &str) -> PyResult<String> {
        Ok(self.written(dialect)?.text)
    }

    /// What `text` of this dialect has in the place of variables whose names the language cannot have, or has something of its own for: a
    /// dict from variables to texts, such as `{"threadIdx.x": "threadIdx_x"}` in C and `{"program_id_0": "tl.program_id(0)"}` in Triton.
    ///
    /// Raises:
    ///     LowerError: the language has no text for the answer.
    ///     ValueError: there is no such dialect.
    fn renamed(&self, dialect: &str) -> PyResult<BTreeMap<String, String>> {
        Ok(self.written(dialect)?.renamed)
    }

    fn __str__(&self) -> String {
        self.texts("\n", "\nwhere ")
    }

    fn __repr__(&self) -> String {
        format!("<Simplified {}, cost {} of {}>", self.texts("; ", " where "), self.0.cost(), self.0.input_cost())
    }
}

/// Instructions as a number.
pub(crate) fn instructions(cost: quaff::cost::Cost) -> f64 {
    cost.instructions()
}

/// The function that a text is the body of, as a dict.
pub(crate) fn contract<'py>(py: Python<'py>, contract: Contract) -> PyResult<Bound<'py, PyDict>> {
    let Contract { params, results, divisors, host_params, renamed, .. } = contract;
    let parameters = |all: Vec<Parameter>| -> PyResult<Vec<Bound<'py, PyDict>>> {
        let one = |p: Parameter| {
            let out = PyDict::new(py);
            out.set_item("name", p.name)?;
            out.set_item("type", p.ty)?;
            Ok(out)
        };
        all.into_iter().map(one).collect()
    };
    let divisor = |d: HostDivisor| {
        let out = PyDict::new(py);
        out.set_item("name", d.name)?;
        out.set_item("divisor", d.divisor)?;
        out.set_item("helper", d.helper)?;
        Ok(out)
    };
    let out = PyDict::new(py);
    out.set_item("params", parameters(params)?)?;
    out.set_item("results", results)?;
    out.set_item("divisors", divisors.into_iter().map(divisor).collect::<PyResult<Vec<_>>>()?)?;
    out.set_item("host_params", parameters(host_params)?)?;
    out.set_item("renamed", renamed)?;
    Ok(out)
}

/// What the text needs outside of its function, on the device and on the host; it ends with an empty line, or is empty.
pub(crate) fn definitions(text: &Text) -> String {
    let parts = [&text.prelude, &text.host].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| format!("{}\n\n", part.trim_end())).collect()
}

/// The text behind what it needs.
pub(crate) fn with_definitions(text: &Text) -> String {
    definitions(text) + &text.to_string()
}

#[pymethods]
impl PyStep {
    /// The rule's name, or that of a step which the engine takes without one.
    #[getter]
    fn rule(&self) -> &str {
        &self.0.rule
    }

    /// Where it holds: wherever all of these do.
    #[getter]
    fn conditions(&self) -> Vec<PyExpr> {
        self.0.conditions.iter().cloned().map(PyExpr).collect()
    }

    /// What it matched.
    #[getter]
    fn before(&self) -> PyExpr {
        PyExpr(self.0.before.clone())
    }

    /// What it wrote.
    #[getter]
    fn after(&self) -> PyExpr {
        PyExpr(self.0.after.clone())
    }

    fn __repr__(&self) -> String {
        format!("<{}: {} = {}>", self.0.rule, PyExpr::text(&self.0.before), PyExpr::text(&self.0.after))
    }
}
