//! The declarations of a `Dims`, and the arguments of questions about them.

use super::failed;
use super::handles::{PyDim, PyEquation, PyProduct, PyScope, Right, no_dim};
use super::sums::PySum;
use crate::arguments::{operand, read};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use quaff::expr::{Expr, int, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, Indices, Scope, Term, Terms, Unroll, affine_terms};
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Declared {
    pub(super) dims: Dims,
    pub(super) names: HashMap<String, Dim>,
    /// The number of dimensions with each name.
    counts: HashMap<String, usize>,
    pub(super) scopes: HashMap<String, Scope>,
    /// The scopes whose blocks are open. The innermost one is last.
    pub(super) open: Vec<Scope>,
}

impl Declared {
    fn named(&self, name: &str) -> PyResult<Dim> {
        self.names.get(name).copied().ok_or_else(|| PyKeyError::new_err(format!("no dimension is called {name:?}")))
    }

    fn scope_named(&self, name: &str) -> PyResult<Scope> {
        self.scopes.get(name).copied().ok_or_else(|| PyKeyError::new_err(format!("no scope is called {name:?}")))
    }

    /// The dimension in an argument, which is a dimension or its name.
    pub(super) fn dim(&self, object: &Bound<'_, PyAny>) -> PyResult<Dim> {
        match (object.cast::<PyDim>(), object.cast::<PyString>()) {
            (Ok(dim), _) => Ok(dim.get().dim),
            (_, Ok(name)) => self.named(&name.to_string()),
            _ => Err(no_dim(object)),
        }
    }

    /// The scope in an argument, which is a scope or its name.
    pub(super) fn scope(&self, object: &Bound<'_, PyAny>) -> PyResult<Scope> {
        match (object.cast::<PyScope>(), object.cast::<PyString>()) {
            (Ok(scope), _) => Ok(scope.get().scope),
            (_, Ok(name)) => self.scope_named(&name.to_string()),
            _ => Err(PyTypeError::new_err("a scope is a Scope or its name")),
        }
    }

    /// Stores the new dimension `dim` under its name. A second dimension with the same name is `name#2`.
    pub(super) fn declared(&mut self, name: &str, dim: Dim) -> PyDim {
        let count = self.counts.entry(name.into()).or_default();
        *count += 1;
        let label = if *count == 1 { name.to_owned() } else { format!("{name}#{count}") };
        self.names.insert(label.clone(), dim);
        PyDim { dim, name: label }
    }

    /// The factors of a product in an argument.
    pub(super) fn side(&self, side: &Bound<'_, PyAny>) -> PyResult<Vec<Term>> {
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

    /// Both sides of an equation, which are given as one argument or as two.
    pub(super) fn sides(
        &self,
        left: &Bound<'_, PyAny>,
        right: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Vec<Term>, Side)> {
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

    /// Runs `work` in the given scope. Without one, it runs in the innermost open scope, or outside of all scopes.
    pub(super) fn within<T>(
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

/// The right side of an equation, in the form of the solver.
pub(super) enum Side {
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

/// A block that is entered before a question.
pub(super) enum Entered {
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

    /// Enters the block permanently. Returns the variable if the block is a loop.
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

/// The arguments of a question: dimensions to get, indices to set, blocks to enter, and ranges of variables.
pub(super) struct Question {
    pub(super) dims: Vec<Dim>,
    pub(super) set: Vec<(Dim, Expr)>,
    pub(super) entered: Vec<Entered>,
}

impl Question {
    pub(super) fn of(
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
    pub(super) fn check_new(&self, name: &str) -> PyResult<()> {
        match self.names.contains_key(name) {
            true => Err(PyValueError::new_err(format!("there is a dimension {name:?} already"))),
            false => Ok(()),
        }
    }
}
