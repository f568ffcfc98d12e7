//! `quaff.Indices`: indices of dimensions in scopes, loops and vectors.

use super::declared::Entered;
use super::failed;
use super::handles::{PyDim, PyScope, no_dim};
use crate::answer::PySimplified;
use crate::arguments::Asked;
use crate::domain::PyDomain;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_fronts::dims::{Dim, DimsError, Indices, Unroll};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The indices of dimensions. Some are set, and the equations determine the others. It is made by `Dims.init`.
///
/// >>> dims = quaff.Dims()
/// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
/// >>> dims.eq(thread, warp * lane)
/// >>> ix = dims.init()
/// >>> ix[thread] = "t"
/// >>> ix[warp, lane]
/// (quaff.Expr('t//32'), quaff.Expr('t%32'))
///
/// Settings and assumptions in a `with` block end with the block. A call that raises an exception changes nothing.
///
/// Raises:
///     DimsError: an index cannot be set or read. `code` names the kind of error, such as `dims::unsolved`.
#[pyclass(name = "Indices", module = "quaff", frozen)]
pub(crate) struct PyIndices {
    /// The indices outside of all blocks and within each open block. The indices of the innermost block are last.
    open: Mutex<Vec<Indices>>,
    simplifier: Option<Py<PySimplifier>>,
}

/// A block of a `with` statement.
#[pyclass(name = "Region", module = "quaff", frozen)]
pub(crate) struct PyRegion {
    indices: Py<PyIndices>,
    entered: Region,
    /// The number of blocks that were open before this one.
    depth: Mutex<Option<usize>>,
}

enum Region {
    Frame,
    Entered(Entered),
    /// A loop whose variable gets a unique name.
    Loop(Dim, Unroll),
}

/// The largest number of names that are tried for the variable of a loop.
const TRIES: usize = 1000;

/// The dimension in an argument, which is a dimension or its name.
pub(crate) fn dim_of(indices: &Indices, object: &Bound<'_, PyAny>) -> PyResult<Dim> {
    if let Ok(dim) = object.cast::<PyDim>() {
        return Ok(dim.get().dim);
    }
    let Ok(name) = object.cast::<PyString>() else { return Err(no_dim(object)) };
    let name = name.to_string();
    let found = indices.dim_named(&name);
    found.ok_or_else(|| PyKeyError::new_err(format!("no dimension is called {name:?}")))
}

/// The unrolling of a loop: True for all trips, or a number of trips.
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

/// The default name of a loop variable: the name of its dimension in lower case.
pub(crate) fn loop_variable(indices: &Indices, dim: Dim) -> Result<String, DimsError> {
    let label = indices.label(dim)?.to_lowercase();
    Ok(label.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect())
}

impl PyIndices {
    pub(crate) fn new(indices: Indices, simplifier: Option<Py<PySimplifier>>) -> PyIndices {
        PyIndices { open: Mutex::new(vec![indices]), simplifier }
    }

    /// The current indices, and the simplifier that they were made with.
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

    /// The answer for `dims`, with the condition that they are inside, if there is one.
    fn answer(&self, py: Python<'_>, dims: &[Dim]) -> PyResult<PySimplified> {
        let indices = self.with(|ix| Ok(ix.clone()))?;
        let answer = py.detach(|| match &self.simplifier {
            None => indices.simplified_inside(dims),
            Some(with) => indices.simplified_inside_by(&with.get().simplifier, dims),
        });
        let answer = answer.map_err(failed)?;
        let inside = answer.exprs().len() > dims.len();
        Ok(PySimplified::indices(answer, inside))
    }

    fn region(slf: &Bound<'_, PyIndices>, entered: Region) -> PyRegion {
        PyRegion { indices: slf.clone().unbind(), entered, depth: Mutex::default() }
    }
}

#[pymethods]
impl PyIndices {
    /// Sets the index of `dim`, and solves the indices that follow from it.
    ///
    /// The method proves that the value is an index of the dimension.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> ix = dims.init()
    /// >>> ix.set(thread, "t")
    /// >>> ix[warp]
    /// quaff.Expr('t//32')
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
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> ix = dims.init()
    /// >>> ix.set(thread, "t")
    /// >>> ix.get(warp, lane)
    /// <Simplified t//32; t%32, cost 2 of 2>
    #[pyo3(signature = (*dims))]
    fn get(&self, py: Python<'_>, dims: &Bound<'_, PyTuple>) -> PyResult<PySimplified> {
        self.answer(py, &self.dims(dims)?)
    }

    /// The index of a dimension as the equations build it, not simplified.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, copy, warp, lane = dims.new("thread=256 copy=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> dims.eq(copy, warp * lane)
    /// >>> ix = dims.init()
    /// >>> ix[thread] = "t"
    /// >>> ix.raw(copy), ix[copy]
    /// (quaff.Expr('t//32*32 + t%32'), quaff.Expr('t'))
    fn raw(&self, dim: &Bound<'_, PyAny>) -> PyResult<PyExpr> {
        let dim = self.dim(dim)?;
        self.with(|ix| ix.get_raw(dim)).map(PyExpr)
    }

    /// The size of a dimension: an integer, or an expression over sizes that are known at run time.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row = dims.new("row=8")
    /// >>> dims.init().size(row)
    /// 8
    fn size<'py>(&self, dim: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let at = self.dim(dim)?;
        super::size(dim.py(), self.with(|ix| ix.size_expr(at))?)
    }

    /// The condition under which the indices are inside of their dimensions, simplified. None if they always are.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row, block, lane = dims.new("row=100 block lane=32")
    /// >>> dims.covered(row, block * lane)
    /// >>> ix = dims.init()
    /// >>> ix[block], ix[lane] = "b", "t"
    /// >>> ix.inside(row)
    /// quaff.Expr('b*32 + t < 100')
    #[pyo3(signature = (*dims))]
    fn inside(&self, py: Python<'_>, dims: &Bound<'_, PyTuple>) -> PyResult<Option<PyExpr>> {
        let dims = self.dims(dims)?;
        let (condition, facts) = self.with(|ix| Ok((ix.inside(&dims)?, ix.facts())))?;
        let Some(condition) = condition else { return Ok(None) };
        let answer = py.detach(|| match &self.simplifier {
            None => Simplifier::default().simplify(&condition, &facts),
            Some(with) => with.get().simplifier.simplify(&condition, &facts),
        });
        // if the condition cannot be simplified, the original condition is returned
        Ok(Some(PyExpr(answer.map_or(condition, |answer| answer.expr().clone()))))
    }

    /// The origin of the index of a dimension, in words.
    ///
    /// Raises `DimsError` if the index is not solved.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> ix = dims.init()
    /// >>> ix[thread] = "t"
    /// >>> ix.why_solved(lane)
    /// 'solved by `thread = warp * lane` (->)'
    fn why_solved(&self, dim: &Bound<'_, PyAny>) -> PyResult<String> {
        let dim = self.dim(dim)?;
        self.with(|ix| ix.why_solved(dim)).map(|origin| origin.to_string())
    }

    /// The equations that determine a dimension only in part, each with the dimensions that are missing.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> ix = dims.init()
    /// >>> ix[lane] = "l"
    /// >>> ix.why_partial(thread)
    /// ['`thread = warp * lane`: `warp` unsolved, `lane` solved']
    fn why_partial(&self, dim: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        let dim = self.dim(dim)?;
        let found = self.with(|ix| ix.why_partial(dim))?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    /// Whether the index of a dimension is known.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row = dims.new("row=8")
    /// >>> dims.init().is_solved(row)
    /// False
    fn is_solved(&self, dim: &Bound<'_, PyAny>) -> PyResult<bool> {
        let dim = self.dim(dim)?;
        self.with(|ix| ix.is_solved(dim))
    }

    /// Assumes that a condition on variables holds, until the block ends.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row = dims.new("row=8")
    /// >>> ix = dims.init()
    /// >>> ix[row] = "r"
    /// >>> ix.assume("r < 4")
    /// >>> quaff.bounds(ix[row], ix.facts)
    /// (0, 3)
    fn assume(&self, condition: Asked) -> PyResult<()> {
        self.with(|ix| {
            ix.assume_that(condition.expr);
            Ok(())
        })
    }

    /// The facts about the variables, for `quaff.simplify`.
    #[getter]
    fn facts(&self) -> PyResult<PyDomain> {
        self.with(|ix| Ok(ix.facts())).map(PyDomain)
    }

    /// The open scopes and loops as texts, the outermost first.
    #[getter]
    fn active(&self) -> PyResult<Vec<String>> {
        self.with(|ix| {
            let scopes = ix.active_scopes().into_iter().map(|scope| format!("scope {scope}"));
            let loops = ix.loops().iter().map(|l| format!("loop {} in 0..{}", l.variable, l.trips));
            Ok(scopes.chain(loops).collect())
        })
    }

    /// A block in which the equations of a scope hold.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row, lane, load = *dims.new("row=32 lane=32"), dims.new_scope("load")
    /// >>> dims.eq(row, [lane], scope=load)
    /// >>> ix = dims.init()
    /// >>> ix[lane] = "t"
    /// >>> with ix.scope(load):
    /// ...     ix[row]
    /// quaff.Expr('t')
    fn scope(slf: &Bound<'_, Self>, scope: &Bound<'_, PyScope>) -> PyRegion {
        PyIndices::region(slf, Region::Entered(Entered::Scope(scope.get().scope)))
    }

    /// A block for settings and assumptions, such as those within an `if`.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row = dims.new("row=8")
    /// >>> ix = dims.init()
    /// >>> with ix.frame():
    /// ...     ix[row] = 3
    /// >>> ix.is_solved(row)
    /// False
    fn frame(slf: &Bound<'_, Self>) -> PyRegion {
        PyIndices::region(slf, Region::Frame)
    }

    /// A loop over a dimension. `with ix.loop(T) as i:` sets the index of `T` to the variable `i`.
    ///
    /// A dimension of size 1 needs no loop, and `i` is 0.
    ///
    /// Args:
    ///     variable: the name of the variable. By default it is the name of the dimension in lower case.
    ///     unroll: True for all trips, or a number of trips.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> step = dims.new("step=8")
    /// >>> ix = dims.init()
    /// >>> with ix.loop(step, unroll=True) as i:
    /// ...     i, ix[step]
    /// (quaff.Expr('step'), quaff.Expr('step'))
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

    /// A `with` block in which a dimension of size `size` is one vector access.
    ///
    /// An index in the block is the index of the first lane. Each index is proved to grow by 1 from lane to lane.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row, group, lane = dims.new("row=32 group lane=4")
    /// >>> dims.eq(row, group * lane)
    /// >>> ix = dims.init()
    /// >>> ix[group] = "g"
    /// >>> with ix.vectorize(lane, 4):
    /// ...     ix[row]
    /// quaff.Expr('g*4')
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

    /// A table of all dimensions with size, index, and the equation or setting that determines the index.
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

/// A row of the table: the texts for one dimension.
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

/// `text` escaped for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[pymethods]
impl PyRegion {
    /// Opens the block. Returns the variable of a loop, and the indices for other blocks.
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
    /// Opens the block permanently in `indices`. Returns the variable if it is a loop.
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
