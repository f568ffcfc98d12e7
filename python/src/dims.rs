//! `quaff.Dims`: sizes and indices from products of dimensions.

use crate::answer::PySimplified;
use crate::arguments::{Asked, operand, read};
use crate::errors;
use crate::expr::PyExpr;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use quaff::expr::Expr;
use quaff_fronts::dims::{Dim, Dims, DimsError, Indices, Scope, Term, Unroll};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Dimensions, and equations between products of them: sizes before run time, indices at run time.
///
/// A product is a text such as `"warp * lane"`, or a list of names and integers; its last factor varies fastest.
///
///     dims = quaff.Dims()
///     dims.dim("thread", 256), dims.dim("lane", 32), dims.dim("warp")
///     dims.eq("thread", "warp * lane")
///     dims.size("warp")                                    # 8
///     dims.get(["warp", "lane"], set={"thread": "t"})      # t//32 and t%32
///
/// Once an index was asked for, nothing more can be declared.
///
/// Raises:
///     DimsError: sizes or indices without a solution, or without one that is whole.
#[pyclass(name = "Dims", module = "quaff", frozen)]
pub(crate) struct PyDims(Mutex<Declared>);

#[derive(Default)]
struct Declared {
    dims: Dims,
    names: HashMap<String, Dim>,
    scopes: HashMap<String, Scope>,
}

fn failed(e: DimsError) -> PyErr {
    errors::other("DimsError", &e)
}

impl Declared {
    fn named(&self, name: &str) -> PyResult<Dim> {
        self.names.get(name).copied().ok_or_else(|| PyKeyError::new_err(format!("no dimension is called {name:?}")))
    }

    fn scope(&self, name: &str) -> PyResult<Scope> {
        self.scopes.get(name).copied().ok_or_else(|| PyKeyError::new_err(format!("no scope is called {name:?}")))
    }

    /// The factors of a product.
    fn side(&self, side: &Bound<'_, PyAny>) -> PyResult<Vec<Term>> {
        if let Ok(text) = side.cast::<PyString>() {
            let text = text.to_string_lossy();
            return text.split('*').map(|factor| self.factor(factor.trim())).collect();
        }
        if let Some(stride) = crate::numbers::integer(side)? {
            return Ok(vec![stride.into()]);
        }
        let factors = side.try_iter()?.map(|factor| {
            let factor = factor?;
            match crate::numbers::integer(&factor)? {
                Some(stride) => Ok(stride.into()),
                None => Ok(self.named(&factor.extract::<String>()?)?.into()),
            }
        });
        factors.collect()
    }

    fn factor(&self, text: &str) -> PyResult<Term> {
        match text.parse::<i64>() {
            Ok(stride) => Ok(stride.into()),
            Err(_) => Ok(self.named(text)?.into()),
        }
    }

    /// Runs `work` in the scope given, or outside of all.
    fn within<T>(&mut self, scope: Option<&str>, work: impl FnOnce(&mut Dims) -> Result<T, DimsError>) -> PyResult<T> {
        match scope.map(|name| self.scope(name)).transpose()? {
            None => work(&mut self.dims),
            Some(scope) => self.dims.scope(scope).and_then(|mut dims| work(&mut dims)),
        }
        .map_err(failed)
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
            return declared.scope(&name).map(Entered::Scope);
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

/// Sets indices, enters one thing after the other, and asks within all of them.
fn asked<T>(
    indices: &mut Indices,
    set: &[(Dim, Expr)],
    entered: &[Entered],
    ask: &dyn Fn(&Indices) -> Result<T, DimsError>,
) -> Result<T, DimsError> {
    let Some((first, rest)) = entered.split_first() else {
        for (dim, value) in set {
            indices.set(*dim, value.clone())?;
        }
        return ask(indices);
    };
    match first {
        Entered::Scope(scope) => asked(&mut *indices.scope(*scope)?, set, rest, ask),
        Entered::Loop(dim, variable, unroll) => {
            asked(&mut *indices.loop_over(*dim, variable, *unroll)?, set, rest, ask)
        }
        Entered::Vector(dim, lanes) => asked(&mut *indices.vectorize(*dim, *lanes)?, set, rest, ask),
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
        names: &[String],
        set: Option<&Bound<'_, PyDict>>,
        enter: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Question> {
        let dims = names.iter().map(|name| declared.named(name)).collect::<PyResult<_>>()?;
        let mut given = Vec::new();
        for (name, value) in set.into_iter().flatten() {
            let value = match operand(&value)? {
                Some(expr) => expr,
                None => read(&value.extract::<String>()?)?.into_expr(),
            };
            given.push((declared.named(&name.extract::<String>()?)?, value));
        }
        let entered = enter.unwrap_or_default().iter().map(|e| Entered::of(declared, e)).collect::<PyResult<_>>()?;
        Ok(Question { dims, set: given, entered })
    }
}

impl PyDims {
    fn declared(&self) -> MutexGuard<'_, Declared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T>(&self, question: &Question, ask: &dyn Fn(&Indices) -> Result<T, DimsError>) -> PyResult<T> {
        let mut indices = self.declared().dims.init().map_err(failed)?;
        asked(&mut indices, &question.set, &question.entered, ask).map_err(failed)
    }
}

#[pymethods]
impl PyDims {
    #[new]
    fn new() -> PyDims {
        PyDims(Mutex::default())
    }

    /// Declares the dimension `name`, with its size where it is known.
    #[pyo3(signature = (name, size = None))]
    fn dim(&self, name: &str, size: Option<i64>) -> PyResult<()> {
        let mut declared = self.declared();
        if declared.names.contains_key(name) {
            return Err(PyValueError::new_err(format!("there is a dimension {name:?} already")));
        }
        let dim = declared.dims.dim(name, size).map_err(failed)?;
        declared.names.insert(name.to_string(), dim);
        Ok(())
    }

    /// Declares the dimension `name`, whose size is known at run time: in `lower..upper`, both inclusive, and a multiple of `step`.
    #[pyo3(signature = (name, lower, upper, step = 1))]
    fn run_time(&self, name: &str, lower: i64, upper: i64, step: i64) -> PyResult<()> {
        let mut declared = self.declared();
        if declared.names.contains_key(name) {
            return Err(PyValueError::new_err(format!("there is a dimension {name:?} already")));
        }
        let dim = declared.dims.run_time(name, lower..=upper, step).map_err(failed)?;
        declared.names.insert(name.to_string(), dim);
        Ok(())
    }

    /// Declares a scope: its equations hold, as far as indices go, only where it is entered.
    fn scope(&self, name: &str) -> PyResult<()> {
        let mut declared = self.declared();
        let scope = declared.dims.new_scope(name).map_err(failed)?;
        declared.scopes.insert(name.to_string(), scope);
        Ok(())
    }

    /// Says that two products are equal.
    #[pyo3(signature = (left, right, *, scope = None))]
    fn eq(&self, left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>, scope: Option<&str>) -> PyResult<()> {
        let mut declared = self.declared();
        let sides = (declared.side(left)?, declared.side(right)?);
        declared.within(scope, |dims| dims.eq(sides.0, sides.1)).map(drop)
    }

    /// Says that the product on the right is the one on the left, rounded up to what it takes to cover it.
    #[pyo3(signature = (left, right, *, scope = None))]
    fn covered(&self, left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>, scope: Option<&str>) -> PyResult<()> {
        let mut declared = self.declared();
        let sides = (declared.side(left)?, declared.side(right)?);
        declared.within(scope, |dims| dims.covered(sides.0, sides.1)).map(drop)
    }

    /// Takes a condition on sizes to hold.
    fn assume(&self, condition: Asked) -> PyResult<()> {
        self.declared().dims.assume(condition.expr).map_err(failed)
    }

    /// The size of a dimension: an integer, or an expression over sizes that are known at run time.
    fn size<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let declared = self.declared();
        let size = declared.dims.size_expr(declared.named(name)?).map_err(failed)?;
        match size.as_const() {
            Some(size) => Ok(size.into_pyobject(py)?.into_any()),
            None => Ok(Bound::new(py, PyExpr(size))?.into_any()),
        }
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
    ///
    /// Returns:
    ///     A `Simplified` with one expression for each name.
    #[pyo3(signature = (names, *, set = None, enter = None))]
    fn get(
        &self,
        names: Vec<String>,
        set: Option<&Bound<'_, PyDict>>,
        enter: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<PySimplified> {
        let question = Question::of(&self.declared(), &names, set, enter)?;
        let answer = self.ask(&question, &|indices| indices.simplified_inside(&question.dims))?;
        let inside = answer.exprs().len() > question.dims.len();
        Ok(PySimplified(answer, inside))
    }

    /// The indices as the equations build them, not simplified; the arguments are those of `get`.
    #[pyo3(signature = (names, *, set = None, enter = None))]
    fn get_raw(
        &self,
        names: Vec<String>,
        set: Option<&Bound<'_, PyDict>>,
        enter: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Vec<PyExpr>> {
        let question = Question::of(&self.declared(), &names, set, enter)?;
        let raw = self.ask(&question, &|indices| {
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
