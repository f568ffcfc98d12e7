//! Shared-memory banks and coalescing.

use crate::answer::{contract, instructions};
use crate::arguments::{Asked, Given};
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff_fronts::{banks, coalesce as coalescing};

/// How often shared memory is gone through for one access of a warp, at the worst point of `domain`.
///
/// Args:
///     index: the element that a lane accesses.
///     lane: the variable that counts the lanes of a warp.
///     domain: what is known of the variables.
///     bytes: of an element.
///     width: elements of a vector access.
///     count: how many banks there are, of 4 bytes each.
///
/// Returns:
///     A dict: `degree` (1 is without conflict), `transactions`, `broadcast`, `at` (a worst point), `points` (how many were
///     looked at), `svg` (a drawing of that point).
///
/// Raises:
///     BankError: a misaligned address, an index without value, an open range, too many points.
#[pyfunction]
#[pyo3(signature = (index, lane, domain, *, bytes = 4, width = 1, count = 32))]
pub(crate) fn bank_conflicts<'py>(
    py: Python<'py>,
    index: Asked,
    lane: &str,
    domain: Given,
    bytes: u32,
    width: u32,
    count: u32,
) -> PyResult<Bound<'py, PyDict>> {
    let failed = |e| errors::other("BankError", &e);
    let memory = banks::Memory::new(count, 4).map_err(failed)?;
    let access = banks::Access::new(index.expr, bytes).and_then(|a| a.wide(bytes.saturating_mul(width)));
    let access = access.map_err(failed)?;
    let decided = py.detach(|| banks::decide(&access, lane, domain.domain(), memory)).map_err(failed)?;
    let (service, at) = (decided.service(), PyDict::new(py));
    decided.at().iter().try_for_each(|(name, value)| at.set_item(&**name, value))?;
    let said = PyDict::new(py);
    said.set_item("degree", service.degree())?;
    said.set_item("transactions", service.transactions())?;
    said.set_item("broadcast", service.broadcast())?;
    said.set_item("at", at)?;
    said.set_item("points", decided.points())?;
    said.set_item("svg", service.svg(memory, decided.lanes()))?;
    Ok(said)
}

/// Orders in which the elements of a block are accessed so that the lanes of a warp touch little memory.
///
/// Args:
///     indices: the index of each access, over `variable`.
///     variable: the number of the element.
///     n: how many elements there are.
///     bytes: of an element.
///     lanes: of a warp.
///
/// Returns:
///     A list of dicts, those with the fewest sectors first: `sigma` (the element of each lane, over `u`), `cuda` (its text, None where it does not fit the
///     machine), `contract` (what that text relies on, as `Simplified.contract`), `indices`, `sectors`, `gap` (distances between the elements of neighbouring lanes, in elements; to the next element it is 0),
///     `cost`.
///
/// Raises:
///     CoalesceError: no access or too many, `n` is no whole number of warps, an index over another variable or without value.
#[pyfunction]
#[pyo3(signature = (indices, variable, n, *, bytes = 4, lanes = 32, simplifier = None))]
pub(crate) fn coalesce<'py>(
    py: Python<'py>,
    indices: Vec<Asked>,
    variable: &str,
    n: u64,
    bytes: u32,
    lanes: u32,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let failed = |e| errors::other("CoalesceError", &e);
    let warp = coalescing::Warp::new(lanes).map_err(failed)?;
    let accesses: Result<Vec<_>, _> = indices.into_iter().map(|a| coalescing::Access::new(a.expr, bytes)).collect();
    let accesses = accesses.map_err(failed)?;
    let with = simplifier.as_ref().map(|s| s.get());
    let found = py.detach(|| {
        let shipped = quaff::Simplifier::default();
        coalescing::search(&accesses, variable, n, warp, with.map_or(&shipped, |s| &s.simplifier))
    });
    let found = found.map_err(failed)?;
    let told = |candidate: &coalescing::Candidate| {
        let said = PyDict::new(py);
        let exprs = |exprs: &[quaff::expr::Expr]| exprs.iter().cloned().map(PyExpr).collect::<Vec<_>>();
        said.set_item("sigma", PyExpr(candidate.sigma().clone()))?;
        let text = candidate.sigma_cuda().ok();
        said.set_item("cuda", text.as_ref().map(ToString::to_string))?;
        said.set_item("contract", text.as_ref().map(|text| contract(py, text)).transpose()?)?;
        said.set_item("indices", exprs(candidate.indices()))?;
        said.set_item("sectors", candidate.traffic().sectors)?;
        said.set_item("gap", candidate.traffic().gap)?;
        said.set_item("cost", instructions(candidate.cost()))?;
        Ok(said)
    };
    found.candidates().iter().map(told).collect()
}
