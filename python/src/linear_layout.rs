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
/// `LinearLayout("{lane: [(1,0), (2,0)], warp: [(0,1)]} -> {row: 4, column: 2}")` reads the bases of each input and the
/// sizes of the outputs, or operations such as `"invert({x: [2, 1]})"`. `a @ b` is `a` after `b`, `a * b` is the
/// product, and `a(lane, warp)` has the outputs. Functions that take such an object also take a text.
///
/// Raises:
///     LayoutError: a text is not a function of bits, or an operation has no result.
///
/// >>> layout = quaff.LinearLayout("{lane: [(1,0), (2,0)], warp: [(0,1)]} -> {row: 4, column: 2}")
/// >>> layout(3, 1), layout.ins, layout.outs
/// ((3, 1), {'lane': 4, 'warp': 2}, {'row': 4, 'column': 2})
#[pyclass(name = "LinearLayout", module = "quaff", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyLinearLayout(pub(crate) LinearLayout);

fn made(layout: Result<LinearLayout, LayoutError>) -> PyResult<PyLinearLayout> {
    layout.map(PyLinearLayout).map_err(|e| failed(&e))
}

/// A function of bits in an argument, which is an object or a text.
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

/// The pairs of a dict, in its order.
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

    /// The function with these bases, and with outputs of these sizes.
    ///
    /// Each input has a list of bases, the lowest bit first. A base has a number for each output.
    ///
    /// >>> quaff.LinearLayout.of_bases({"lane": [[1], [2]]}, {"row": 4})
    /// quaff.LinearLayout('{lane: [1, 2]} -> {row: 4}')
    #[staticmethod]
    fn of_bases(bases: &Bound<'_, PyDict>, outs: &Bound<'_, PyDict>) -> PyResult<PyLinearLayout> {
        let (bases, outs) = (pairs::<Vec<Vec<i64>>>(bases)?, pairs::<i64>(outs)?);
        made(LinearLayout::new(&named(&bases), &named(&outs)))
    }

    /// `out = input` for inputs below `size`.
    ///
    /// >>> quaff.LinearLayout.identity(8, "lane", "row")
    /// quaff.LinearLayout('{lane: [1, 2, 4]} -> {row: 8}')
    #[staticmethod]
    fn identity(size: i64, input: &str, out: &str) -> PyResult<PyLinearLayout> {
        made(LinearLayout::identity(size, input, out))
    }

    /// `out = stride * input` for inputs below `size`.
    ///
    /// >>> quaff.LinearLayout.strided(4, 2, "lane", "row")
    /// quaff.LinearLayout('{lane: [2, 4]} -> {row: 8}')
    #[staticmethod]
    fn strided(size: i64, stride: i64, input: &str, out: &str) -> PyResult<PyLinearLayout> {
        made(LinearLayout::strided(size, stride, input, out))
    }

    /// `out = 0` for inputs below `size`. `out_size` is the size of `out`.
    ///
    /// >>> quaff.LinearLayout.zeros(4, "warp", "row")
    /// quaff.LinearLayout('{warp: [0, 0]} -> {row: 1}')
    #[staticmethod]
    #[pyo3(signature = (size, input, out, out_size = 1))]
    fn zeros(size: i64, input: &str, out: &str, out_size: i64) -> PyResult<PyLinearLayout> {
        made(LinearLayout::zeros(size, input, out, out_size))
    }

    /// A layout of powers of two as a function of bits, from coordinates with the names `ins` to the index `out`.
    ///
    /// >>> quaff.LinearLayout.of_layout("(4,8):(8,1)", ["i", "j"], "index")
    /// quaff.LinearLayout('{i: [8, 16], j: [1, 2, 4]} -> {index: 32}')
    #[staticmethod]
    fn of_layout(layout: Operand, ins: Vec<String>, out: &str) -> PyResult<PyLinearLayout> {
        made(LinearLayout::of_layout(&layout.0, &texts(&ins), out))
    }

    /// The layout with a mode for each input, if no two bases share a bit.
    ///
    /// >>> quaff.LinearLayout("{i: [8, 16], j: [1, 2, 4]} -> {index: 32}").to_layout()
    /// quaff.Layout('(4,8):(8,1)')
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

    /// The bases of each input, the lowest bit first. A base has a number for each output.
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

    /// Whether every combination of output values is reached.
    #[getter]
    fn is_surjective(&self) -> bool {
        self.0.is_surjective()
    }

    /// For each input, a mask of the bits whose base is a sum of earlier bases. All masks are 0 if the function is
    /// injective.
    #[getter]
    fn free_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.0.free_masks())
    }

    /// This function after `inner`. The outputs of `inner` are matched by name with the inputs of this function.
    ///
    /// >>> swap = quaff.LinearLayout("{x: [2, 1]} -> {x: 4}")
    /// >>> swap.compose(swap)
    /// quaff.LinearLayout('{x: [1, 2]} -> {x: 4}')
    fn compose(&self, inner: Function) -> PyResult<PyLinearLayout> {
        made(self.0.compose(&inner.0))
    }

    /// The product: this function of the lower bits of each input, and `outer` of the higher bits.
    ///
    /// >>> quaff.LinearLayout.identity(4, "lane", "row").product(quaff.LinearLayout.zeros(2, "lane", "row"))
    /// quaff.LinearLayout('{lane: [1, 2, 0]} -> {row: 4}')
    fn product(&self, outer: Function) -> PyResult<PyLinearLayout> {
        made(self.0.product(&outer.0))
    }

    /// The function `r` with `divisor * r == self`, or None if there is none.
    ///
    /// >>> four = quaff.LinearLayout.identity(4, "lane", "row")
    /// >>> (four * "{lane: [2, 1]} -> {row: 4}").divide_left(four)
    /// quaff.LinearLayout('{lane: [2, 1]} -> {row: 4}')
    fn divide_left(&self, divisor: Function) -> Option<PyLinearLayout> {
        self.0.divide_left(&divisor.0).map(PyLinearLayout)
    }

    /// The function `r` with `r * divisor == self`, or None if there is none.
    ///
    /// >>> four = quaff.LinearLayout.identity(4, "lane", "row")
    /// >>> (four * "{lane: [2, 1]} -> {row: 4}").divide_right("{lane: [2, 1]} -> {row: 4}") == four
    /// True
    fn divide_right(&self, divisor: Function) -> Option<PyLinearLayout> {
        self.0.divide_right(&divisor.0).map(PyLinearLayout)
    }

    /// The inverse, from outputs to inputs.
    ///
    /// >>> quaff.LinearLayout("{x: [2, 1]} -> {y: 4}").invert()
    /// quaff.LinearLayout('{y: [2, 1]} -> {x: 4}')
    fn invert(&self) -> PyResult<PyLinearLayout> {
        made(self.0.invert())
    }

    /// A function that maps each reached output back to its input.
    ///
    /// >>> quaff.LinearLayout("{x: [2]} -> {y: 4}").left_inverse()
    /// quaff.LinearLayout('{y: [0, 1]} -> {x: 2}')
    fn left_inverse(&self) -> PyResult<PyLinearLayout> {
        made(self.0.left_inverse())
    }

    /// The function that maps outputs to the least inputs that reach them.
    ///
    /// >>> quaff.LinearLayout("{x: [1, 1, 2]} -> {y: 4}").right_inverse()
    /// quaff.LinearLayout('{y: [1, 4]} -> {x: 8}')
    fn right_inverse(&self) -> PyResult<PyLinearLayout> {
        made(self.0.right_inverse())
    }

    /// The function that maps each value of this function to the least inputs of `other` with that value.
    ///
    /// >>> shuffled = quaff.LinearLayout("{x: [2, 1]} -> {y: 4}")
    /// >>> shuffled.invert_and_compose("{z: [1, 2]} -> {y: 4}")
    /// quaff.LinearLayout('{x: [2, 1]} -> {z: 4}')
    fn invert_and_compose(&self, other: Function) -> PyResult<PyLinearLayout> {
        made(self.0.invert_and_compose(&other.0))
    }

    /// The function from `ins` to `outs`. All other inputs are 0.
    ///
    /// >>> quaff.LinearLayout("{lane: [(1,0), (2,0)], warp: [(0,1)]} -> {row: 4, column: 2}").sublayout(["lane"], ["row"])
    /// quaff.LinearLayout('{lane: [1, 2]} -> {row: 4}')
    fn sublayout(&self, ins: Vec<String>, outs: Vec<String>) -> PyResult<PyLinearLayout> {
        made(self.0.sublayout(&texts(&ins), &texts(&outs)))
    }

    /// The same function with the inputs in the order of `names`.
    ///
    /// >>> quaff.LinearLayout("{i: [2], j: [1]} -> {x: 4}").transpose_ins(["j", "i"])
    /// quaff.LinearLayout('{j: [1], i: [2]} -> {x: 4}')
    fn transpose_ins(&self, names: Vec<String>) -> PyResult<PyLinearLayout> {
        made(self.0.transpose_ins(&texts(&names)))
    }

    /// The same function with the outputs in the order of `names`.
    ///
    /// >>> quaff.LinearLayout("{i: [(1,0), (0,1)]} -> {x: 2, y: 2}").transpose_outs(["y", "x"])
    /// quaff.LinearLayout('{i: [(0,1), (1,0)]} -> {y: 2, x: 2}')
    fn transpose_outs(&self, names: Vec<String>) -> PyResult<PyLinearLayout> {
        made(self.0.transpose_outs(&texts(&names)))
    }

    /// This function with its input bits divided into other inputs. The bits of the first input are the lowest.
    ///
    /// >>> quaff.LinearLayout.identity(8, "i", "x").reshape_ins({"lane": 4, "warp": 2})
    /// quaff.LinearLayout('{lane: [1, 2], warp: [4]} -> {x: 8}')
    fn reshape_ins(&self, ins: &Bound<'_, PyDict>) -> PyResult<PyLinearLayout> {
        made(self.0.reshape_ins(&named(&pairs(ins)?)))
    }

    /// This function with its output bits divided into other outputs. The bits of the first output are the lowest.
    ///
    /// >>> quaff.LinearLayout.identity(8, "i", "x").reshape_outs({"row": 4, "column": 2})
    /// quaff.LinearLayout('{i: [(1,0), (2,0), (0,1)]} -> {row: 4, column: 2}')
    fn reshape_outs(&self, outs: &Bound<'_, PyDict>) -> PyResult<PyLinearLayout> {
        made(self.0.reshape_outs(&named(&pairs(outs)?)))
    }

    /// The same function with a single input, which has the bits of all inputs.
    ///
    /// >>> quaff.LinearLayout("{i: [2], j: [1]} -> {x: 4}").flatten_ins("n")
    /// quaff.LinearLayout('{n: [2, 1]} -> {x: 4}')
    fn flatten_ins(&self, name: &str) -> PyResult<PyLinearLayout> {
        made(self.0.flatten_ins(name))
    }

    /// The same function with a single output, which has the bits of all outputs.
    ///
    /// >>> quaff.LinearLayout("{i: [(1,0), (0,1)]} -> {x: 2, y: 2}").flatten_outs("n")
    /// quaff.LinearLayout('{i: [1, 2]} -> {n: 4}')
    fn flatten_outs(&self, name: &str) -> PyResult<PyLinearLayout> {
        made(self.0.flatten_outs(name))
    }

    /// Each output as an expression, not simplified. `inputs` has one expression for each input.
    ///
    /// >>> quaff.LinearLayout("{i: [2], j: [1]} -> {x: 4}").index(["i", "j"])
    /// [quaff.Expr('i*2 ^ j')]
    fn index(&self, inputs: Vec<Asked>) -> PyResult<Vec<PyExpr>> {
        let inputs = Asked::exprs(inputs);
        let found = self.0.index(&inputs).map_err(|e| failed(&e))?;
        Ok(found.into_iter().map(PyExpr).collect())
    }

    /// The outputs in the cheapest form. The inputs are variables with the names of the inputs.
    ///
    /// >>> quaff.LinearLayout("{x: [2, 1]} -> {y: 4}").simplify().expr
    /// quaff.Expr('x*2 - x//2*3')
    #[pyo3(signature = (*, simplifier = None))]
    fn simplify(&self, py: Python<'_>, simplifier: Option<Py<PySimplifier>>) -> PyResult<PySimplified> {
        let answer = unlocked(py, simplifier.as_ref(), |s| self.0.simplify(s));
        Ok(PySimplified::indices(answer.map_err(|e| failed(&e))?, false))
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
