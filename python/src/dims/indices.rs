//! `quaff.Indices`: indices of dimensions in scopes, loops and vectors.

use super::handles::{PyDim, PyScope, no_dim};
use super::{Entered, failed};
use crate::answer::PySimplified;
use crate::arguments::Asked;
use crate::domain::PyDomain;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};
use quaff::Simplifier;
use quaff::expr::{Expr, int, var};
use quaff_fronts::dims::{Dim, DimsError, Indices, Unroll};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The indices of dimensions: some are set, and the others follow by the equations. `Dims.init` makes it.
///
///     ix = dims.init()
///     ix.set(T, "t")
///     with ix.scope(load), ix.loop(steps) as i:
///         ix[row]                                # an Expr, simplified
///
/// What is set or assumed in a `with` block ends with the block. A call that raises changes nothing.
///
/// Raises:
///     DimsError: `code` names the kind, such as `dims::unsolved`.
#[pyclass(name = "Indices", module = "quaff", frozen)]
pub(crate) struct PyIndices {
    /// The indices, and those of each open block; the innermost are last.
    open: Mutex<Vec<Indices>>,
    simplifier: Option<Py<PySimplifier>>,
}

/// A block of a `with` statement.
#[pyclass(name = "Region", module = "quaff", frozen)]
pub(crate) struct PyRegion {
    indices: Py<PyIndices>,
    entered: Region,
    /// How many blocks were open before it.
    depth: Mutex<Option<usize>>,
}

enum Region {
    Frame,
    Entered(Entered),
    /// A loop whose variable gets a name of its own.
    Loop(Dim, Unroll),
}

/// Names that are tried for the variable of a loop.
const TRIES: usize = 1000;

/// A dimension, given as itself or by its name.
pub(crate) fn dim_of(indices: &Indices, object: &Bound<'_, PyAny>) -> PyResult<Dim> {
    if let Ok(dim) = object.cast::<PyDim>() {
        return Ok(dim.get().dim);
    }
    let Ok(name) = object.cast::<PyString>() else { return Err(no_dim(object)) };
    let name = name.to_string();
    let found = indices.dim_named(&name);
    found.ok_or_else(|| PyKeyError::new_err(format!("no dimension is called {name:?}")))
}

/// How a loop is unrolled: True for all trips, or a number of trips.
pub(crate) fn unroll_of(unroll: Option<&Bound<'_, PyAny>>) -> PyResult<Unroll> {
    match unroll {
        None => Ok(Unroll::Auto),
        Some(all) if all.cast::<PyBool>().is_ok() => Ok(if all.is_truthy()? { Unroll::Full } else { Unroll::Auto }),
        Some(trips) => match trips.extract::<u32>()? {
            0 => Err(PyValueError::new_err("a loop is unrolled by at least 1")),
            trips => Ok(Unroll::By(trips)),
        },
    }
}

/// The name of a loop variable that is given none: that of its dimension in small letters.
pub(crate) fn loop_variable(indices: &Indices, dim: Dim) -> Result<String, DimsError> {
    let label = indices.label(dim)?.to_lowercase();
    Ok(label.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect())
}

impl PyIndices {
    pub(crate) fn new(indices: Indices, simplifier: Option<Py<PySimplifier>>) -> PyIndices {
        PyIndices { open: Mutex::new(vec![indices]), simplifier }
    }

    /// The indices as they are here, and the simplifier that they were made with.
    pub(crate) fn now(&self, py: Python<'_>) -> PyResult<(Indices, Option<Py<PySimplifier>>)> {
        Ok((self.with(|ix| Ok(ix.clone()))?, self.simplifier.as_ref().map(|simplifier| simplifier.clone_ref(py))))
    }

    fn open(&self) -> MutexGuard<'_, Vec<Indices>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the innermost indices.
    fn with<T>(&self, work: impl FnOnce(&mut Indices) -> Result<T, DimsError>) -> PyResult<T> {
        let mut open = self.open();
        let Some(indices) = open.last_mut() else { return Err(PyRuntimeError::new_err("no indices are open")) };
        work(indices).map_err(failed)
    }

    fn dim(&self, object: &Bound<'_, PyAny>) -> PyResult<Dim> {
        let open = self.open();
        match open.last() {
            Some(indices) => dim_of(indices, object),
            None => Err(PyRuntimeError::new_err("no indices are open")),
        }
    }

    fn dims(&self, objects: &Bound<'_, PyTuple>) -> PyResult<Vec<Dim>> {
        objects.iter().map(|object| self.dim(&object)).collect()
    }

    /// The answer for `dims`, with the condition that they are inside, where there is one.
    fn answer(&self, py: Python<'_>, dims: &[Dim]) -> PyResult<PySimplified> {
        let indices = self.with(|ix| Ok(ix.clone()))?;
        let answer = py.detach(|| match &self.simplifier {
            None => indices.simplified_inside(dims),
            Some(with) => indices.simplified_inside_by(&with.get().simplifier, dims),
        });
        let answer = answer.map_err(failed)?;
        let inside = answer.exprs().len() > dims.len();
        Ok(PySimplified(answer, inside))
    }

    fn region(slf: &Bound<'_, PyIndices>, entered: Region) -> PyRegion {
        PyRegion { indices: slf.clone().unbind(), entered, depth: Mutex::default() }
    }
}

#[pymethods]
impl PyIndices {
    /// Sets the index of `dim`; what follows from it is solved. The value is proved to be an index of the dimension.
    fn set(&self, dim: &Bound<'_, PyAny>, value: Asked) -> PyResult<()> {
        let dim = self.dim(dim)?;
        self.with(|ix| ix.set(dim, value.expr))
    }

    /// The index of a dimension, simplified. `ix[a, b]` is a tuple of indices that are simplified together.
    fn __getitem__<'py>(&self, dims: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = dims.py();
        if let Ok(several) = dims.cast::<PyTuple>() {
            let answer = self.answer(py, &self.dims(several)?)?;
            return Ok(PyTuple::new(py, answer.exprs())?.into_any());
        }
        let answer = self.answer(py, &[self.dim(dims)?])?;
        match answer.exprs().into_iter().next() {
            Some(index) => Ok(Bound::new(py, index)?.into_any()),
            None => Err(PyRuntimeError::new_err("there is no index")),
        }
    }

    fn __setitem__(&self, dim: &Bound<'_, PyAny>, value: Asked) -> PyResult<()> {
        self.set(dim, value)
    }

    /// The indices of dimensions, simplified together, with their costs, texts and the condition that they are inside.
    #[pyo3(signature = (*dims))]
    fn get(&self, py: Python<'_>, dims: &Bound<'_, PyTuple>) -> PyResult<PySimplified> {
        self.answer(py, &self.dims(dims)?)
    }

    /// The index of a dimension as the equations build it.
    fn raw(&self, dim: &Bound<'_, PyAny>) -> PyResult<PyExpr> {
        let dim = self.dim(dim)?;
        self.with(|ix| ix.get_raw(dim)).map(PyExpr)
    }

    /// The size of a dimension: an integer, or an expression over sizes that are known at run time.
    fn size<'py>(&self, dim: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let at = self.dim(dim)?;
        super::size(dim.py(), self.with(|ix| ix.size_expr(at))?)
    }

    /// The condition under which the indices of dimensions are inside, simplified; None where they always are.
    #[pyo3(signature = (*dims))]
    fn inside(&self, py: Python<'_>, dims: &Bound<'_, PyTuple>) -> PyResult<Option<PyExpr>> {
        let dims = self.dims(dims)?;
        let (condition, facts) = self.with(|ix| Ok((ix.inside(&dims)?, ix.facts())))?;
        let Some(condition) = condition else { return Ok(None) };
        let answer = py.detach(|| match &self.simplifier {
            None => Simplifier::default().simplify(&condition, &facts),
            Some(with) => with.get().simplifier.simplify(&condition, &facts),
        });
        // the condition as it was built holds in any case
        Ok(Some(PyExpr(answer.map_or(condition, |answer| answer.expr().clone()))))
    }

    /// Where the index of a dimension comes from, in words. Raises `DimsError` where it is not solved.
    fn why_solved(&self, dim: &Bound<'_, PyAny>) -> PyResult<String> {
        let dim = self.dim(dim)?;
        self.with(|ix| ix.why_solved(dim)).map(|origin| origin.to_string())
    }

    /// The equations that know something of a dimension and not enough, each with the dimensions that it waits for.
    fn why_partial(&self, dim: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let dim = self.dim(dim)?;
        let found = self.with(|ix| ix.why_partial(dim))?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    /// Whether the index of a dimension is known.
    fn is_solved(&self, dim: &Bound<'_, PyAny>) -> PyResult<bool> {
        let dim = self.dim(dim)?;
        self.with(|ix| ix.is_solved(dim))
    }

    /// Takes a condition on variables to hold, until the block ends.
    fn assume(&self, condition: Asked) -> PyResult<()> {
        self.with(|ix| {
            ix.assume_that(condition.expr);
            Ok(())
        })
    }

    /// What is known of the variables, for `quaff.simplify`.
    #[getter]
    fn facts(&self) -> PyResult<PyDomain> {
        self.with(|ix| Ok(ix.facts())).map(PyDomain)
    }

    /// The open scopes and loops, the outermost first, as texts.
    #[getter]
    fn active(&self) -> PyResult<Vec<String>> {
        self.with(|ix| {
            let scopes = ix.active_scopes().into_iter().map(|scope| format!("scope {scope}"));
            let loops = ix.loops().iter().map(|l| format!("loop {} in 0..{}", l.variable, l.trips));
            Ok(scopes.chain(loops).collect())
        })
    }

    /// A block in which the equations of a scope hold.
    fn scope(slf: &Bound<'_, Self>, scope: &Bound<'_, PyScope>) -> PyRegion {
        PyIndices::region(slf, Region::Entered(Entered::Scope(scope.get().scope)))
    }

    /// A block for what is set or assumed for a while, such as within an `if`.
    fn frame(slf: &Bound<'_, Self>) -> PyRegion {
        PyIndices::region(slf, Region::Frame)
    }

    /// A loop over a dimension: `with ix.loop(T) as i:` sets its index to the variable `i`. A dimension of size 1 needs no loop, and
    /// `i` is 0.
    ///
    /// Args:
    ///     variable: the name of the variable; that of the dimension in small letters where none is given.
    ///     unroll: True for all trips, or a number of trips.
    #[pyo3(signature = (dim, variable = None, *, unroll = None))]
    fn r#loop(
        slf: &Bound<'_, Self>,
        dim: &Bound<'_, PyAny>,
        variable: Option<String>,
        unroll: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyRegion> {
        let dim = slf.get().dim(dim)?;
        let unroll = unroll_of(unroll)?;
        let region = match variable {
            Some(variable) => Region::Entered(Entered::Loop(dim, variable, unroll)),
            None => Region::Loop(dim, unroll),
        };
        Ok(PyIndices::region(slf, region))
    }

    /// A vector over a dimension of `size` lanes: indices are those of its first lane. Each is proved to go along with the lanes.
    fn vectorize(slf: &Bound<'_, Self>, dim: &Bound<'_, PyAny>, size: i64) -> PyResult<PyRegion> {
        let dim = slf.get().dim(dim)?;
        Ok(PyIndices::region(slf, Region::Entered(Entered::Vector(dim, size))))
    }

    fn __repr__(&self) -> PyResult<String> {
        let rows = self.rows()?;
        let text = |row: &Row| match &row.index {
            Some(index) => format!("{}={index}", row.name),
            None => format!("{}=?", row.name),
        };
        Ok(format!("<Indices {}>", rows.iter().map(text).collect::<Vec<_>>().join(", ")))
    }

    /// A table of all dimensions: size, index, and the equation or setting that it comes from.
    fn _repr_html_(&self) -> PyResult<String> {
        let mut html = String::from(
            "<table class=\"quaff-indices\"><thead><tr><th>dimension</th><th>size</th><th>index</th><th>from</th></tr></thead><tbody>",
        );
        for Row { name, size, index, from } in self.rows()? {
            let index = index.unwrap_or_else(|| "not solved".into());
            let cells: Vec<String> = [name, size, index, from].iter().map(|cell| escaped(cell)).collect();
            html += &format!("<tr><td>{}</td></tr>", cells.join("</td><td>"));
        }
        Ok(html + "</tbody></table>")
    }
}

/// A dimension as it is shown.
struct Row {
    name: String,
    size: String,
    index: Option<String>,
    from: String,
}

impl PyIndices {
    fn rows(&self) -> PyResult<Vec<Row>> {
        self.with(|ix| {
            let dims: Vec<_> = ix.dims().collect();
            let row = |dim: &quaff_fronts::dims::DimRef| {
                let (name, size) = (dim.name.to_string(), ix.size_expr(dim.dim)?.to_string());
                if ix.is_solved(dim.dim)? {
                    let (index, from) = (ix.get_raw(dim.dim)?.to_string(), ix.why_solved(dim.dim)?.to_string());
                    return Ok(Row { name, size, index: Some(index), from });
                }
                let waiting: Vec<String> = ix.why_partial(dim.dim)?.iter().map(ToString::to_string).collect();
                Ok(Row { name, size, index: None, from: waiting.join("; ") })
            };
            dims.iter().map(row).collect()
        })
    }
}

/// Text in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[pymethods]
impl PyRegion {
    /// Opens the block. Answers the variable of a loop, and the indices for other blocks.
    fn __enter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let indices = self.indices.get();
        let mut open = indices.open();
        let Some(mut inner) = open.last().cloned() else {
            return Err(PyRuntimeError::new_err("no indices are open"));
        };
        let mut depth = self.depth.lock().unwrap_or_else(PoisonError::into_inner);
        if depth.is_some() {
            return Err(PyRuntimeError::new_err("the block is open already"));
        }
        let variable = self.entered.open(&mut inner).map_err(failed)?;
        *depth = Some(open.len());
        open.push(inner);
        match variable {
            Some(variable) => Ok(Bound::new(py, PyExpr(variable))?.into_any()),
            None => Ok(self.indices.bind(py).clone().into_any()),
        }
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        let mut depth = self.depth.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(depth) = depth.take() {
            self.indices.get().open().truncate(depth);
        }
    }
}

impl Region {
    /// Opens it for good in `indices`; answers the variable of a loop.
    fn open(&self, indices: &mut Indices) -> Result<Option<Expr>, DimsError> {
        match self {
            Region::Frame => Ok(None),
            Region::Entered(entered) => entered.open(indices),
            Region::Loop(dim, unroll) => {
                let base = loop_variable(indices, *dim)?;
                let mut tried = 1;
                loop {
                    let name = if tried == 1 { base.clone() } else { format!("{base}_{tried}") };
                    match Entered::Loop(*dim, name, *unroll).open(indices) {
                        Err(error) if matches!(error.name(), "name_taken" | "bad_name") && tried < TRIES => tried += 1,
                        opened => return opened,
                    }
                }
            }
        }
    }
}

impl Entered {
    /// Enters it for good; answers the variable of a loop.
    pub(super) fn open(&self, indices: &mut Indices) -> Result<Option<Expr>, DimsError> {
        match self {
            Entered::Scope(scope) => indices.scope(*scope)?.keep(),
            Entered::Loop(dim, variable, unroll) => {
                let frame = indices.loop_over(*dim, variable, *unroll)?;
                let variable = frame.opened_loop().map_or(int(0), |l| var(l.variable.clone()));
                frame.keep();
                return Ok(Some(variable));
            }
            Entered::Vector(dim, lanes) => indices.vectorize(*dim, *lanes)?.keep(),
        }
        Ok(None)
    }
}
