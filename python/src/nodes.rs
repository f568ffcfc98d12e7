//! Expressions as flat lists of integers.

use crate::arguments::{Asked, readable};
use crate::expr::PyExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use quaff::expr::{Expr, FlatNodes, Op};
use std::sync::Arc;

/// The items of a sequence, each converted by `item`. A list is faster, because it needs no Python iterator.
fn items<'py, T>(
    object: Borrowed<'_, 'py, PyAny>,
    item: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let Ok(list) = object.cast::<PyList>() else {
        return object.extract::<Vec<Bound<'py, PyAny>>>()?.iter().map(item).collect();
    };
    let mut items = Vec::with_capacity(list.len());
    for one in list.iter() {
        items.push(item(&one)?);
    }
    Ok(items)
}

/// A sequence of integers.
pub(crate) struct Words(Vec<i64>);

impl<'py> FromPyObject<'_, 'py> for Words {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Words> {
        items(object, |word| word.extract()).map(Words)
    }
}

/// A sequence of names.
pub(crate) struct Names(Vec<Arc<str>>);

impl<'py> FromPyObject<'_, 'py> for Names {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Names> {
        items(object, |name| Ok(readable(name.cast::<PyString>()?.to_str()?)?.into())).map(Names)
    }
}

/// The expressions of a flat list.
///
/// # Errors
/// `ValueError`, with the place in the list.
pub(crate) fn exprs(Words(words): Words, Names(names): Names, Words(roots): Words) -> PyResult<Vec<Expr>> {
    FlatNodes { words, names, roots }.exprs().map_err(|e| PyValueError::new_err(e.to_string()))
}

/// A flat list as Python objects.
pub(crate) fn flat(py: Python<'_>, FlatNodes { words, names, roots }: FlatNodes) -> PyResult<Flat<'_>> {
    Ok((words, PyList::new(py, names.iter().map(|name| &**name))?, roots))
}

/// The expressions of a flat list, one for each of `roots`.
///
/// Each node begins with the code of its operator (`quaff.OPERATORS`: 0 is a constant, 1 a variable). After the code
/// comes the value of a constant, the position of a variable in `names`, or the numbers of the operands. Nodes are
/// numbered from 0, and operands come before their users. `quaff.from_nodes([1, 0, 0, 16, OPERATORS["mul"], 0, 1],
/// ["i"], [2])` is `[i*16]`.
///
/// Raises:
///     ValueError: the list is invalid, with the place, or a name cannot be read back from a text.
///
/// >>> quaff.from_nodes([1, 0, 0, 16, quaff.OPERATORS["mul"], 0, 1], ["i"], [2])
/// [quaff.Expr('i*16')]
#[pyfunction]
pub(crate) fn from_nodes(words: Words, names: Names, roots: Words) -> PyResult<Vec<PyExpr>> {
    Ok(exprs(words, names, roots)?.into_iter().map(PyExpr).collect())
}

/// The words of a flat list, the names of its variables, and the numbers of its root nodes.
pub(crate) type Flat<'py> = (Vec<i64>, Bound<'py, PyList>, Vec<i64>);

/// `(words, names, roots)` of expressions, as `from_nodes` takes them. Every distinct part is one node.
///
/// >>> quaff.to_nodes(["i*16", "i*16 + 1"])
/// ([1, 0, 0, 16, 5, 0, 1, 0, 1, 3, 2, 3], ['i'], [2, 4])
#[pyfunction]
pub(crate) fn to_nodes(py: Python<'_>, exprs: Vec<Asked>) -> PyResult<Flat<'_>> {
    let exprs: Vec<_> = exprs.into_iter().map(|a| a.expr).collect();
    flat(py, FlatNodes::of(&exprs))
}

/// The codes of all operators, by name.
pub(crate) fn operators(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let codes = PyDict::new(py);
    codes.set_item("const", 0)?;
    codes.set_item("var", 1)?;
    for op in Op::all() {
        codes.set_item(op.name(), op.code())?;
    }
    Ok(codes)
}
