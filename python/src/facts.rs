//! `quaff.Facts`: the facts at the points of a domain, kept between questions.

use crate::arguments::{Asked, Given};
use crate::domain::PyDomain;
use crate::errors;
use crate::simplifier::End;
use pyo3::prelude::*;
use quaff::expr::Expr;
use quaff::{Facts, SimplifyError};

/// The facts at the points of a domain. They are made by ``Simplifier.facts`` and ``quaff.facts``.
///
/// The conditions of the domain are processed only once, so a question costs only its new parts. A ``with`` statement
/// begins a level, and assumptions in the level hold until it ends:
///
/// >>> import quaff
/// >>> facts = quaff.facts("n=1..4096, x=0..9999")
/// >>> with facts:
/// ...     facts.assume("x < n")
/// ...     facts.prove("x//n == 0")
/// True
/// >>> facts.prove("x//n == 0")
///
/// Only the thread that made the object can use it.
#[pyclass(name = "Facts", module = "quaff", unsendable)]
pub(crate) struct PyFacts(pub(crate) Facts);

#[pymethods]
impl PyFacts {
    /// The declared variables and the assumptions of all levels.
    #[getter]
    fn domain(&self) -> PyDomain {
        PyDomain(self.0.domain().clone())
    }

    /// Begins a level. Facts that are added later belong to it.
    ///
    /// Facts that are added after this call hold until ``pop`` ends the level.
    ///
    /// >>> facts = quaff.facts("i=0..15")
    /// >>> facts.push()
    /// >>> facts.assume("i < 4")
    /// >>> facts.bounds("i")
    /// (0, 3)
    /// >>> facts.pop()
    /// >>> facts.bounds("i")
    /// (0, 15)
    fn push(&mut self) {
        self.0.push();
    }

    /// Ends the level that was begun last, and removes its facts.
    ///
    /// Raises:
    ///     ValueError: no level was begun.
    ///
    /// >>> facts = quaff.facts("i=0..15")
    /// >>> facts.push()
    /// >>> facts.pop()
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

    /// Assumes ``condition``.
    ///
    /// If it contradicts earlier conditions, questions about the same variables raise an error.
    ///
    /// >>> facts = quaff.facts("i=0..15")
    /// >>> facts.assume("i%4 == 0")
    /// >>> facts.congruence("i")
    /// (0, 4)
    fn assume(&mut self, condition: Asked) {
        self.0.assume(condition.expr);
    }

    /// Adds the variables and conditions of ``domain``.
    ///
    /// >>> facts = quaff.facts("i=0..15")
    /// >>> facts.add({"j": (0, "i")})
    /// >>> facts.prove("j <= 15")
    /// True
    fn add(&mut self, domain: Given) {
        self.0.add(domain.domain());
    }

    /// True if ``condition`` holds at every point, False if it holds at none. None if neither is proved.
    ///
    /// >>> quaff.facts("i=0..15").prove("i*4 < 64")
    /// True
    fn prove(&mut self, condition: Asked) -> PyResult<Option<bool>> {
        self.ask(&[condition], |facts, e| facts.prove(&e[0]))
    }

    /// True if ``a`` and ``b`` are equal at every point, False if they are equal at none. None if neither is proved.
    ///
    /// >>> quaff.facts("i=0..15, j=0..3").equal("(i*4 + j)//4", "i")
    /// True
    fn equal(&mut self, a: Asked, b: Asked) -> PyResult<Option<bool>> {
        self.ask(&[a, b], |facts, e| facts.equal(&e[0], &e[1]))
    }

    /// ``(lower, upper)`` that contains all values of ``expr``, both inclusive. An open end is None.
    ///
    /// >>> quaff.facts("i=0..15").bounds("15 - i")
    /// (0, 15)
    fn bounds(&mut self, expr: Asked) -> PyResult<(End, End)> {
        let range = self.ask(&[expr], |facts, e| facts.bounds(&e[0]))?;
        Ok((range.lo(), range.hi()))
    }

    /// ``(residue, modulus)`` of all values of ``expr``. It is ``(0, 1)`` if nothing is found, and ``(value, 0)`` if
    /// there is only one value.
    ///
    /// >>> quaff.facts("i=0..15").congruence("4*i + 3")
    /// (3, 4)
    fn congruence(&mut self, expr: Asked) -> PyResult<(i64, i64)> {
        let found = self.ask(&[expr], |facts, e| facts.congruence(&e[0]))?;
        Ok((found.residue(), found.modulus()))
    }

    /// Whether ``n`` is proved to divide every value of ``expr``.
    ///
    /// >>> quaff.facts("i=0..15").is_multiple_of("12*i + 8", 4)
    /// True
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
