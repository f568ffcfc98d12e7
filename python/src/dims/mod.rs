//! `quaff.Dims`: sizes and indices from products of dimensions.

mod handles;
mod indices;
mod sums;

pub(crate) use handles::{PyDim, PyEquation, PyProduct, PyScope};
pub(crate) use indices::{PyIndices, dim_of, escaped, loop_variable, unroll_of};
pub(crate) use sums::PySum;

use crate::answer::PySimplified;
use crate::arguments::{Asked, operand, read};
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use handles::{Right, no_dim};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use quaff::expr::Expr;
use quaff_fronts::dims::{Dim, Dims, DimsError, Indices, Scope, Term, Terms, Unroll, affine_terms};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Dimensions, and equations between products of them: sizes before run time, indices at run time.
///
///     dims = quaff.Dims()
///     thread, lane, warp = dims.new("thread=256 lane=32 warp")
///     dims.eq(thread, warp * lane)                         # or dims.eq(thread == warp * lane)
///     dims.size(warp)                                      # 8
///     ix = dims.init()
///     ix.set(thread, "t")
///     ix[warp], ix[lane]                                   # t//32 and t%32
///
/// The last factor of a product varies fastest. A product may also be a text such as `"warp * lane"`, or a list of dimensions, names and
/// integers. The first call of `init` or `get` ends the declarations.
///
/// Raises:
///     DimsError: sizes or indices without a solution, or without one that is whole. `code` names the kind.
#[pyclass(name = "Dims", module = "quaff", frozen)]
pub(crate) struct PyDims(Mutex<Declared>);

#[derive(Default)]
struct Declared {
    dims: Dims,
    names: HashMap<String, Dim>,
    /// How many dimensions a name has.
    counts: HashMap<String, usize>,
    scopes: HashMap<String, Scope>,
    /// The scopes whose blocks are open, the innermost last.
    open: Vec<Scope>,
}

fn failed(e: DimsError) -> PyErr {
    errors::other("DimsError", &e)
}

/// A size as Python has it.
pub(crate) fn size(py: Python<'_>, size: Expr) -> PyResult<Bound<'_, PyAny>> {
    match size.as_const() {
        Some(size) => Ok(size.into_pyobject(py)?.into_any()),
        None => Ok(Bound::new(py, PyExpr(size))?.into_any()),
    }
}

impl Declared {
    fn named(&self, name: &str) -> PyResult<Dim> {
        self.names.get(name).copied().ok_or_else(|| PyKeyError::new_err(format!("no dimension is called {name:?}")))
    }

    fn scope_named(&self, name: &str) -> PyResult<Scope> {
        self.scopes.get(name).copied().ok_or_else(|| PyKeyError::new_err(format!("no scope is called {name:?}")))
    }

    /// A dimension, given as itself or by its name.
    fn dim(&self, object: &Bound<'_, PyAny>) -> PyResult<Dim> {
        match (object.cast::<PyDim>(), object.cast::<PyString>()) {
            (Ok(dim), _) => Ok(dim.get().dim),
            (_, Ok(name)) => self.named(&name.to_string()),
            _ => Err(no_dim(object)),
        }
    }

    /// A scope, given as itself or by its name.
    fn scope(&self, object: &Bound<'_, PyAny>) -> PyResult<Scope> {
        match (object.cast::<PyScope>(), object.cast::<PyString>()) {
            (Ok(scope), _) => Ok(scope.get().scope),
            (_, Ok(name)) => self.scope_named(&name.to_string()),
            _ => Err(PyTypeError::new_err("a scope is a Scope or its name")),
        }
    }

    /// Keeps the new dimension `dim` under its name; a second one of a name is `name#2`.
    fn declared(&mut self, name: &str, dim: Dim) -> PyDim {
        let count = self.counts.entry(name.into()).or_default();
        *count += 1;
        let label = if *count == 1 { name.to_owned() } else { format!("{name}#{count}") };
        self.names.insert(label.clone(), dim);
        PyDim { dim, name: label }
    }

    /// The factors of a product.
    fn side(&self, side: &Bound<'_, PyAny>) -> PyResult<Vec<Term>> {
        if let Ok(text) = side.cast::<PyString>() {
            let text = text.to_string_lossy();
            return text.split('*').map(|factor| self.factor(factor.trim())).collect();
        }
        if let Some(product) = PyProduct::of(side)? {
            return Ok(product.terms);
        }
        let factors = side.try_iter()?.map(|factor| {
            let factor = factor?;
            match PyProduct::of(&factor)? {
                Some(product) => Ok(product.terms),
                None => Ok(vec![self.dim(&factor)?.into()]),
            }
        });
        Ok(factors.collect::<PyResult<Vec<_>>>()?.concat())
    }

    fn factor(&self, text: &str) -> PyResult<Term> {
        match text.parse::<i64>() {
            Ok(stride) => Ok(stride.into()),
            Err(_) => Ok(self.named(text)?.into()),
        }
    }

    /// Both sides of an equation, given as one or as two.
    fn sides(&self, left: &Bound<'_, PyAny>, right: Option<&Bound<'_, PyAny>>) -> PyResult<(Vec<Term>, Side)> {
        match (left.cast::<PyEquation>(), right) {
            (Ok(equation), None) => Ok((equation.get().left.terms.clone(), equation.get().right.clone().into())),
            (Err(_), Some(right)) => Ok((self.side(left)?, self.right(right)?)),
            _ => Err(PyTypeError::new_err("an equation is two products, a dimension and a sum, or one `A == B * C`")),
        }
    }

    fn right(&self, right: &Bound<'_, PyAny>) -> PyResult<Side> {
        if let Ok(sum) = right.cast::<PySum>() {
            return Ok(Right::Sum(sum.get().clone()).into());
        }
        match right.cast::<PyString>().map(|text| text.to_string_lossy()) {
            Ok(text) if text.contains(['+', '-']) => {
                let dim = |name: &str| self.names.get(name).copied();
                affine_terms(read(&text)?.expr(), dim).map(Side::Sum).map_err(failed)
            }
            _ => Ok(Side::Product(self.side(right)?)),
        }
    }

    /// Runs `work` in the scope given, or in the one whose block is open, or outside of all.
    fn within<T>(
        &mut self,
        scope: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(&mut Dims) -> Result<T, DimsError>,
    ) -> PyResult<T> {
        let given = scope.map(|scope| self.scope(scope)).transpose()?;
        match given.or(self.open.last().copied()) {
            None => work(&mut self.dims),
            Some(scope) => self.dims.scope(scope).and_then(|mut dims| work(&mut dims)),
        }
        .map_err(failed)
    }
}

/// The right side of an equation, as the solver takes it.
enum Side {
    Product(Vec<Term>),
    Sum(Terms),
}

impl From<Right> for Side {
    fn from(right: Right) -> Side {
        match right {
            Right::Product(product) => Side::Product(product.terms),
            Right::Sum(sum) => {
                let terms = sum.terms.into_iter().map(|(dim, _, coefficient)| (dim, coefficient));
                Side::Sum((terms.collect(), sum.constant))
            }
        }
    }
}

/// What is entered around a question.
enum Entered {
    Scope(Scope),
    Loop(Dim, String, Unroll),
    Vector(Dim, i64),
}

impl Entered {
    fn of(declared: &Declared, object: &Bound<'_, PyAny>) -> PyResult<Entered> {
        if let Ok(name) = object.extract::<String>() {
            return declared.scope_named(&name).map(Entered::Scope);
        }
        let parts = object.cast::<PyTuple>().map_err(|_| {
            PyTypeError::new_err(
                "what is entered is the name of a scope, (\"loop\", dim, variable) or (\"vector\", dim)",
            )
        })?;
        let texts: Vec<String> =
            parts.extract().or_else(|_| parts.iter().map(|p| Ok(p.str()?.to_string())).collect::<PyResult<_>>())?;
        match texts.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["loop", dim, variable] => Ok(Entered::Loop(declared.named(dim)?, variable.to_string(), Unroll::Auto)),
            ["unroll", dim, variable] => Ok(Entered::Loop(declared.named(dim)?, variable.to_string(), Unroll::Full)),
            ["vector", dim] => {
                let dim = declared.named(dim)?;
                Ok(Entered::Vector(dim, declared.dims.size(dim).map_err(failed)?))
            }
            _ => Err(PyValueError::new_err(
                "what is entered is the name of a scope, (\"loop\", dim, variable), (\"unroll\", dim, variable) or (\"vector\", dim)",
            )),
        }
    }
}

/// What a question says: dimensions to get, indices that are set, what is entered, ranges of variables.
struct Question {
    dims: Vec<Dim>,
    set: Vec<(Dim, Expr)>,
    entered: Vec<Entered>,
}

impl Question {
    fn of(
        declared: &Declared,
        names: &[Bound<'_, PyAny>],
        set: Option<&Bound<'_, PyDict>>,
        enter: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Question> {
        let dims = names.iter().map(|name| declared.dim(name)).collect::<PyResult<_>>()?;
        let mut given = Vec::new();
        for (name, value) in set.into_iter().flatten() {
            let value = match operand(&value)? {
                Some(expr) => expr,
                None => read(&value.extract::<String>()?)?.into_expr(),
            };
            given.push((declared.dim(&name)?, value));
        }
        let entered = enter.unwrap_or_default().iter().map(|e| Entered::of(declared, e)).collect::<PyResult<_>>()?;
        Ok(Question { dims, set: given, entered })
    }
}

impl Declared {
    fn check_new(&self, name: &str) -> PyResult<()> {
        match self.names.contains_key(name) {
            true => Err(PyValueError::new_err(format!("there is a dimension {name:?} already"))),
            false => Ok(()),
        }
    }
}

impl PyDims {
    fn declared(&self) -> MutexGuard<'_, Declared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The indices of all dimensions, none of which is set.
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

    /// Declares dimensions: `B, T = dims.new("B T=256")`, with their sizes where they are known. One name is one dimension, and several are
    /// a tuple. A second dimension of a name is another one, which is shown as `name#2`.
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

    /// Declares the dimension `name`, with its size where it is known; the name is new.
    #[pyo3(signature = (name, size = None))]
    fn dim(&self, name: &str, size: Option<i64>) -> PyResult<PyDim> {
        let mut declared = self.declared();
        declared.check_new(name)?;
        let dim = declared.dims.dim(name, size).map_err(failed)?;
        Ok(declared.declared(name, dim))
    }

    /// Declares the dimension `name`, whose size is known at run time: in `lower..upper`, both inclusive, and a multiple of `step`.
    #[pyo3(signature = (name, lower, upper, step = 1))]
    fn run_time(&self, name: &str, lower: i64, upper: i64, step: i64) -> PyResult<PyDim> {
        let mut declared = self.declared();
        declared.check_new(name)?;
        let dim = declared.dims.run_time(name, lower..=upper, step).map_err(failed)?;
        Ok(declared.declared(name, dim))
    }

    /// Declares a scope: its equations hold for indices only where it is entered.
    ///
    /// Args:
    ///     parent: the scope around it, which has to be entered first; the one whose block is open where none is given.
    #[pyo3(signature = (name, parent = None))]
    fn new_scope(&self, name: &str, parent: Option<&Bound<'_, PyAny>>) -> PyResult<PyScope> {
        let mut declared = self.declared();
        let scope = declared.within(parent, |dims| dims.new_scope(name))?;
        declared.scopes.insert(name.to_string(), scope);
        Ok(PyScope { scope, name: name.into() })
    }

    /// A block whose equations and scopes belong to `scope`: `with dims.scope(load): dims.eq(row, steps * lane)`.
    fn scope(slf: &Bound<'_, Self>, scope: &Bound<'_, PyAny>) -> PyResult<PyDeclaring> {
        let scope = slf.get().declared().scope(scope)?;
        Ok(PyDeclaring { dims: slf.clone().unbind(), scope, depth: Mutex::default() })
    }

    /// Says that two products are equal: `dims.eq(N, B * T)`, or `dims.eq(N == B * T)`. Or that the index of a dimension is a sum of others:
    /// `dims.eq(ih == oh * 2 + ky - 1)`, which says nothing of sizes, and where `Indices.inside` is the condition that it is an index.
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

    /// Says that the product on the right is the one on the left, rounded up to what it takes to cover it.
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

    /// Solves all sizes and freezes them. Each call gives indices of their own.
    ///
    /// Args:
    ///     simplifier: rules, limits and target machine for the indices.
    #[pyo3(signature = (*, simplifier = None))]
    fn init(&self, simplifier: Option<Py<PySimplifier>>) -> PyResult<PyIndices> {
        Ok(PyIndices::new(self.indices()?, simplifier))
    }

    /// Takes a condition on sizes to hold.
    fn assume(&self, condition: Asked) -> PyResult<()> {
        self.declared().dims.assume(condition.expr).map_err(failed)
    }

    /// The size of a dimension: an integer, or an expression over sizes that are known at run time.
    fn size<'py>(&self, dim: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let declared = self.declared();
        size(dim.py(), declared.dims.size_expr(declared.dim(dim)?).map_err(failed)?)
    }

    /// The indices of dimensions, simplified together.
    ///
    /// An index that comes from a product which only covers its dimension may be behind its end. The answer then has the condition
    /// that all indices are inside, `inside`, and its texts have it as one more result, the last one.
    ///
    /// Args:
    ///     names: the dimensions.
    ///     set: a dict from dimensions to the indices that they have: integers, `Expr` or texts. A variable in them has the range
    ///         that the size of the dimension gives it; an index over loop variables is inside of its dimension.
    ///     enter: what is entered around the question, the outermost first: names of scopes, `("loop", dim, variable)`,
    ///         `("unroll", dim, variable)` and `("vector", dim)`. Indices in a vector are those of its first lane; they are
    ///         neighbours, and begin at a multiple of their number.
    ///     simplifier: the one that simplifies.
    ///
    /// Returns:
    ///     A `Simplified` with one expression for each name.
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
        Ok(PySimplified(answer, inside))
    }

    /// The indices as the equations build them, not simplified; the arguments are those of `get`.
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
    /// How many blocks were open before it.
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
