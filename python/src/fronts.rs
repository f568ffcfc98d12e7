//! `quaff.bank_conflicts` and `quaff.coalesce`: shared-memory banks and coalescing.

use crate::answer::{contract, instructions};
use crate::arguments::{Asked, Given};
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff_explorer::Part;
use quaff_fronts::{banks, coalesce as coalescing};
use std::sync::{Arc, Mutex};

/// The N-way bank conflict of one access of a warp, at the worst point of `domain`.
///
/// Args:
///     index: the element that a lane accesses.
///     lane: the variable that counts the lanes of a warp.
///     domain: the facts about the variables.
///     bytes: the bytes of an element.
///     width: the elements of a vector access.
///     count: the number of banks, of 4 bytes each.
///     machine: the machine, which determines the lanes that are served together: "nvidia", "cdna3", "cdna3-write",
///         "cdna4" or "cdna4-write". It also determines the banks.
///
/// Returns:
///     A dict. `degree` is the N of the conflict, or 1 if there is none. `at` is a worst point of the `points` that
///     were checked, and `transactions` and `broadcast` describe the access there. `svg` is a drawing of this point,
///     and `html` also has tables. A notebook shows the dict as `html`.
///
/// Raises:
///     BankError: a misaligned address, an index without a value, an open range, or too many points.
///
/// >>> found = quaff.bank_conflicts("t*32", "t", "t=0..31")
/// >>> found["degree"], quaff.bank_conflicts("t*33", "t", "t=0..31")["degree"]
/// (32, 1)
#[pyfunction]
#[pyo3(signature = (index, lane, domain, *, bytes = 4, width = 1, count = 32, machine = None))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
pub(crate) fn bank_conflicts<'py>(
    py: Python<'py>,
    index: Asked,
    lane: &str,
    domain: Given,
    bytes: u32,
    width: u32,
    count: u32,
    machine: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let failed = |e| errors::other("BankError", &e);
    let machine = match machine {
        Some(name) => banks::Machine::named(name).ok_or_else(|| {
            errors::plain("BankError", &format!("there is no machine `{name}`: {:?}", banks::Machine::NAMES))
        })?,
        None => banks::Memory::new(count, 4).map_err(failed)?.into(),
    };
    let memory = machine.memory();
    let text = PyExpr::text(&index.expr);
    let access = banks::Access::new(index.expr, bytes).and_then(|a| a.wide(bytes.saturating_mul(width)));
    let access = access.map_err(failed)?;
    let decided = py.detach(|| banks::decide(&access, lane, domain.domain(), machine)).map_err(failed)?;
    let (service, at) = (decided.service(), PyDict::new(py));
    decided.at().iter().try_for_each(|(name, value)| at.set_item(&**name, value))?;
    let said = PyDict::new(py);
    said.set_item("degree", service.degree())?;
    said.set_item("transactions", service.transactions())?;
    said.set_item("broadcast", service.broadcast())?;
    said.set_item("at", at)?;
    said.set_item("points", decided.points())?;
    said.set_item("svg", service.svg(memory, decided.lanes()))?;
    said.set_item("html", Part::banks(&text, &decided, memory).fragment())?;
    py.import("quaff._shown")?.getattr("Shown")?.call1((said,))
}

/// Orders of the elements of a block with which the lanes of a warp touch little memory.
///
/// Args:
///     indices: the index of each access, over `variable` and the variables of `uniform`.
///     variable: the number of the element.
///     n: the number of elements.
///     bytes: the bytes of an element.
///     lanes: the lanes of a warp.
///     vector: the largest number of elements that a lane accesses at once: 1, 2, 4, 8 or 16.
///     gate: the condition under which element `variable` is accessed.
///     uniform: the facts about variables that have the same value in all lanes, such as the number of a block.
///     threads: the number of threads in a block, which takes the elements in several steps.
///     by: the measure that is minimised: "sectors", "gap", "distance", "lines", "requests", "cost" or "fetches". It may also be a sum such as
///         "2*sectors + cost", or a function of a dict with these numbers.
///     simplifier: the `Simplifier` to use.
///
/// Returns:
///     A list of dicts, the best by `by` first. Each has `indices`, `sectors`, `distance`, `lines`, `requests`, `cost`, `vector`, and:
///     - `schedule`: the element of each lane as an expression over `u`, and `order`: this schedule as an object for
///       `Kernel.scheduled`;
///     - `cuda`: the text of the schedule, or None if it does not fit the machine;
///     - `contract`: the requirements of that text, as `Simplified.contract`;
///     - `gap`: the sum of distances between the elements of neighbouring lanes, in elements. It is 0 for adjacent
///       elements;
///     - `fetches`: the lines that a step of a block touches and the previous step does not touch;
///     - `steps`: the element of thread `t` at step `s`, or None without threads;
///     - `identity` and `optimum`: sectors and gap of the original order, and of the sorted order.
///
/// Raises:
///     CoalesceError: no access or too many, an `n` that is not a whole number of warps, or an index over another
///         variable or without a value.
///
/// >>> best = quaff.coalesce(["i%64*64 + i//64"], "i", 256)[0]
/// >>> best["schedule"], best["sectors"], best["identity"]["sectors"]
/// (quaff.Expr('u*64 - u//4*255'), 64, 256)
#[pyfunction]
#[pyo3(signature = (indices, variable, n, *, bytes = 4, lanes = 32, vector = 1, gate = None, uniform = None, threads = None, by = None, simplifier = None))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword in Python")]
pub(crate) fn coalesce<'py>(
    py: Python<'py>,
    indices: Vec<Asked>,
    variable: &str,
    n: u64,
    bytes: u32,
    lanes: u32,
    vector: u32,
    gate: Option<Asked>,
    uniform: Option<Given>,
    threads: Option<u32>,
    by: Option<By>,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let failed = |e| errors::other("CoalesceError", &e);
    let warp = coalescing::Warp::new(lanes).and_then(|w| w.with_vector(vector)).map_err(failed)?;
    let access = |a: Asked| {
        let access = coalescing::Access::new(a.expr, bytes)?;
        Ok::<_, coalescing::CoalesceError>(match &gate {
            Some(gate) => access.when(gate.expr.clone()),
            None => access,
        })
    };
    let accesses = indices.into_iter().map(access).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let raised = Raised::default();
    let objective = by.map_or(Ok(coalescing::Objective::default()), |by| by.objective(&raised)).map_err(failed)?;
    let uniform = Given::or_empty(uniform);
    let question = coalescing::Question::new(&accesses, variable, n, warp);
    let question = question.with_uniform(uniform.domain().clone()).by(objective);
    let question = match threads {
        Some(threads) => question.with_threads(threads),
        None => question,
    };
    let shipped = quaff::Simplifier::default();
    let with = simplifier.as_ref().map_or(&shipped, |s| &s.get().simplifier);
    let found = py.detach(|| question.search(with));
    // an exception in the function of the caller is raised first, because it may cause the other errors
    if let Some(error) = raised.lock().ok().and_then(|mut raised| raised.take()) {
        return Err(error);
    }
    let found = found.map_err(failed)?;
    let told = |candidate: &coalescing::Candidate| {
        let said = numbers(py, candidate.traffic(), instructions(candidate.cost()))?;
        let exprs = |exprs: &[quaff::expr::Expr]| exprs.iter().cloned().map(PyExpr).collect::<Vec<_>>();
        said.set_item("schedule", PyExpr(candidate.sigma().clone()))?;
        // `sigma` is an older name of `schedule`
        said.set_item("sigma", PyExpr(candidate.sigma().clone()))?;
        let text = candidate.sigma_cuda().ok();
        said.set_item("cuda", text.as_ref().map(ToString::to_string))?;
        said.set_item("contract", text.as_ref().map(|text| contract(py, text.contract())).transpose()?)?;
        said.set_item("indices", exprs(candidate.indices()))?;
        said.set_item("order", PyLaneOrder(candidate.schedule().clone()))?;
        said.set_item("vector", candidate.vector())?;
        let steps = threads.map(|_| question.steps(candidate, with)).transpose().map_err(failed)?;
        said.set_item("steps", steps.map(|steps| PyExpr(steps.sigma().clone())))?;
        said.set_item("identity", total(py, found.identity())?)?;
        said.set_item("optimum", total(py, found.optimum())?)?;
        Ok(said)
    };
    found.candidates().iter().map(told).collect()
}

/// An order in which the lanes of a warp access elements. Lanes are numbered over all steps.
///
/// It is returned by `coalesce`, for `Kernel.scheduled`.
///
/// >>> order = quaff.coalesce(["i%64*64 + i//64"], "i", 256)[0]["order"]
/// >>> order
/// <LaneOrder of 256 lanes>
#[pyclass(name = "LaneOrder", module = "quaff", frozen)]
pub(crate) struct PyLaneOrder(pub(crate) coalescing::Schedule);

#[pymethods]
impl PyLaneOrder {
    /// The element of a lane, not simplified.
    ///
    /// >>> order = quaff.coalesce(["i%64*64 + i//64"], "i", 256)[0]["order"]
    /// >>> order.at("u").eval(u=5)
    /// 65
    fn at(&self, lane: Asked) -> PyExpr {
        PyExpr(self.0.at(&lane.expr))
    }

    /// The number of lanes over all steps. A lane without an element makes no access.
    #[getter]
    fn lanes(&self) -> i64 {
        self.0.extent()
    }

    fn __repr__(&self) -> String {
        format!("<LaneOrder of {} lanes>", self.0.extent())
    }
}

/// The traffic of all accesses in one order, as a dict.
fn total(py: Python<'_>, traffic: coalescing::Traffic) -> PyResult<Bound<'_, PyDict>> {
    let said = PyDict::new(py);
    said.set_item("sectors", traffic.sectors)?;
    said.set_item("gap", traffic.gap)?;
    Ok(said)
}

/// The traffic of a schedule, as a dict.
fn numbers(py: Python<'_>, traffic: coalescing::Traffic, cost: f64) -> PyResult<Bound<'_, PyDict>> {
    let said = PyDict::new(py);
    said.set_item("sectors", traffic.sectors)?;
    said.set_item("gap", traffic.gap)?;
    said.set_item("distance", traffic.distance)?;
    said.set_item("lines", traffic.lines)?;
    said.set_item("requests", traffic.requests)?;
    said.set_item("fetches", traffic.fetches)?;
    said.set_item("cost", cost)?;
    Ok(said)
}

/// The exception that a function of the caller raised.
type Raised = Arc<Mutex<Option<PyErr>>>;

/// The measure that is minimised: a text or a function.
#[derive(FromPyObject)]
pub(crate) enum By {
    Text(String),
    Function(Py<PyAny>),
}

impl By {
    fn objective(self, raised: &Raised) -> Result<coalescing::Objective, coalescing::CoalesceError> {
        let function = match self {
            By::Text(text) => return text.parse(),
            By::Function(function) => function,
        };
        let raised = raised.clone();
        Ok(coalescing::Objective::new(move |taken| {
            let value = Python::attach(|py| {
                let said = numbers(py, taken.traffic, taken.cost)?;
                function.call1(py, (said,))?.extract::<f64>(py)
            });
            value.unwrap_or_else(|error| {
                if let Ok(mut first) = raised.lock() {
                    first.get_or_insert(error);
                }
                f64::NAN
            })
        }))
    }
}
