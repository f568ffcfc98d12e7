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

/// The set of all values that an expression has in the unrolled iterations of loops.
///
/// `IndexType("i//4*64 + i%4", {"i": (0, 64, 8)})` is the type of the expression in eight unrolled iterations of
/// `for i in range(0, 64)`. In the expressions, an unrolled variable has its value in the first unrolled iteration.
///
/// Args:
///     expr: the index.
///     unroll: for each unrolled variable its first value, the exclusive end of its range, and the number of unrolled
///         iterations. The number of unrolled iterations divides the number of trips. `IndexType.parts` splits other
///         loops into a main part and a rest.
///     domain: the facts about the other variables.
///     simplifier: the `Simplifier` for the shared and the computed expressions.
///
/// Raises:
///     SimplifyError: a variable is not declared, a divisor may be 0, a value is beyond 2^64, or there are too many
///         unrolled iterations.
///
/// >>> unrolled = quaff.IndexType("i//4*64 + i%4", {"i": (0, 64, 8)})
/// >>> unrolled.text, unrolled.adds
/// ('{0, 1, 2, 3, 64, 65, 66, 67} + 128*(0..8)', [0, 1, 2, 3, 64, 65, 66, 67])
#[pyclass(name = "IndexType", module = "quaff", frozen)]
pub(crate) struct PyIndexType {
    checked: Checked,
    /// The facts about all variables. Facts about an unrolled variable hold in the first iteration.
    domain: Domain,
    simplifier: Option<Py<PySimplifier>>,
}

impl PyIndexType {
    /// `exprs`, each simplified. An expression that may leave 64 bits is not changed.
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

/// The first value, the end and the number of unrolled iterations of a loop.
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

    /// The main part of a loop, whose trips are a multiple of the unrolled iterations, and the rest.
    ///
    /// Each part has a first value, an end and a number of unrolled iterations. Either part may be missing.
    ///
    /// >>> quaff.IndexType.parts(0, 10, 4)
    /// [(0, 8, 4), (8, 10, 2)]
    #[staticmethod]
    fn parts(low: i128, end: i128, copies: i128) -> PyResult<Vec<Loop>> {
        let parts = Idx::unrolled_in_parts(low, end, copies).map_err(|e| errors::other("SimplifyError", &e))?;
        let of = |ty: &Idx| (ty.values().start, ty.values().end, ty.statics().end - ty.statics().start);
        Ok(parts.iter().map(of).collect())
    }

    /// The index type as text. It is `idx<ls..hs, ld..hd>`, a set and a multiple of a dynamic number, several dynamic
    /// parts, or a number of integers.
    #[getter]
    fn text(&self) -> String {
        self.checked.ty().to_string()
    }

    /// The expressions that all unrolled iterations share. The list has one simplified expression, several expressions,
    /// or none.
    #[getter]
    fn shared(&self, py: Python<'_>) -> PyResult<Vec<PyExpr>> {
        match (self.checked.ty(), self.checked.shared()) {
            (Outcome::Several(parts), _) => Ok(parts.parts().iter().map(|p| PyExpr(p.base().clone())).collect()),
            (_, Some((base, _))) => self.simplified(py, vec![base.clone()]),
            _ => Ok(Vec::new()),
        }
    }

    /// The number that each unrolled iteration adds to the shared expression. `None` if they share several expressions
    /// or none.
    #[getter]
    fn adds(&self) -> Option<Vec<i128>> {
        self.checked.shared().map(|(_, offsets)| offsets.to_vec())
    }

    /// The expression that each unrolled iteration computes. It is simplified if the iterations share no expression.
    ///
    /// Raises:
    ///     SimplifyError: a constant beyond 64 bits.
    #[getter]
    fn copies(&self, py: Python<'_>) -> PyResult<Vec<PyExpr>> {
        let copies = self.checked.copies().map_err(|e| errors::other("SimplifyError", &e))?;
        match (self.checked.ty(), self.checked.shared()) {
            // each of these expressions is a sum of the shared part and a constant, so it is not simplified
            (Outcome::Several(_), _) | (_, Some(_)) => Ok(copies.into_iter().map(PyExpr).collect()),
            _ => self.simplified(py, copies),
        }
    }

    /// The operator after which unrolled iterations share no expression, and the reason. `None` if they share one.
    #[getter]
    fn lost(&self) -> Option<(PyExpr, &'static str)> {
        self.checked.lost().map(|lost| (PyExpr(lost.operator().clone()), lost.why()))
    }

    /// The values of all unrolled iterations together, if these values never change. Otherwise `None`.
    #[getter]
    fn set(&self) -> Option<Vec<i128>> {
        match self.checked.ty() {
            Outcome::Exact(ty) if ty.multiplier() == 0 => Some(ty.statics().to_vec()),
            _ => None,
        }
    }

    /// The banks that the unrolled iterations use, with element `x` in bank `x % count`.
    ///
    /// A dict: `degree`, `broadcast`, `conflict` (two iterations and a bank), and `banks` (if the banks do not change).
    ///
    /// Raises:
    ///     BankError: the unrolled iterations share no expression.
    ///
    /// >>> quaff.IndexType("i*32", {"i": (0, 64, 4)}).banks(32)["degree"]
    /// 4
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

/// Writes a function of one variable as a sum of quotients, and finds its period.
///
/// Args:
///     expr: the function, for all integers.
///     along: the variable, if the function has several. The other variables are symbols with one value along it.
///
/// Returns:
///     A dict. `sum` is one sum for all values of the symbols, or None. `cases` has one case for each combination of
///     their residues. A case has:
///     - `where`: the residue and the period of each symbol;
///     - `period`, and `rise`, which is the growth of the function in one period;
///     - `before`, the value at -1, and `jumps`, the differences of neighbouring values in a period;
///     - `sum`.
///
/// Raises:
///     ValueError: several variables without `along`, or the function is no such sum.
///
/// >>> quaff.canonical("(i + 1)//2//3")["sum"]
/// quaff.Expr('(i + 1)//6')
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
