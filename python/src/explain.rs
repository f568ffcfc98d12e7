//! Verdicts of the exact procedure, and explanations.

use crate::answer::PySimplified;
use crate::arguments::{Asked, Given};
use crate::expr::PyExpr;
use crate::pickle;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quaff::quasi::{Decision, Options, Verdict, decide};
use quaff::{Explained, Explanation, Fact, Reason};
use std::collections::BTreeMap;

/// Whether two expressions are equal, as a procedure says that uses none of the rules: exact algebra, then enumeration, then samples.
#[pyclass(name = "Decision", module = "quaff", frozen)]
pub(crate) struct PyDecision {
    equal: Option<bool>,
    method: String,
    witness: Option<BTreeMap<String, i64>>,
    text: String,
}

impl PyDecision {
    fn new(decision: &Decision) -> PyDecision {
        let (equal, witness) = match &decision.verdict {
            Verdict::Equal => (Some(true), None),
            Verdict::Differs { witness } => {
                let values = witness.values().iter().map(|(name, value)| (name.to_string(), *value));
                (Some(false), Some(values.collect()))
            }
            Verdict::Undecided { .. } => (None, None),
        };
        PyDecision { equal, method: decision.method.as_str().into(), witness, text: decision.verdict.to_string() }
    }
}

#[pymethods]
impl PyDecision {
    /// True, False, or None where it is not decided.
    #[getter]
    fn equal(&self) -> Option<bool> {
        self.equal
    }

    /// The way in which it was found: "exact", "enumeration", "sampling" or "none".
    #[getter]
    fn method(&self) -> &str {
        &self.method
    }

    /// The values of the variables at a point where the expressions differ, else None.
    #[getter]
    fn witness(&self) -> Option<BTreeMap<String, i64>> {
        self.witness.clone()
    }

    #[staticmethod]
    fn _unpickled(
        equal: Option<bool>,
        method: String,
        witness: Option<BTreeMap<String, i64>>,
        text: String,
    ) -> PyDecision {
        PyDecision { equal, method, witness, text }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickle::reduced(py, "Decision", (self.equal, &*self.method, self.witness.clone(), &*self.text))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Decision {} ({})>", self.text, self.method)
    }
}

/// Whether `a` and `b` are equal at every point of `domain` at which `a` has a value.
///
/// It uses none of the rules: exact algebra of quasi-affine functions, then enumeration of at most `max_points` points, then samples.
#[pyfunction]
#[pyo3(signature = (a, b, domain = None, *, max_points = None))]
pub(crate) fn verify(py: Python<'_>, a: Asked, b: Asked, domain: Option<Given>, max_points: Option<u64>) -> PyDecision {
    let given = Given::or_empty(domain);
    let (domain, a, b) = (given.domain(), a.expr, b.expr);
    let defaults = Options::default();
    let options = Options { max_points: max_points.unwrap_or(defaults.max_points), ..defaults };
    PyDecision::new(&py.detach(|| decide(&a, &b, domain, &options)))
}

/// How an answer follows from its input.
#[pyclass(name = "Explanation", module = "quaff", frozen)]
pub(crate) struct PyExplanation(pub(crate) Explanation);

/// One step of an explanation.
#[pyclass(name = "Explained", module = "quaff", frozen)]
pub(crate) struct PyExplained(Explained);

#[pymethods]
impl PyExplanation {
    /// What is explained.
    #[getter]
    fn answer(&self) -> PySimplified {
        PySimplified::new(self.0.answer().clone())
    }

    /// The steps from the input to the answer.
    #[getter]
    fn steps(&self) -> Vec<PyExplained> {
        self.0.steps().iter().cloned().map(PyExplained).collect()
    }

    /// What the exact procedure says of input and answer.
    #[getter]
    fn check(&self) -> PyDecision {
        PyDecision::new(self.0.check())
    }

    /// Whether the answer and every step were found right.
    #[getter]
    fn is_checked(&self) -> bool {
        self.0.is_checked()
    }

    fn __str__(&self) -> String {
        let mut lines = vec![PyExpr::text(self.0.input())];
        told(self.0.steps(), 1, &mut lines);
        lines.push(format!("= {}  [{}]", PyExpr::text(self.0.answer().expr()), self.0.check().verdict));
        lines.join("\n")
    }

    fn __repr__(&self) -> String {
        format!("<Explanation of {} steps: {}>", self.0.steps().len(), self.0.check().verdict)
    }
}

/// One line for each of `steps`, and for the steps of their own further to the right.
fn told(steps: &[Explained], depth: usize, lines: &mut Vec<String>) {
    for step in steps {
        let [before, after] = step.texts();
        let indent = "  ".repeat(depth);
        lines.push(format!("{indent}{}: {before} = {after}  [{}]", step.reason.name(), step.check.verdict));
        told(&step.steps, depth + 1, lines);
    }
}

#[pymethods]
impl PyExplained {
    /// The name of the rule or of the step.
    #[getter]
    fn name(&self) -> &str {
        self.0.reason.name()
    }

    /// Why it holds, in words.
    #[getter]
    fn why(&self) -> String {
        match &self.0.reason {
            Reason::Rule { why, .. } => why.clone(),
            Reason::Engine { why, .. } | Reason::Context { why, .. } => (*why).to_string(),
            Reason::Choice { from, to } => format!("costs {to} in place of {from}"),
            _ => String::new(),
        }
    }

    /// Where it holds: wherever all of these do.
    #[getter]
    fn conditions(&self) -> Vec<PyExpr> {
        self.0.conditions.iter().cloned().map(PyExpr).collect()
    }

    /// A part of what is known by then.
    #[getter]
    fn before(&self) -> PyExpr {
        PyExpr(self.0.before.clone())
    }

    /// What it was found equal to.
    #[getter]
    fn after(&self) -> PyExpr {
        PyExpr(self.0.after.clone())
    }

    /// What satisfied the guards of a rule: pairs of a name of the rule and what it stood for.
    #[getter]
    fn facts(&self) -> Vec<(String, String)> {
        let told = |fact: &Fact| match fact {
            Fact::Number { name, value } => (name.clone(), value.to_string()),
            Fact::Value { name, range, congruence, .. } => {
                (name.clone(), format!("{} in {range}, {congruence:?}", fact.text().unwrap_or_default()))
            }
            _ => (String::new(), fact.text().unwrap_or_default()),
        };
        self.0.facts.iter().map(told).collect()
    }

    /// What the exact procedure, which knows nothing of rules, says of it.
    #[getter]
    fn check(&self) -> PyDecision {
        PyDecision::new(&self.0.check)
    }

    /// The same in detail, where the conditions are assumed.
    #[getter]
    fn steps(&self) -> Vec<PyExplained> {
        self.0.steps.iter().cloned().map(PyExplained).collect()
    }

    fn __repr__(&self) -> String {
        let [before, after] = self.0.texts();
        format!("<{}: {before} = {after}>", self.0.reason.name())
    }
}
