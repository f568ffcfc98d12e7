//! `quaff.IndexType`, and sums of quotients.

use crate::arguments::{Asked, Given};
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff::SimplifyError;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Case, Flattened};
use quaff_fronts::banks::copies_in_banks;
use quaff_fronts::index_type::{Checked, Idx, Outcome, Types, check};

/// Which integers the copies of unrolled loops have together.
///
/// `IndexType("i//4*64 + i%4", {"i": (0, 64, 8)})` is the type of the expression in eight copies of the body of
/// `for i in range(0, 64)`. In expressions the name of an unrolled variable is its integer in the first copy.
///
/// Args:
///     expr: the index.
///     unroll: for each unrolled variable its first value, the end of its range, which is left out, and how many copies there are, which
///         divide the trips; `IndexType.parts` gives a main part and a rest.
///     domain: what is known of the other variables.
///     simplifier: the one that simplifies what copies share and compute.
///
/// Raises:
///     SimplifyError: a variable that is not declared, a divisor that may be 0, a value beyond 2^64, or too many copies.
#[pyclass(name = "IndexType", module = "quaff", frozen)]
pub(crate) struct PyIndexType {
    checked: Checked,
    /// What is known of all variables; of an unrolled one, in the first copy.
    domain: Domain,
    simplifier: Option<Py<PySimplifier>>,
}

impl PyIndexType {
    /// `exprs`, each simplified. What leaves 64 bits stays as it is.
    fn simplified(&self, py: Python<'_>, exprs: Vec<Expr>) -> PyResult<Vec<PyExpr>> {
        let shipped = quaff::Simplifier::default();
        let with = self.simplifier.as_ref().map_or(&shipped, |s| &s.get().simplifier);
        let one = |e: Expr| match with.simplify(&e, &self.domain) {
            Ok(answer) => Ok(answer.expr().clone()),
            Err(e @ SimplifyError::WrongAnswer(_)) => Err(e),
            Err(_) => Ok(e),
        };
        let found = py.detach(|| exprs.into_iter().map(one).collect::<Result<Vec<_>, _>>());
        Ok(found.map_err(|e| errors::simplify(&e, &[]))?.into_iter().map(PyExpr).collect())
    }
}

/// First value, end and copies of an unrolled loop.
type Loop = (i128, i128, i128);

#[pymethods]
impl PyIndexType {
    #[new]
    #[pyo3(signature = (expr, unroll, domain = None, *, simplifier = None))]
    fn new(
        expr: Asked,
        unroll: &Bound<'_, PyDict>,
        domain: Option<Given>,
        simplifier: Option<Py<PySimplifier>>,
    ) -> PyResult<PyIndexType> {
        let failed = |e: &dyn miette::Diagnostic| errors::other("SimplifyError", e);
        let mut domain = Given::or_empty(domain).domain().clone();
        let mut types = Types::new(&domain).map_err(|e| errors::other("DomainError", &e))?;
        for (name, range) in unroll {
            let (low, end, copies): Loop = range.extract()?;
            let ty = Idx::unrolled(low, end, copies).map_err(|e| failed(&e))?;
            let name = name.extract::<String>()?;
            domain = ty.first_copy(&name, domain);
            types = types.with(name, ty);
        }
        let checked = check(&expr.expr, &types).map_err(|e| failed(&e))?;
        Ok(PyIndexType { checked, domain, simplifier })
    }

    /// The main part, whose trips the copies divide, and the rest of a loop: first value, end and copies of each. One may be missing.
    #[staticmethod]
    fn parts(low: i128, end: i128, copies: i128) -> PyResult<Vec<Loop>> {
        let parts = Idx::unrolled_in_parts(low, end, copies).map_err(|e| errors::other("SimplifyError", &e))?;
        let of = |ty: &Idx| (ty.values().start, ty.values().end, ty.statics().end - ty.statics().start);
        Ok(parts.iter().map(of).collect())
    }

    /// The type as text: `idx<ls..hs, ld..hd>`, a set and a multiple of a dynamic number, several dynamic parts, or so many integers.
    #[getter]
    fn text(&self) -> String {
        self.checked.ty().to_string()
    }

    /// What all copies share: one expression, which is simplified, several, or none.
    #[getter]
    fn shared(&self, py: Python<'_>) -> PyResult<Vec<PyExpr>> {
        match (self.checked.ty(), self.checked.shared()) {
            (Outcome::Several(parts), _) => Ok(parts.parts().iter().map(|p| PyExpr(p.base().clone())).collect()),
            (_, Some((base, _))) => self.simplified(py, vec![base.clone()]),
            _ => Ok(Vec::new()),
        }
    }

    /// What each copy adds to the one expression that all share; `None` where they share several or none.
    #[getter]
    fn adds(&self) -> Option<Vec<i128>> {
        self.checked.shared().map(|(_, offsets)| offsets.to_vec())
    }

    /// What each copy computes, simplified where copies share less than one expression.
    ///
    /// Raises:
    ///     SimplifyError: a constant beyond 64 bits.
    #[getter]
    fn copies(&self, py: Python<'_>) -> PyResult<Vec<PyExpr>> {
        let copies = self.checked.copies().map_err(|e| errors::other("SimplifyError", &e))?;
        match (self.checked.ty(), self.checked.shared()) {
            // sums of what all share
            (Outcome::Several(_), _) | (_, Some(_)) => Ok(copies.into_iter().map(PyExpr).collect()),
            _ => self.simplified(py, copies),
        }
    }

    /// The operator after which copies share less than one expression, and why; `None` where they share one.
    #[getter]
    fn lost(&self) -> Option<(PyExpr, &'static str)> {
        self.checked.lost().map(|lost| (PyExpr(lost.operator().clone()), lost.why()))
    }

    /// The integers that the copies have together, where these are the same at all times; `None` where they are not.
    #[getter]
    fn set(&self) -> Option<Vec<i128>> {
        match self.checked.ty() {
            Outcome::Exact(ty) if ty.multiplier() == 0 => Some(ty.statics().to_vec()),
            _ => None,
        }
    }

    /// How the copies use banks, element `x` in bank `x % count`: `degree`, `broadcast`, `conflict` (two copies and a bank), `banks` (where they
    /// do not move).
    ///
    /// Raises:
    ///     BankError: the copies share no expression.
    fn banks<'py>(&self, py: Python<'py>, count: u32) -> PyResult<Bound<'py, PyDict>> {
        let used = copies_in_banks(&self.checked, count).map_err(|e| errors::other("BankError", &e))?;
        let said = PyDict::new(py);
        said.set_item("degree", used.degree)?;
        said.set_item("broadcast", used.broadcast)?;
        said.set_item("conflict", used.conflict)?;
        said.set_item("banks", used.banks)?;
        Ok(said)
    }

    fn __len__(&self) -> usize {
        self.checked.len()
    }

    fn __repr__(&self) -> String {
        format!("<quaff.IndexType {}>", self.checked.ty())
    }
}

/// A function of one variable as a sum of quotients, with its period.
///
/// Args:
///     expr: the function, for all integers.
///     along: the variable, where it has others too, which are symbols with one value along it.
///
/// Returns:
///     A dict: `sum` (one sum for all values of the symbols, or None), `cases`: for each combination of residues of the symbols `where` (the residue
///     and the period of each), `period`, `rise` (what a period adds), `before` (the value at -1), `jumps` (the steps of a period), `sum`.
///
/// Raises:
///     ValueError: several variables without `along`, or no such sum.
#[pyfunction]
#[pyo3(signature = (expr, along = None))]
pub(crate) fn canonical<'py>(py: Python<'py>, expr: Asked, along: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let names: Vec<String> = expr.expr.variables().iter().map(ToString::to_string).collect();
    let variable = match (along, names.as_slice()) {
        (Some(along), _) => along.to_string(),
        (None, []) => "x".into(),
        (None, [one]) => one.clone(),
        (None, several) => {
            let names = several.join(", ");
            return Err(PyValueError::new_err(format!("the expression has the variables {names}: say `along` which")));
        }
    };
    let found = py.detach(|| Flattened::of(&expr.expr, &variable)).map_err(|e| PyValueError::new_err(e.to_string()))?;
    let case = |case: &Case| {
        let conditions = PyDict::new(py);
        for ((name, period), residue) in found.symbols().iter().zip(case.residues()) {
            if period.length > 1 {
                conditions.set_item(&**name, (*residue, period.length))?;
            }
        }
        let said = PyDict::new(py);
        said.set_item("where", conditions)?;
        said.set_item("period", case.canonical().period())?;
        said.set_item("rise", case.canonical().jumps().iter().sum::<i128>())?;
        said.set_item("before", case.canonical().before_zero())?;
        said.set_item("jumps", case.canonical().jumps().to_vec())?;
        said.set_item("sum", case.sum(&variable).map(PyExpr))?;
        Ok(said)
    };
    let said = PyDict::new(py);
    said.set_item("sum", found.sum().cloned().map(PyExpr))?;
    said.set_item("cases", found.cases().iter().map(case).collect::<PyResult<Vec<_>>>()?)?;
    Ok(said)
}
