//! `quaff.ask.ranges` and `quaff.ask.rescale`.

use crate::arguments::{Asked, Given};
use crate::ask::{ask, exprs, names};
use crate::domain::PyDomain;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The range of each variable under the conditions of the domain: a list of `{"name", "least", "greatest",
/// "ends_are_values", "residue", "modulus"}`.
///
/// The ranges form a box that contains all points of the domain. `least` and `greatest` are None if open. The modulus
/// is 1 if there is no residue, and 0 if there is only one value.
///
/// Raises:
///     ValueError: a variable is given twice, or the domain does not declare it.
///
/// >>> quaff.ask.ranges(["i"], "i=0..99, assume i*4 < 20, assume i%2 == 1")
/// [{'name': 'i', 'least': 1, 'greatest': 3, 'ends_are_values': True, 'residue': 1, 'modulus': 2}]
#[pyfunction]
#[pyo3(signature = (variables, domain, *, simplifier = None))]
pub(crate) fn ranges<'py>(
    py: Python<'py>,
    variables: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let variables = names(&variables);
    let found = ask(py, &[], &domain, simplifier, |s, _, d| quaff_ask::ranges(s, &variables, d))?;
    let of = |one: quaff_ask::VariableRange| {
        let own = PyDict::new(py);
        own.set_item("name", &*one.name)?;
        own.set_item("least", one.range.lo())?;
        own.set_item("greatest", one.range.hi())?;
        own.set_item("ends_are_values", one.has_ends)?;
        own.set_item("residue", one.congruence.residue())?;
        own.set_item("modulus", one.congruence.modulus()).map(|()| own)
    };
    found.into_iter().map(of).collect()
}

/// Replaces variables that change in steps by counters: `{"indices": [...], "domain": Domain, "counted": [...]}`.
///
/// Each counted variable is `{"name", "counter", "value", "count"}`. `value` is the variable as an expression in its
/// counter, and `count` is the counter as an expression in the variable. The counter is None if there is only one
/// value. The indices are in their simplest form.
///
/// Raises:
///     ValueError: a variable is given twice, or the domain does not declare it.
///
/// >>> found = quaff.ask.rescale(["i//4"], ["i"], "i=0..60 step 4")
/// >>> found["indices"], found["domain"]
/// ([quaff.Expr('i_k')], quaff.Domain('i_k=0..15'))
#[pyfunction]
#[pyo3(signature = (indices, variables, domain, *, simplifier = None))]
pub(crate) fn rescale<'py>(
    py: Python<'py>,
    indices: Vec<Asked>,
    variables: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Bound<'py, PyDict>> {
    let variables = names(&variables);
    let found = ask(py, &indices, &domain, simplifier, |s, e, d| quaff_ask::rescale(s, e, &variables, d))?;
    let of = |one: quaff_ask::Counted| {
        let own = PyDict::new(py);
        own.set_item("name", &*one.name)?;
        own.set_item("counter", one.counter.as_deref())?;
        own.set_item("value", PyExpr(one.value))?;
        own.set_item("count", PyExpr(one.count)).map(|()| own)
    };
    let answer = PyDict::new(py);
    answer.set_item("indices", exprs(found.exprs))?;
    answer.set_item("domain", PyDomain(found.domain))?;
    answer.set_item("counted", found.counted.into_iter().map(of).collect::<PyResult<Vec<_>>>()?)?;
    Ok(answer)
}
