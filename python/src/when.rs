//! `quaff.ask.when`, `when_vector` and `when_disjoint`: conditions on sizes.

use crate::arguments::{Asked, Given};
use crate::ask::{ask, exprs, names};
use crate::dialects;
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::prelude::*;
use quaff::domain::Domain;
use quaff_ask::When;

/// Conditions on sizes that together suffice for a claim, such as that an access is a vector.
///
/// >>> when = quaff.ask.when("x*n%4 == 0", ["n"], "x=0..9, n=1..64")[0]
/// >>> when.conditions, when.necessary
/// ([quaff.Expr('n%4 == 0')], True)
#[pyclass(name = "When", module = "quaff.ask", frozen)]
pub(crate) struct PyWhen(When, Domain);

#[pymethods]
impl PyWhen {
    /// The conditions. The list is empty if the claim always holds.
    #[getter]
    fn conditions(&self) -> Vec<PyExpr> {
        exprs(self.0.conditions.clone())
    }

    /// Whether the claim fails for all sizes that do not meet the conditions. None if that is not decided.
    #[getter]
    fn necessary(&self) -> Option<bool> {
        self.0.necessary
    }

    /// The conjunction of all conditions, as one expression.
    #[getter]
    fn test(&self) -> PyExpr {
        PyExpr(self.0.test())
    }

    /// The test of the host as text in a dialect of `quaff.read`, for sizes in their ranges.
    ///
    /// Raises:
    ///     LowerError: the dialect cannot write the test.
    ///     ValueError: the dialect is unknown.
    ///
    /// >>> quaff.ask.when("x*n%4 == 0", ["n"], "x=0..9, n=1..64")[0].code("c")
    /// 'n % 4 == 0'
    #[pyo3(signature = (dialect = "c"))]
    fn code(&self, dialect: &str) -> PyResult<String> {
        let written = self.0.code(dialects::named(dialect)?, &self.1);
        Ok(written.map_err(|e| errors::other("LowerError", &e))?.text)
    }

    fn __repr__(&self) -> String {
        format!(
            "When({}, necessary={})",
            PyExpr::text(&self.0.test()),
            match self.0.necessary {
                None => "None",
                Some(true) => "True",
                Some(false) => "False",
            }
        )
    }
}

fn whens(found: Vec<When>, domain: &Given) -> Vec<PyWhen> {
    found.into_iter().map(|when| PyWhen(when, domain.domain().clone())).collect()
}

/// The weakest conditions on `sizes` under which `condition` always holds: a list of `When`, each of which suffices.
///
/// The list is empty if nothing was found.
///
/// >>> quaff.ask.when("x < n", ["n"], "x=0..9, n=1..64")
/// [When(10 <= n, necessary=True)]
#[pyfunction]
#[pyo3(signature = (condition, sizes, domain, *, simplifier = None))]
pub(crate) fn when(
    py: Python<'_>,
    condition: Asked,
    sizes: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Vec<PyWhen>> {
    let sizes = names(&sizes);
    let found = ask(py, &[condition], &domain, simplifier, |s, e, d| quaff_ask::when(s, &e[0], &sizes, d))?;
    Ok(whens(found, &domain))
}

/// The weakest conditions on `sizes` under which one access covers each `width` neighbouring lanes of `index`, and
/// `mask` is the same in these lanes.
///
/// The answer is a list of `When`, each of which suffices.
///
/// Raises:
///     ValueError: the range of the lane does not begin at 0, or is open, or `width` does not divide the number of
///         lanes.
///
/// >>> quaff.ask.when_vector("r*n + t", 4, "t", ["n"], "r=0..9, n=4..64, t=0..3")
/// [When(n%4 == 0, necessary=True)]
#[pyfunction]
#[pyo3(signature = (index, width, lane, sizes, domain, mask = None, *, simplifier = None))]
#[expect(clippy::too_many_arguments, reason = "named in Python")]
pub(crate) fn when_vector(
    py: Python<'_>,
    index: Asked,
    width: i64,
    lane: &str,
    sizes: Vec<String>,
    domain: Given,
    mask: Option<Asked>,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Vec<PyWhen>> {
    let sizes = names(&sizes);
    let asked: Vec<Asked> = std::iter::once(index).chain(mask).collect();
    let found = ask(py, &asked, &domain, simplifier, |s, e, d| {
        quaff_ask::when_vector(s, &e[0], e.get(1), (lane, width), &sizes, d)
    })?;
    Ok(whens(found, &domain))
}

/// The weakest conditions on `sizes` under which two accesses never have a common address.
///
/// The inputs may have different values in the two accesses.
///
/// The answer is a list of `When`, each of which suffices.
///
/// >>> quaff.ask.when_disjoint("i", "i + n", ["i"], ["n"], "i=0..9, n=0..64")
/// [When(10 <= n, necessary=True)]
#[pyfunction]
#[pyo3(signature = (a, b, inputs, sizes, domain, *, simplifier = None))]
pub(crate) fn when_disjoint(
    py: Python<'_>,
    a: Asked,
    b: Asked,
    inputs: Vec<String>,
    sizes: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Vec<PyWhen>> {
    let (inputs, sizes) = (names(&inputs), names(&sizes));
    let found =
        ask(py, &[a, b], &domain, simplifier, |s, e, d| quaff_ask::when_disjoint(s, &e[0], &e[1], &inputs, &sizes, d))?;
    Ok(whens(found, &domain))
}
