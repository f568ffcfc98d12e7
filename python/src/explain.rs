//! Verdicts of the exact procedure, and explanations.

use crate::answer::{PySimplified, Question};
use crate::arguments::{Asked, Given};
use crate::expr::PyExpr;
use crate::pickle;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quaff::quasi::{Decision, Options, Verdict, decide};
use quaff::{Explained, Explanation, Fact, Reason};
use quaff_explorer::Part;
use std::collections::BTreeMap;

/// The verdict whether two expressions are equal, by a procedure that uses none of the rules. It tries exact algebra,
/// then enumeration, then samples.
///
/// >>> decision = quaff.verify("i//4", "(i + 1)//4", "i=0..15")
/// >>> decision.equal, decision.method, decision.witness
/// (False, 'exact', {'i': 3})
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
    /// True, False, or None if it is not decided.
    #[getter]
    fn equal(&self) -> Option<bool> {
        self.equal
    }

    /// The method that decided: "exact", "enumeration", "sampling" or "none".
    #[getter]
    fn method(&self) -> &str {
        &self.method
    }

    /// The values of the variables at a point where the expressions differ, or None.
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
/// The procedure uses none of the rules. It tries exact algebra of quasi-affine functions, then an enumeration of at
/// most `max_points` points, then samples.
///
/// >>> quaff.verify("(i*4 + j)//4", "i", "i=0..15, j=0..3")
/// <Decision equal (exact)>
/// >>> quaff.verify("(i*4 + j)//4", "i + j//3", "i=0..15, j=0..3")
/// <Decision different at i = 0, j = 3: 0 but 1 (exact)>
#[pyfunction]
#[pyo3(signature = (a, b, domain = None, *, max_points = None))]
pub(crate) fn verify(py: Python<'_>, a: Asked, b: Asked, domain: Option<Given>, max_points: Option<u64>) -> PyDecision {
    let given = Given::or_empty(domain);
    let (domain, a, b) = (given.domain(), a.expr, b.expr);
    let defaults = Options::default();
    let options = Options { max_points: max_points.unwrap_or(defaults.max_points), ..defaults };
    PyDecision::new(&py.detach(|| decide(&a, &b, domain, &options)))
}

/// The derivation of an answer from its input.
///
/// >>> explanation = quaff.explain("x//7//8", "x=0..9999")
/// >>> explanation.is_checked, explanation.answer.expr, len(explanation.steps)
/// (True, quaff.Expr('x//56'), 2)
#[pyclass(name = "Explanation", module = "quaff", frozen)]
pub(crate) struct PyExplanation {
    pub(crate) explanation: Explanation,
    pub(crate) question: Question,
}

/// One step of an explanation.
///
/// >>> step = quaff.explain("x//7//8", "x=0..9999").steps[0]
/// >>> step.name, step.before, step.after, step.check.equal
/// ('normal-form', quaff.Expr('x//7//8'), quaff.Expr('x//56'), True)
#[pyclass(name = "Explained", module = "quaff", frozen)]
pub(crate) struct PyExplained(Explained);

#[pymethods]
impl PyExplanation {
    /// The answer that is explained.
    #[getter]
    fn answer(&self, py: Python<'_>) -> PySimplified {
        let Question { exprs, given } = &self.question;
        let question = Question { exprs: exprs.clone(), given: given.clone_ref(py) };
        PySimplified::new(self.explanation.answer().clone(), Some(question))
    }

    /// The steps from the input to the answer.
    #[getter]
    fn steps(&self) -> Vec<PyExplained> {
        self.explanation.steps().iter().cloned().map(PyExplained).collect()
    }

    /// The verdict of the exact procedure on the input and the answer.
    #[getter]
    fn check(&self) -> PyDecision {
        PyDecision::new(self.explanation.check())
    }

    /// Whether the checks of the answer and of every step were made and succeeded.
    #[getter]
    fn is_checked(&self) -> bool {
        self.explanation.is_checked()
    }

    fn __str__(&self) -> String {
        let mut lines = vec![PyExpr::text(self.explanation.input())];
        told(self.explanation.steps(), 1, &mut lines);
        lines.push(format!(
            "= {}  [{}]",
            PyExpr::text(self.explanation.answer().expr()),
            self.explanation.check().verdict
        ));
        lines.join("\n")
    }

    /// The steps in HTML, as the explorer shows them.
    fn _repr_html_(&self) -> String {
        Part::explanation(&self.explanation).fragment()
    }

    fn __repr__(&self) -> String {
        format!("<Explanation of {} steps: {}>", self.explanation.steps().len(), self.explanation.check().verdict)
    }
}

/// Adds one line for each of `steps`. Substeps are indented.
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

    /// The reason why the step holds, in words.
    #[getter]
    fn why(&self) -> String {
        match &self.0.reason {
            Reason::Rule { why, .. } => why.clone(),
            Reason::Engine { why, .. } | Reason::Context { why, .. } => (*why).to_string(),
            Reason::Choice { from, to } => format!("costs {to} in place of {from}"),
            _ => String::new(),
        }
    }

    /// The conditions under which the step holds, all of them together.
    #[getter]
    fn conditions(&self) -> Vec<PyExpr> {
        self.0.conditions.iter().cloned().map(PyExpr).collect()
    }

    /// The expression before the step. It is a subexpression of the input or of the result of an earlier step.
    #[getter]
    fn before(&self) -> PyExpr {
        PyExpr(self.0.before.clone())
    }

    /// The expression after the step, which is equal to `before`.
    #[getter]
    fn after(&self) -> PyExpr {
        PyExpr(self.0.after.clone())
    }

    /// The values that satisfied the guards of the rule, as pairs of a name in the rule and its value.
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

    /// The verdict of the exact procedure, which uses none of the rules.
    #[getter]
    fn check(&self) -> PyDecision {
        PyDecision::new(&self.0.check)
    }

    /// The detailed substeps, which hold under the conditions.
    #[getter]
    fn steps(&self) -> Vec<PyExplained> {
        self.0.steps.iter().cloned().map(PyExplained).collect()
    }

    fn __repr__(&self) -> String {
        let [before, after] = self.0.texts();
        format!("<{}: {before} = {after}>", self.0.reason.name())
    }
}
