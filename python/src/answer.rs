//! `quaff.Simplified`: the answer of a call.

use crate::arguments::{Asked, Given};
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
use quaff_explorer::Part;
use std::collections::BTreeMap;

/// The answer to `simplify` or `simplify_all`.
///
/// >>> answer = quaff.simplify("(i*4 + j)//4*8", "i=0..9, j=0..3")
/// >>> answer.expr, answer.cost, answer.input_cost
/// (quaff.Expr('i*8'), 1.0, 3.0)
#[pyclass(name = "Simplified", module = "quaff", frozen)]
pub(crate) struct PySimplified {
    answer: Simplified,
    /// Whether the last expression is the condition under which the other expressions are valid indices.
    has_condition: bool,
    /// The question, if it is known.
    question: Option<Question>,
}

/// The expressions of a question, and the facts about their variables.
pub(crate) struct Question {
    pub(crate) exprs: Vec<Expr>,
    pub(crate) given: Given,
}

impl PySimplified {
    pub(crate) fn new(answer: Simplified, question: Option<Question>) -> PySimplified {
        PySimplified { answer, has_condition: false, question }
    }

    /// An answer with indices. With `has_condition`, its last expression is the condition under which they are valid.
    pub(crate) fn indices(answer: Simplified, has_condition: bool) -> PySimplified {
        PySimplified { answer, has_condition, question: None }
    }

    pub(crate) fn simplified(&self) -> &Simplified {
        &self.answer
    }

    pub(crate) fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// The answers, and the condition if there is one.
    fn parts(&self) -> (&[Expr], Option<&Expr>) {
        match self.answer.exprs() {
            [answers @ .., inside] if self.has_condition => (answers, Some(inside)),
            answers => (answers, None),
        }
    }

    fn text_in(&self, language: &str) -> PyResult<Text> {
        let text = match language {
            "cuda" => self.answer.cuda(),
            "c" => self.answer.c(),
            "rust" => self.answer.rust(),
            "python" => Ok(self.answer.python()),
            "triton" => self.answer.triton(),
            _ => return Err(PyValueError::new_err("the language is neither cuda, c, rust, python nor triton")),
        };
        text.map_err(|e| no_text(&e))
    }

    fn written(&self, dialect: &str) -> PyResult<Written> {
        let range_of = |e: &Expr| self.answer.range_of(e).unwrap_or(Interval::ALL);
        let written = quaff_dialects::write(self.answer.exprs(), dialects::named(dialect)?, &range_of);
        written.map_err(|e| errors::other("LowerError", &e))
    }

    fn texts(&self, between: &str, before_condition: &str) -> String {
        let (answers, inside) = self.parts();
        let answers: Vec<String> = answers.iter().map(PyExpr::text).collect();
        let condition = inside.map(|inside| before_condition.to_string() + &PyExpr::text(inside));
        answers.join(between) + &condition.unwrap_or_default()
    }
}

/// One step of a trace. A rule or the engine found that `before` equals `after` under `conditions`.
///
/// >>> for step in quaff.simplify("i*4//8", "i=0..9", trace=True).trace:
/// ...     print(step)
/// <gcd-with-remainder: i*4//8 = i//2>
#[pyclass(name = "Step", module = "quaff", frozen)]
pub(crate) struct PyStep(Step);

/// The ends of a range. An open end is None.
type Ends = (Option<i64>, Option<i64>);

/// The exception for an expression without machine text.
pub(crate) fn no_text(e: &LowerError) -> PyErr {
    errors::other("LowerError", e)
}

#[pymethods]
impl PySimplified {
    #[staticmethod]
    fn _unpickled(text: &str, has_condition: bool) -> PyResult<PySimplified> {
        Ok(PySimplified::indices(pickle::read(text)?, has_condition))
    }

    /// Pickles the whole answer, without the question, the cost model and the rules.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickle::reduced(py, "Simplified", (pickle::text(&self.answer)?, self.has_condition))
    }

    /// The answer to the first (or only) expression.
    #[getter]
    fn expr(&self) -> PyExpr {
        PyExpr(self.answer.expr().clone())
    }

    /// The answers, in the order of the call.
    #[getter]
    pub(crate) fn exprs(&self) -> Vec<PyExpr> {
        self.parts().0.iter().cloned().map(PyExpr).collect()
    }

    /// The condition under which the answers of `Dims.get` are inside of their dimensions, or None if they always are.
    /// Texts, and the nodes of `to_nodes`, contain the condition as an additional last result.
    #[getter]
    fn inside(&self) -> Option<PyExpr> {
        self.parts().1.cloned().map(PyExpr)
    }

    /// `(words, names, roots)` of the answers, as `quaff.to_nodes` returns them.
    ///
    /// >>> quaff.simplify("i*4//4", "i=0..9").to_nodes()
    /// ([1, 0], ['i'], [0])
    fn to_nodes<'py>(&self, py: Python<'py>) -> PyResult<Flat<'py>> {
        nodes::flat(py, self.answer.flat_nodes())
    }

    /// The cost of the answer, in simple 32-bit instructions.
    #[getter]
    fn cost(&self) -> f64 {
        instructions(self.answer.cost())
    }

    /// A lower bound on the cost of all forms that the last search found, or 0 if none is known. If it equals `cost`,
    /// the answer is proved to be the cheapest of these forms.
    #[getter]
    fn least_cost(&self) -> f64 {
        instructions(self.answer.least_cost())
    }

    /// The cost of the input as it was written.
    #[getter]
    fn input_cost(&self) -> f64 {
        instructions(self.answer.input_cost())
    }

    /// The reason why the search ended: "saturated", or the limit that ended it.
    #[getter]
    fn stop(&self) -> &'static str {
        self.answer.stop().as_str()
    }

    /// The number of rounds of saturation.
    #[getter]
    fn rounds(&self) -> u32 {
        self.answer.rounds()
    }

    /// The number of e-nodes that were made.
    #[getter]
    fn nodes(&self) -> usize {
        self.answer.nodes()
    }

    /// The seconds that the call took.
    #[getter]
    fn elapsed(&self) -> f64 {
        self.answer.elapsed().as_secs_f64()
    }

    /// The steps of the search, in order, with the rules that fired. The list is empty without `trace=True`.
    #[getter]
    fn trace(&self) -> Vec<PyStep> {
        self.answer.trace().iter().cloned().map(PyStep).collect()
    }

    /// The range `(lower, upper)` of every node of the answers, in the order of `to_nodes`.
    ///
    /// The ranges follow from the operands, the assumptions and the search. An open end is None. If the numerator of a
    /// division is not negative, a host whose `//` truncates need not correct the division.
    ///
    /// >>> quaff.simplify("i*2", "i=0..9").ranges()
    /// [(0, 9), (2, 2), (0, 18)]
    fn ranges(&self) -> Vec<Ends> {
        self.answer.ranges().iter().map(|range| (range.lo(), range.hi())).collect()
    }

    /// `(lower, upper)` of a part of the answer, if the search found a tighter range than the operands of the part
    /// give.
    ///
    /// An open end is None. The result is None if no tighter range was found, or if the part is not in the answer.
    ///
    /// >>> quaff.simplify("i - j", "i=0..9, j=0..9, assume i > j").range_of("i - j")
    /// (1, 9)
    fn range_of(&self, expr: Asked) -> Option<Ends> {
        // ranges are stored by node object, and `expr` is a different object than the equal node of the answer
        let dag = Dag::new(self.answer.exprs());
        let part = (0..dag.nodes().len() as u32).filter_map(|node| dag.expr(node)).find(|part| **part == expr.expr)?;
        self.answer.range_of(part).map(|range| (range.lo(), range.hi()))
    }

    /// The body of a CUDA function that returns the value, without divisions.
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///
    /// >>> quaff.simplify("(i*4 + j)//32", "i=0..99, j=0..3").cuda()
    /// 'return i >> 3;\n'
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
    /// >>> launch = quaff.Domain("x=0..1000000, n=1..1000", uniform="n")
    /// >>> "__umulhi" in quaff.simplify("x//n", launch).cuda_definitions()
    /// True
    /// >>> quaff.simplify("x//8", launch).cuda_definitions()
    /// ''
    fn cuda_definitions(&self) -> PyResult<String> {
        let text = self.answer.cuda().map_err(|e| no_text(&e))?;
        Ok(definitions(&text))
    }

    /// The function whose body is the text, as a dict:
    ///
    /// - `params`: the name and the type of each parameter;
    /// - `results`: the types of the results;
    /// - `divisors`: the divisors that the host prepares, each with its name, the divisor and the helper that prepares
    ///   it;
    /// - `host_params`: the other values that the host needs;
    /// - `renamed`: a dict from variables to their names in the text, for names that the language does not accept.
    ///
    /// Args:
    ///     language: "cuda", "c", "rust", "python" or "triton".
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///     ValueError: the language is unknown.
    ///
    /// >>> contract = quaff.simplify("i*4 + j", "i=0..99, j=0..3").contract("c")
    /// >>> contract["params"], contract["results"]
    /// ([{'name': 'i', 'type': 'int'}, {'name': 'j', 'type': 'int'}], ['int'])
    #[pyo3(signature = (language = "cuda"))]
    fn contract<'py>(&self, py: Python<'py>, language: &str) -> PyResult<Bound<'py, PyDict>> {
        contract(py, self.text_in(language)?.contract())
    }

    /// A whole function called `name`: definitions, parameters with their types, and the host calls that prepare each
    /// divisor.
    ///
    /// Several results are stored in `out` in CUDA and C. Other languages return a tuple.
    ///
    /// Args:
    ///     name: the name of the function, which must not occur in the text.
    ///     language: "cuda", "c", "rust", "python" or "triton".
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///     ValueError: the language is unknown, or it does not accept the name.
    ///
    /// >>> print(quaff.simplify("i*4//8", "i=0..99").function("half", "rust"))
    /// pub fn half(i: i64) -> i64 {
    ///     return i.div_euclid(2);
    /// }
    /// <BLANKLINE>
    #[pyo3(signature = (name, language = "cuda"))]
    fn function(&self, name: &str, language: &str) -> PyResult<String> {
        self.text_in(language)?.function(name).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// The body of a C function that returns the value. It begins with the definitions that it needs.
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///
    /// >>> quaff.simplify("(i*4 + j)//32", "i=0..99, j=0..3").c()
    /// 'return i >> 3;\n'
    fn c(&self) -> PyResult<String> {
        let text = self.answer.c().map_err(|e| no_text(&e))?;
        Ok(with_definitions(&text))
    }

    /// The body of a Rust function that returns the value.
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///
    /// >>> quaff.simplify("(i*4 + j)//32", "i=0..99, j=0..3").rust()
    /// 'return i.div_euclid(8);\n'
    fn rust(&self) -> PyResult<String> {
        self.answer.rust().map(|text| text.to_string()).map_err(|e| no_text(&e))
    }

    /// The body of a Python function that returns the value.
    ///
    /// >>> quaff.simplify("(i*4 + j)//32", "i=0..99, j=0..3").python()
    /// 'return i // 8\n'
    fn python(&self) -> String {
        self.answer.python().to_string()
    }

    /// The body of a Triton function that returns the value. It is exact although Triton's `//` rounds towards zero.
    ///
    /// Raises:
    ///     LowerError: a value may not fit 64 bits.
    ///
    /// >>> quaff.simplify("(program_id_0*4 + j)//32", "program_id_0=0..99, j=0..3").triton()
    /// 'return tl.program_id(0) // 8\n'
    fn triton(&self) -> PyResult<String> {
        self.answer.triton().map(|text| text.to_string()).map_err(|e| no_text(&e))
    }

    /// The answer in a dialect, with a line for each result.
    ///
    /// `Expr.parse` of the same dialect reads it back. In languages with statements, a part that is used more than once
    /// is defined before the results.
    ///
    /// Raises:
    ///     LowerError: the language has no text for the answer, such as MLIR for an expression that is not affine.
    ///     ValueError: the dialect is unknown.
    ///
    /// >>> quaff.simplify("(i*4 + j)//32", "i=0..99, j=0..3").text("mlir")
    /// 'i floordiv 8'
    fn text(&self, dialect: &str) -> PyResult<String> {
        Ok(self.written(dialect)?.text)
    }

    /// A dict from variables to their names or texts in `text` of this dialect.
    ///
    /// It contains the variables whose names the language does not accept, and those for which the language has its own
    /// spelling. Examples are `{"threadIdx.x": "threadIdx_x"}` in C and `{"program_id_0": "tl.program_id(0)"}` in
    /// Triton.
    ///
    /// Raises:
    ///     LowerError: the language has no text for the answer.
    ///     ValueError: the dialect is unknown.
    ///
    /// >>> quaff.simplify("threadIdx.x + 1", "threadIdx.x=0..31").renamed("c")
    /// {'threadIdx.x': 'threadIdx_x'}
    fn renamed(&self, dialect: &str) -> PyResult<BTreeMap<String, String>> {
        Ok(self.written(dialect)?.renamed)
    }

    fn __str__(&self) -> String {
        self.texts("\n", "\nwhere ")
    }

    /// The question and the answer with their differences marked, and the CUDA text.
    fn _repr_html_(&self) -> String {
        let asked = self.question.as_ref().map_or(&[][..], |q| &q.exprs);
        Part::answer(asked, &self.answer).fragment()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Simplified {}, cost {} of {}>",
            self.texts("; ", " where "),
            self.answer.cost(),
            self.answer.input_cost()
        )
    }
}

/// A cost in instructions, as a float.
pub(crate) fn instructions(cost: quaff::cost::Cost) -> f64 {
    cost.instructions()
}

/// A dict with the parameters, results and prepared divisors of the function whose body is the text.
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

/// The code that the text needs outside of its function, on the device and on the host. It is empty, or ends with an
/// empty line.
pub(crate) fn definitions(text: &Text) -> String {
    let parts = [&text.prelude, &text.host].into_iter().filter(|part| !part.is_empty());
    parts.map(|part| format!("{}\n\n", part.trim_end())).collect()
}

/// The definitions that the text needs, and then the text.
pub(crate) fn with_definitions(text: &Text) -> String {
    definitions(text) + &text.to_string()
}

#[pymethods]
impl PyStep {
    /// The name of the rule, or of the engine's step.
    #[getter]
    fn rule(&self) -> &str {
        &self.0.rule
    }

    /// The conditions under which the step holds, all of them together.
    #[getter]
    fn conditions(&self) -> Vec<PyExpr> {
        self.0.conditions.iter().cloned().map(PyExpr).collect()
    }

    /// The expression before the step.
    #[getter]
    fn before(&self) -> PyExpr {
        PyExpr(self.0.before.clone())
    }

    /// The expression after the step.
    #[getter]
    fn after(&self) -> PyExpr {
        PyExpr(self.0.after.clone())
    }

    fn __repr__(&self) -> String {
        format!("<{}: {} = {}>", self.0.rule, PyExpr::text(&self.0.before), PyExpr::text(&self.0.after))
    }
}
