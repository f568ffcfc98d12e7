//! Expressions as flat lists of integers.

use crate::arguments::Asked;
use crate::expr::PyExpr;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff::expr::{FlatNodes, Op};
use std::sync::Arc;

/// The expressions of a flat list, one for each of `roots`.
///
/// Each node is the code of its operator (`quaff.OPERATORS`: 0 is a constant, 1 a variable), followed by the value of the constant,
/// by the place of the variable in `names`, or by the numbers of its operands. Nodes are numbered from 0, and operands stand before
/// their users. `quaff.from_nodes([1, 0, 0, 16, OPERATORS["mul"], 0, 1], ["i"], [2])` is `[i*16]`.
///
/// Raises:
///     ValueError: with the place in the list.
#[pyfunction]
pub(crate) fn from_nodes(words: Vec<i64>, names: Vec<String>, roots: Vec<i64>) -> PyResult<Vec<PyExpr>> {
    let names = names.into_iter().map(Arc::from).collect();
    let exprs = FlatNodes { words, names, roots }.exprs().map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok(exprs.into_iter().map(PyExpr).collect())
}

/// The words of a flat list, the names of its variables, and the numbers of the nodes that are its expressions.
type Flat = (Vec<i64>, Vec<String>, Vec<i64>);

/// `(words, names, roots)` of expressions, as `from_nodes` takes them; every distinct part is one node.
#[pyfunction]
pub(crate) fn to_nodes(exprs: Vec<Asked>) -> Flat {
    let exprs: Vec<_> = exprs.into_iter().map(|a| a.expr).collect();
    let FlatNodes { words, names, roots } = FlatNodes::of(&exprs);
    (words, names.iter().map(|n| n.to_string()).collect(), roots)
}

/// The codes of all operators by name.
pub(crate) fn operators(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let codes = PyDict::new(py);
    codes.set_item("const", 0)?;
    codes.set_item("var", 1)?;
    for op in Op::all() {
        codes.set_item(op.name(), op.code())?;
    }
    Ok(codes)
}
