//! `quaff.LinearLayout`: functions over bits, from named numbers to named numbers.

use crate::answer::PySimplified;
use crate::arguments::Asked;
use crate::errors;
use crate::expr::PyExpr;
use crate::layout::{Operand, PyLayout, failed};
use crate::simplifier::{PySimplifier, unlocked};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quaff_fronts::layout::{LayoutError, LinearLayout};

/// A function from several named numbers to several named numbers that is linear over bits, as in Triton.
///
/// `LinearLayout("{lane: [(1,0), (2,0)], warp: [(0,1)]} -> {row: 4, column: 2}")` reads the bases of each input and the sizes of the outputs, or
/// operations such as `"invert({x: [2, 1]})"`. `a @ b` is `a` after `b`, `a * b` the product, and `a(lane, warp)` the outputs. Where a function is taken,
/// a text is, too.
///
/// Raises:
///     LayoutError: a text that is no function of bits, or an operation without a result.
#[pyclass(name = "LinearLayout", module = "quaff", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyLinearLayout(LinearLayout);

fn made(layout: Result<LinearLayout, LayoutError>) -> PyResult<PyLinearLayout> {
    layout.map(PyLinearLayout).map_err(|e| failed(&e))
}

/// A function of bits as an object or a text.
pub(crate) struct Function(LinearLayout);

impl<'py> FromPyObject<'_, 'py> for Function {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Function> {
        if let Ok(layout) = object.cast::<PyLinearLayout>() {
            return Ok(Function(layout.get().0.clone()));
        }
        match object.extract::<String>() {
            Ok(text) => PyLinearLayout::new(&text).map(|layout| Function(layout.0)),
            Err(_) => Err(PyTypeError::new_err("a function of bits is a LinearLayout or a text")),
        }
    }
}

/// The pairs of a dictionary, in its order.
fn pairs<T>(of: &Bound<'_, PyDict>) -> PyResult<Vec<(String, T)>>
where
    T: for<'a, 'py> FromPyObject<'a, 'py>,
{
    of.iter()
        .map(|(name, value)| {
            let value = value.extract::<T>().map_err(Into::into)?;
            Ok((name.extract::<String>()?, value))
        })
        .collect()
}

fn named<T>(pairs: &[(String, T)]) -> Vec<(&str, T)>
where
    T: Clone,
{
    pairs.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}

fn texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn dictionary<'py, T: IntoPyObjectExt<'py>>(py: Python<'py>, all: Vec<(&str, T)>) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    all.into_iter().try_for_each(|(name, value)| out.set_item(name, value.into_bound_py_any(py)?))?;
    Ok(out)
}

#[pymethods]
impl PyLinearLayout {
    #[new]
    fn new(text: &str) -> PyResult<PyLinearLayout> {
        let read = text.parse().map_err(|e| errors::placed("LayoutError", &e, Some(text)));
        read.map(PyLinearLayout)
    }

    /// The function with these bases for each input, the lowest bit first, each with a number for each output; and outputs of these sizes.
    #[staticmethod]
    fn of_bases(bases: &Bound<'_, PyDict>, outs: &Bound<'_, PyDict>) -> PyResult<PyLinearLayout> {
        let (bases, outs) = (pairs::<Vec<Vec<i64>>>(bases)?, pairs::<i64>(outs)?);
        made(LinearLayout::new(&named(&bases), &named(&outs)))
    }

    /// `out = input` for inputs below `size`.
    #[staticmethod]
    fn identity(size: i64, input: &str, out: &str) -> PyResult<PyLinearLayout> {
        made(LinearLayout::identity(size, input, out))
    }

    /// `out = stride * input` for inputs below `size`.
    #[staticmethod]
    fn strided(size: i64, stride: i64, input: &str, out: &str) -> PyResult<PyLinearLayout> {
        made(LinearLayout::strided(size, stride, input, out))
    }

    /// `out = 0` for inputs below `size`, where `out` has `out_size` numbers.
    #[staticmethod]
    #[pyo3(signature = (size, input, out, out_size = 1))]
    fn zeros(size: i64, input: &str, out: &str, out_size: i64) -> PyResult<PyLinearLayout> {
        made(LinearLayout::zeros(size, input, out, out_size))
    }

    /// The function of bits that a layout of powers of two is, from coordinates with the names `ins` to the index `out`.
    #[staticmethod]
    fn of_layout(layout: Operand, ins: Vec<String>, out: &str) -> PyResult<PyLinearLayout> {
        made(LinearLayout::of_layout(&layout.0, &texts(&ins), out))
    }

    /// The layout with a mode for each input, where no two bases share a bit.
    fn to_layout(&self) -> PyResult<PyLayout> {
        self.0.to_layout().map(PyLayout).map_err(|e| failed(&e))
    }

    /// The size of each input.
    #[getter]
    fn ins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.0.ins())
    }

    /// The size of each output.
    #[getter]
    fn outs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.0.outs())
    }

    /// The bases of each input, the lowest bit first: each has a number for each output.
    #[getter]
    fn bases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.0.bases())
    }

    /// The number of independent bases.
    #[getter]
    fn rank(&self) -> usize {
        self.0.rank()
    }

    /// Whether different inputs have different outputs.
    #[getter]
    fn is_injective(&self) -> bool {
        self.0.is_injective()
    }

    /// Whether all numbers of all outputs are reached.
    #[getter]
    fn is_surjective(&self) -> bool {
        self.0.is_surjective()
    }

    /// For each input a mask of the bits whose base is a sum of the bases before it. All masks are 0 where the function is injective.
    #[getter]
    fn free_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.0.free_masks())
    }

    /// This function after `inner`, whose outputs are the inputs of this one by their names.
    fn compose(&self, inner: Function) -> PyResult<PyLinearLayout> {
        made(self.0.compose(&inner.0))
    }

    /// The product: this function of the lower bits of each input, and `outer` of the higher ones.
    fn product(&self, outer: Function) -> PyResult<PyLinearLayout> {
        made(self.0.product(&outer.0))
    }

    /// The function `r` with `divisor * r == self`; None where there is none.
    fn divide_left(&self, divisor: Function) -> Option<PyLinearLayout> {
        self.0.divide_left(&divisor.0).map(PyLinearLayout)
    }

    /// The function `r` with `r * divisor == self`; None where there is none.
    fn divide_right(&self, divisor: Function) -> Option<PyLinearLayout> {
        self.0.divide_right(&divisor.0).map(PyLinearLayout)
    }

    /// The inverse, from outputs to inputs.
    fn invert(&self) -> PyResult<PyLinearLayout> {
        made(self.0.invert())
    }

    /// A function that finds the inputs of outputs that are reached.
    fn left_inverse(&self) -> PyResult<PyLinearLayout> {
        made(self.0.left_inverse())
    }

    /// The function that finds the least inputs with given outputs.
    fn right_inverse(&self) -> PyResult<PyLinearLayout> {
        made(self.0.right_inverse())
    }

    /// The function that finds for each value of this function the least inputs of `other` with that value.
    fn invert_and_compose(&self, other: Function) -> PyResult<PyLinearLayout> {
        made(self.0.invert_and_compose(&other.0))
    }

    /// The function of these inputs alone, with 0 for the others, to these outputs.
    fn sublayout(&self, ins: Vec<String>, outs: Vec<String>) -> PyResult<PyLinearLayout> {
        made(self.0.sublayout(&texts(&ins), &texts(&outs)))
    }

    /// The inputs in the order of `names`.
    fn transpose_ins(&self, names: Vec<String>) -> PyResult<PyLinearLayout> {
        made(self.0.transpose_ins(&texts(&names)))
    }

    /// The outputs in the order of `names`.
    fn transpose_outs(&self, names: Vec<String>) -> PyResult<PyLinearLayout> {
        made(self.0.transpose_outs(&texts(&names)))
    }

    /// Other inputs with the same bits, those of the first one lowest.
    fn reshape_ins(&self, ins: &Bound<'_, PyDict>) -> PyResult<PyLinearLayout> {
        made(self.0.reshape_ins(&named(&pairs(ins)?)))
    }

    /// Other outputs with the same bits, those of the first one lowest.
    fn reshape_outs(&self, outs: &Bound<'_, PyDict>) -> PyResult<PyLinearLayout> {
        made(self.0.reshape_outs(&named(&pairs(outs)?)))
    }

    /// One input with the bits of all.
    fn flatten_ins(&self, name: &str) -> PyResult<PyLinearLayout> {
        made(self.0.flatten_ins(name))
    }

    /// One output with the bits of all.
    fn flatten_outs(&self, name: &str) -> PyResult<PyLinearLayout> {
        made(self.0.flatten_outs(name))
    }

    /// Each output as an expression, for one expression for each input, not simplified.
    fn index(&self, inputs: Vec<Asked>) -> PyResult<Vec<PyExpr>> {
        let inputs = Asked::exprs(inputs);
        let found = self.0.index(&inputs).map_err(|e| failed(&e))?;
        Ok(found.into_iter().map(PyExpr).collect())
    }

    /// The outputs for inputs that are variables of their names, in the cheapest form.
    #[pyo3(signature = (*, simplifier = None))]
    fn simplify(&self, py: Python<'_>, simplifier: Option<Py<PySimplifier>>) -> PyResult<PySimplified> {
        let answer = unlocked(py, simplifier.as_ref(), |s| self.0.simplify(s));
        Ok(PySimplified(answer.map_err(|e| failed(&e))?, false))
    }

    #[pyo3(signature = (*inputs))]
    fn __call__<'py>(&self, py: Python<'py>, inputs: Vec<i64>) -> PyResult<Bound<'py, PyTuple>> {
        match self.0.apply(&inputs) {
            Some(outs) => PyTuple::new(py, outs),
            None => {
                let text = format!("{inputs:?} is not one number for each input, below its size");
                Err(errors::plain("LayoutError", &text))
            }
        }
    }

    fn __matmul__(&self, inner: Function) -> PyResult<PyLinearLayout> {
        self.compose(inner)
    }

    fn __mul__(&self, outer: Function) -> PyResult<PyLinearLayout> {
        self.product(outer)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("quaff.LinearLayout('{}')", self.0)
    }
}
