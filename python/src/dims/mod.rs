//! `quaff.Dims`: sizes and indices from products of dimensions.

mod declared;
mod handles;
mod indices;
mod sums;

pub(crate) use handles::{PyDim, PyEquation, PyProduct, PyScope};
pub(crate) use indices::{PyIndices, dim_of, loop_variable, unroll_of};
pub(crate) use sums::PySum;

use crate::answer::PySimplified;
use crate::arguments::Asked;
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use declared::{Declared, Question, Side};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quaff::expr::Expr;
use quaff_fronts::dims::{DimsError, Indices, Scope, Term};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Dimensions, and equations between products of dimensions, which determine sizes before run time and indices at run
/// time.
///
/// >>> dims = quaff.Dims()
/// >>> thread, lane, warp = dims.new("thread=256 lane=32 warp")
/// >>> dims.eq(thread, warp * lane)
/// >>> dims.size(warp)
/// 8
/// >>> ix = dims.init()
/// >>> ix[thread] = "t"
/// >>> ix[warp, lane]
/// (quaff.Expr('t//32'), quaff.Expr('t%32'))
///
/// The last factor of a product varies fastest. A product may also be a text such as `"warp * lane"`, or a list of
/// dimensions, names and integers. The first call of `init` or `get` ends the declarations.
///
/// Raises:
///     DimsError: sizes or indices have no solution, or no integer solution. `code` names the kind of error.
#[pyclass(name = "Dims", module = "quaff", frozen)]
pub(crate) struct PyDims(Mutex<Declared>);

fn failed(e: DimsError) -> PyErr {
    errors::other("DimsError", &e)
}

/// A size as a Python object.
pub(crate) fn size(py: Python<'_>, size: Expr) -> PyResult<Bound<'_, PyAny>> {
    match size.as_const() {
        Some(size) => Ok(size.into_pyobject(py)?.into_any()),
        None => Ok(Bound::new(py, PyExpr(size))?.into_any()),
    }
}

impl PyDims {
    fn declared(&self) -> MutexGuard<'_, Declared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The indices of all dimensions, before any is set.
    pub(crate) fn indices(&self) -> PyResult<Indices> {
        self.declared().dims.init().map_err(failed)
    }

    fn ask<T>(&self, question: &Question, ask: impl FnOnce(&Indices) -> Result<T, DimsError>) -> PyResult<T> {
        let mut indices = self.indices()?;
        let entered = question.entered.iter().try_for_each(|entered| entered.open(&mut indices).map(drop));
        let set = |_| question.set.iter().try_for_each(|(dim, value)| indices.set(*dim, value.clone()));
        entered.and_then(set).and_then(|()| ask(&indices)).map_err(failed)
    }
}

#[pymethods]
impl PyDims {
    #[new]
    fn new() -> PyDims {
        PyDims(Mutex::default())
    }

    /// Declares dimensions: `B, T = dims.new("B T=256")`, with their sizes if they are known.
    ///
    /// One name gives one dimension, and several names give a tuple. A second dimension with the same name is a
    /// different dimension, which is shown as `name#2`.
    ///
    /// >>> quaff.Dims().new("thread=256 lane=32 warp")
    /// (<Dim thread>, <Dim lane>, <Dim warp>)
    #[pyo3(name = "new")]
    fn new_dims<'py>(&self, py: Python<'py>, names: &str) -> PyResult<Bound<'py, PyAny>> {
        let one = |word: &str| match word.split_once('=') {
            None => Ok((word.to_owned(), None)),
            Some((name, size)) => match size.parse::<i64>() {
                Ok(size) => Ok((name.to_owned(), Some(size))),
                Err(_) => Err(PyValueError::new_err(format!("the size in {word:?} is no integer"))),
            },
        };
        let words: Vec<(String, Option<i64>)> = names.split_whitespace().map(one).collect::<PyResult<_>>()?;
        let mut declared = self.declared();
        let mut made: Vec<Bound<'py, PyDim>> = Vec::new();
        for (name, size) in words {
            let dim = declared.dims.dim(&name, size).map_err(failed)?;
            made.push(Bound::new(py, declared.declared(&name, dim))?);
        }
        match made.len() {
            0 => Err(PyValueError::new_err("there is no name of a dimension")),
            1 => Ok(made.remove(0).into_any()),
            _ => Ok(PyTuple::new(py, made)?.into_any()),
        }
    }

    /// Declares the dimension `name`, with its size if it is known. The name must be new.
    ///
    /// >>> quaff.Dims().dim("thread", 256)
    /// <Dim thread>
    #[pyo3(signature = (name, size = None))]
    fn dim(&self, name: &str, size: Option<i64>) -> PyResult<PyDim> {
        let mut declared = self.declared();
        declared.check_new(name)?;
        let dim = declared.dims.dim(name, size).map_err(failed)?;
        Ok(declared.declared(name, dim))
    }

    /// Declares the dimension `name`, whose size is known at run time. The size is in `lower..upper`, both inclusive,
    /// and a multiple of `step`.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> dims.size(dims.run_time("row", 1, 4096))
    /// quaff.Expr('row')
    #[pyo3(signature = (name, lower, upper, step = 1))]
    fn run_time(&self, name: &str, lower: i64, upper: i64, step: i64) -> PyResult<PyDim> {
        let mut declared = self.declared();
        declared.check_new(name)?;
        let dim = declared.dims.run_time(name, lower..=upper, step).map_err(failed)?;
        Ok(declared.declared(name, dim))
    }

    /// Declares a scope. Its equations hold for indices only where the scope is entered.
    ///
    /// Args:
    ///     parent: the enclosing scope, which must be entered first. By default it is the scope whose block is open.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> load = dims.new_scope("load")
    /// >>> dims.new_scope("tile", load)
    /// <Scope tile>
    #[pyo3(signature = (name, parent = None))]
    fn new_scope(&self, name: &str, parent: Option<&Bound<'_, PyAny>>) -> PyResult<PyScope> {
        let mut declared = self.declared();
        let scope = declared.within(parent, |dims| dims.new_scope(name))?;
        declared.scopes.insert(name.to_string(), scope);
        Ok(PyScope { scope, name: name.into() })
    }

    /// A block whose equations and scopes belong to `scope`: `with dims.scope(load): dims.eq(row, steps * lane)`.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row, lane, step = dims.new("row=4096 lane=32 step")
    /// >>> with dims.scope(dims.new_scope("load")):
    /// ...     dims.eq(row, step * lane)
    /// >>> dims.get(["row"], set={"lane": "t", "step": "s"}, enter=["load"]).expr
    /// quaff.Expr('t + s*32')
    fn scope(slf: &Bound<'_, Self>, scope: &Bound<'_, PyAny>) -> PyResult<PyDeclaring> {
        let scope = slf.get().declared().scope(scope)?;
        Ok(PyDeclaring { dims: slf.clone().unbind(), scope, depth: Mutex::default() })
    }

    /// States that two products are equal: `dims.eq(N, B * T)`, or `dims.eq(N == B * T)`.
    ///
    /// It can also state that the index of a dimension is a sum of other indices: `dims.eq(ih == oh * 2 + ky - 1)`.
    /// Such an equation determines no sizes, and `Indices.inside` is the condition that the sum is an index.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> dims.size(warp)
    /// 8
    #[pyo3(signature = (left, right = None, *, scope = None))]
    fn eq(
        &self,
        left: &Bound<'_, PyAny>,
        right: Option<&Bound<'_, PyAny>>,
        scope: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut declared = self.declared();
        let (left, right) = declared.sides(left, right)?;
        let equation = match (right, &left[..]) {
            (Side::Product(right), _) => declared.within(scope, |dims| dims.eq(left, right)),
            (Side::Sum((terms, constant)), [Term::Dim(dim)]) => {
                declared.within(scope, |dims| dims.affine(*dim, terms, constant))
            }
            (Side::Sum(_), _) => {
                Err(PyTypeError::new_err("a sum is the index of one dimension: ih == oh * 2 + ky - 1"))
            }
        };
        equation.map(drop)
    }

    /// States that the product on the right covers the product on the left: its size is the size of the left product,
    /// rounded up.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row, block, lane = dims.new("row=100 block lane=32")
    /// >>> dims.covered(row, block * lane)
    /// >>> dims.size(block)
    /// 4
    #[pyo3(signature = (left, right, *, scope = None))]
    fn covered(
        &self,
        left: &Bound<'_, PyAny>,
        right: &Bound<'_, PyAny>,
        scope: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut declared = self.declared();
        let sides = (declared.side(left)?, declared.side(right)?);
        declared.within(scope, |dims| dims.covered(sides.0, sides.1)).map(drop)
    }

    /// Computes all sizes, and returns the indices. Sizes cannot change afterwards.
    ///
    /// Each call returns independent indices.
    ///
    /// Args:
    ///     simplifier: rules, limits and target machine for the indices.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> dims.init()
    /// <Indices thread=?, warp=?, lane=?>
    #[pyo3(signature = (*, simplifier = None))]
    fn init(&self, simplifier: Option<Py<PySimplifier>>) -> PyResult<PyIndices> {
        Ok(PyIndices::new(self.indices()?, simplifier))
    }

    /// Assumes that a condition on sizes holds.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> rows, columns = dims.run_time("rows", 1, 64), dims.run_time("columns", 1, 64)
    /// >>> dims.assume("rows <= columns")
    /// >>> quaff.prove("rows < columns + 1", dims.init().facts)
    /// True
    fn assume(&self, condition: Asked) -> PyResult<()> {
        self.declared().dims.assume(condition.expr).map_err(failed)
    }

    /// The size of a dimension: an integer, or an expression over sizes that are known at run time.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> dims.size(dims.new("thread=256"))
    /// 256
    fn size<'py>(&self, dim: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let declared = self.declared();
        size(dim.py(), declared.dims.size_expr(declared.dim(dim)?).map_err(failed)?)
    }

    /// The indices of dimensions, simplified together.
    ///
    /// If a product only covers its dimension, an index from the product may be beyond the end. The answer then has
    /// `inside`, the condition that all indices are inside. Its texts have this condition as an additional last result.
    ///
    /// Args:
    ///     names: the dimensions.
    ///     set: a dict from dimensions to their indices, which are integers, `Expr` or texts. The range of a variable
    ///         in an index follows from the size of the dimension. An index over loop variables is inside of its
    ///         dimension.
    ///     enter: the blocks around the question, the outermost first: names of scopes, `("loop", dim, variable)`,
    ///         `("unroll", dim, variable)` and `("vector", dim)`. In a vector, an index is the index of the first lane.
    ///         The lanes are neighbours, and the first index is a multiple of the number of lanes.
    ///     simplifier: the `Simplifier` to use.
    ///
    /// Returns:
    ///     A `Simplified` with one expression for each name.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> dims.get([warp, lane], set={thread: "t"}).exprs
    /// [quaff.Expr('t//32'), quaff.Expr('t%32')]
    #[pyo3(signature = (names, *, set = None, enter = None, simplifier = None))]
    fn get(
        &self,
        names: Vec<Bound<'_, PyAny>>,
        set: Option<&Bound<'_, PyDict>>,
        enter: Option<Vec<Bound<'_, PyAny>>>,
        simplifier: Option<Py<PySimplifier>>,
    ) -> PyResult<PySimplified> {
        let question = Question::of(&self.declared(), &names, set, enter)?;
        let answer = self.ask(&question, |indices| match &simplifier {
            None => indices.simplified_inside(&question.dims),
            Some(with) => indices.simplified_inside_by(&with.get().simplifier, &question.dims),
        })?;
        let inside = answer.exprs().len() > question.dims.len();
        Ok(PySimplified::indices(answer, inside))
    }

    /// The indices of dimensions as the equations build them, not simplified. It has the same arguments as `get`.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread, warp, lane = dims.new("thread=256 warp lane=32")
    /// >>> dims.eq(thread, warp * lane)
    /// >>> dims.get_raw([thread], set={warp: "w", lane: "l"})
    /// [quaff.Expr('w*32 + l')]
    #[pyo3(signature = (names, *, set = None, enter = None))]
    fn get_raw(
        &self,
        names: Vec<Bound<'_, PyAny>>,
        set: Option<&Bound<'_, PyDict>>,
        enter: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Vec<PyExpr>> {
        let question = Question::of(&self.declared(), &names, set, enter)?;
        let raw = self.ask(&question, |indices| {
            question.dims.iter().map(|d| indices.get_raw(*d)).collect::<Result<Vec<_>, _>>()
        })?;
        Ok(raw.into_iter().map(PyExpr).collect())
    }

    /// The names of the dimensions, sorted.
    #[getter]
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.declared().names.keys().cloned().collect();
        names.sort();
        names
    }

    fn __repr__(&self) -> String {
        format!("<Dims {}>", self.names().join(", "))
    }
}

/// A block of a `with` statement whose equations belong to a scope.
#[pyclass(name = "Declaring", module = "quaff", frozen)]
pub(crate) struct PyDeclaring {
    dims: Py<PyDims>,
    scope: Scope,
    /// The number of blocks that were open before this one.
    depth: Mutex<Option<usize>>,
}

#[pymethods]
impl PyDeclaring {
    fn __enter__(&self) -> PyResult<Py<PyDims>> {
        let mut depth = self.depth.lock().unwrap_or_else(PoisonError::into_inner);
        if depth.is_some() {
            return Err(PyRuntimeError::new_err("the block is open already"));
        }
        let mut declared = self.dims.get().declared();
        *depth = Some(declared.open.len());
        declared.open.push(self.scope);
        Ok(Python::attach(|py| self.dims.clone_ref(py)))
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        let mut depth = self.depth.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(depth) = depth.take() {
            self.dims.get().declared().open.truncate(depth);
        }
    }
}
