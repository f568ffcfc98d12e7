//! `quaff.Facts`: what is known at the points of a domain, kept from question to question.

use crate::arguments::{Asked, Given};
use crate::domain::PyDomain;
use crate::errors;
use crate::simplifier::End;
use pyo3::prelude::*;
use quaff::expr::Expr;
use quaff::{Facts, SimplifyError};

/// What is known at the points of a domain. ``Simplifier.facts`` and ``quaff.facts`` make it.
///
/// Each question costs what is new in it: the conditions of the domain are taken in once. A ``with`` statement begins a level, and what is
/// assumed within holds until it ends:
///
/// >>> import quaff
/// >>> facts = quaff.facts("n=1..4096, x=0..9999")
/// >>> with facts:
/// ...     facts.assume("x < n")
/// ...     facts.prove("x//n == 0")
/// True
/// >>> facts.prove("x//n == 0")
///
/// It belongs to the thread that made it.
#[pyclass(name = "Facts", module = "quaff", unsendable)]
pub(crate) struct PyFacts(pub(crate) Facts);

#[pymethods]
impl PyFacts {
    /// What was declared and assumed, outside of all levels and within each.
    #[getter]
    fn domain(&self) -> PyDomain {
        PyDomain(self.0.domain().clone())
    }

    /// Begins a level: what is added from now on holds until it is ended by ``pop``.
    fn push(&mut self) {
        self.0.push();
    }

    /// Ends the level that was begun last.
    ///
    /// Raises:
    ///     ValueError: there is none.
    fn pop(&mut self) -> PyResult<()> {
        if self.0.pop() { Ok(()) } else { Err(pyo3::exceptions::PyValueError::new_err("no level was begun")) }
    }

    fn __enter__(mut slf: PyRefMut<'_, Self>) -> PyRefMut<'_, Self> {
        slf.0.push();
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&mut self, _error: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.pop()
    }

    /// Assumes ``condition``. One that contradicts the others is an error of the questions that are connected with it.
    fn assume(&mut self, condition: Asked) {
        self.0.assume(condition.expr);
    }

    /// Adds the variables and conditions of ``domain``.
    fn add(&mut self, domain: Given) {
        self.0.add(domain.domain());
    }

    /// Whether ``condition`` holds at every point (True), or at none (False); None where neither is proved.
    fn prove(&mut self, condition: Asked) -> PyResult<Option<bool>> {
        self.ask(&[condition], |facts, e| facts.prove(&e[0]))
    }

    /// Whether ``a`` and ``b`` are equal at every point (True), or at none (False); None where neither is proved.
    fn equal(&mut self, a: Asked, b: Asked) -> PyResult<Option<bool>> {
        self.ask(&[a, b], |facts, e| facts.equal(&e[0], &e[1]))
    }

    /// ``(lower, upper)`` between which all values of ``expr`` lie, both inclusive; None where an end is open.
    fn bounds(&mut self, expr: Asked) -> PyResult<(End, End)> {
        let range = self.ask(&[expr], |facts, e| facts.bounds(&e[0]))?;
        Ok((range.lo(), range.hi()))
    }

    /// ``(residue, modulus)`` that all values of ``expr`` have: ``(0, 1)`` where nothing is found, ``(value, 0)`` where there is one value.
    fn congruence(&mut self, expr: Asked) -> PyResult<(i64, i64)> {
        let found = self.ask(&[expr], |facts, e| facts.congruence(&e[0]))?;
        Ok((found.residue(), found.modulus()))
    }

    /// Whether ``n`` is proved to divide every value of ``expr``.
    fn is_multiple_of(&mut self, expr: Asked, n: i64) -> PyResult<bool> {
        self.ask(&[expr], |facts, e| facts.is_multiple_of(&e[0], n))
    }
}

impl PyFacts {
    fn ask<T>(
        &mut self,
        asked: &[Asked],
        question: impl FnOnce(&mut Facts, &[Expr]) -> Result<T, SimplifyError>,
    ) -> PyResult<T> {
        let exprs: Vec<Expr> = asked.iter().map(|a| a.expr.clone()).collect();
        question(&mut self.0, &exprs).map_err(|e| errors::simplify(&e, &Asked::sources(asked)))
    }
}
