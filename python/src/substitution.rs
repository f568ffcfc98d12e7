//! Replaces parts or renames variables of expressions.

use crate::arguments::{Asked, readable};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use quaff::expr::{Dag, Expr, Op, var};
use std::collections::{HashMap, HashSet};

/// `e` with variables and parts replaced. The dicts map names and parts to expressions.
pub(crate) fn substituted(e: &Expr, dicts: [Option<&Bound<'_, PyDict>>; 2]) -> PyResult<Expr> {
    let mut by = HashMap::new();
    for (part, new) in dicts.into_iter().flatten().flatten() {
        let part = match part.cast::<PyString>() {
            Ok(name) => var(readable(&name.to_string_lossy())?),
            Err(_) => part.extract::<Asked>()?.expr,
        };
        by.insert(part, new.extract::<Asked>()?.expr);
    }
    Ok(with(e, |part| by.get(part).cloned()))
}

/// `e` with renamed variables. Different variables keep different names.
pub(crate) fn renamed(e: &Expr, dicts: [Option<&Bound<'_, PyDict>>; 2]) -> PyResult<Expr> {
    let mut new = HashMap::new();
    for (name, other) in dicts.into_iter().flatten().flatten() {
        new.insert(name.extract::<String>()?, readable(&other.extract::<String>()?)?.to_string());
    }
    let mut taken = HashSet::new();
    for name in e.variables() {
        let other = new.get(&*name).map_or(&*name, String::as_str);
        if !taken.insert(other.to_string()) {
            return Err(PyValueError::new_err(format!("two variables would have the name {other:?}")));
        }
    }
    Ok(with(e, |part| match part.op() {
        Op::Var(name) => new.get(&**name).map(|other| var(other.as_str())),
        _ => None,
    }))
}

/// `e`, in which each part is replaced if `new` returns an expression for it.
fn with(e: &Expr, new: impl Fn(&Expr) -> Option<Expr>) -> Expr {
    let dag = Dag::with_origins(std::slice::from_ref(e));
    dag.rebuilt(|id, _| new(dag.origin(id))).pop().unwrap_or_else(|| e.clone())
}
