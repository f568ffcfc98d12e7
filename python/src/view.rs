//! `quaff.View`: strided views and what moves them.

use crate::accesses::PySimplifiedAccesses;
use crate::arguments::{Asked, Given};
use crate::dialects;
use crate::errors;
use crate::expr::PyExpr;
use crate::pickle;
use crate::simplifier::{PySimplifier, unlocked};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quaff::expr::{Expr, int};
use quaff_fronts::view::chain::Chain;
use quaff_fronts::view::{ViewError, ViewStack};

/// A view of a buffer: strided views on top of one another, with masks, as movements of tensors make them.
///
/// `View([8, 12])` is row-major; the sizes may be expressions over the variables of `domain`. `View([8, 12], strides=[1, 8])` has strides of
/// its own, an `offset`, and a `mask` with a pair `(begin, end)` for each axis. Every movement gives a new view. `a @ b` is `b` on top of `a`: the
/// addresses of `b` are row-major indices of `a`. `View.parse("shape(8, 12).pad((1,1), (0,0)).reshape(120)")` reads a chain of movements,
/// or a view as `str` writes it.
///
/// Raises:
///     ViewError: a movement that cannot be done.
#[pyclass(name = "View", module = "quaff", frozen)]
pub(crate) struct PyView(pub(crate) ViewStack);

fn moved(view: Result<ViewStack, ViewError>) -> PyResult<PyView> {
    view.map(PyView).map_err(|e| failed(&e))
}

fn failed(e: &ViewError) -> PyErr {
    errors::other("ViewError", e)
}

fn pairs(asked: Vec<(Asked, Asked)>) -> Vec<(Expr, Expr)> {
    asked.into_iter().map(|(a, b)| (a.expr, b.expr)).collect()
}

#[pymethods]
impl PyView {
    #[new]
    #[pyo3(signature = (shape, domain = None, *, strides = None, offset = None, mask = None))]
    fn new(
        shape: Vec<Asked>,
        domain: Option<Given>,
        strides: Option<Vec<Asked>>,
        offset: Option<Asked>,
        mask: Option<Vec<(Asked, Asked)>>,
    ) -> PyResult<PyView> {
        let (domain, shape) = (Given::or_empty(domain).domain().clone(), Asked::exprs(shape));
        let Some(strides) = strides else {
            return match (offset, mask) {
                (None, None) => moved(ViewStack::row_major_in(domain, shape)),
                _ => Err(PyTypeError::new_err("an offset and a mask need strides")),
            };
        };
        let offset = offset.map_or_else(|| int(0), |offset| offset.expr);
        moved(ViewStack::strided(domain, &shape, &Asked::exprs(strides), &offset, mask.map(pairs).as_deref()))
    }

    /// A chain of movements as text, over the sizes in `domain`, or a view as `str` writes it.
    ///
    /// Args:
    ///     dialect: the language of the sizes, strides and ends.
    ///
    /// Raises:
    ///     ViewError: with the place in the text.
    #[staticmethod]
    #[pyo3(signature = (text, domain = None, *, dialect = "infix"))]
    fn parse(text: &str, domain: Option<Given>, dialect: &str) -> PyResult<PyView> {
        let wrong = |e| errors::placed("ViewError", &e, Some(text));
        let chain = Chain::read(text, dialects::named(dialect)?).map_err(wrong)?;
        chain.stack(Given::or_empty(domain).domain()).map(PyView).map_err(wrong)
    }

    /// The same elements in row-major order of another shape.
    fn reshape(&self, shape: Vec<Asked>) -> PyResult<PyView> {
        moved(self.0.reshape(Asked::exprs(shape)))
    }

    /// Axis `axes[i]` becomes axis `i`.
    fn permute(&self, axes: Vec<usize>) -> PyResult<PyView> {
        moved(self.0.permute(&axes))
    }

    /// Axes of size 1 repeated to the sizes given. Further sizes in front are new axes, as in numpy.
    fn expand(&self, shape: Vec<Asked>) -> PyResult<PyView> {
        moved(self.0.expand(Asked::exprs(shape)))
    }

    /// `(before, after)` elements without value around each axis.
    fn pad(&self, amounts: Vec<(Asked, Asked)>) -> PyResult<PyView> {
        moved(self.0.pad(pairs(amounts)))
    }

    /// The part from `begin` to before `end` of each axis.
    fn shrink(&self, bounds: Vec<(Asked, Asked)>) -> PyResult<PyView> {
        moved(self.0.shrink(pairs(bounds)))
    }

    /// The axes given from their end to their beginning.
    fn flip(&self, axes: Vec<usize>) -> PyResult<PyView> {
        moved(self.0.flip(&axes))
    }

    /// Every so many elements of each axis.
    fn stride(&self, steps: Vec<i64>) -> PyResult<PyView> {
        moved(self.0.stride(&steps))
    }

    /// The sizes of the axes.
    #[getter]
    fn shape(&self) -> Vec<PyExpr> {
        self.0.shape().iter().cloned().map(PyExpr).collect()
    }

    /// For each axis the stride in memory, None where it has not one.
    #[getter]
    fn strides(&self) -> PyResult<Vec<Option<PyExpr>>> {
        Ok(self.0.real_strides().map_err(|e| failed(&e))?.into_iter().map(|s| s.map(PyExpr)).collect())
    }

    /// The groups of neighbouring axes that are one axis, the outermost first: `(size, stride, real_size)`. `real_size` is how many of the
    /// innermost indices carry the stride; 0 for stride 0.
    fn merge(&self) -> PyResult<Vec<(PyExpr, PyExpr, PyExpr)>> {
        let merged = self.0.merged().map_err(|e| failed(&e))?;
        Ok(merged.into_iter().map(|m| (PyExpr(m.size), PyExpr(m.stride), PyExpr(m.real))).collect())
    }

    /// `top` on this one: its addresses are row-major indices of what is seen here.
    ///
    /// Raises:
    ///     ViewError: `top` reaches what is not there.
    fn __matmul__(&self, top: &Bound<'_, PyView>) -> PyResult<PyView> {
        moved(self.0.then(&top.get().0))
    }

    /// Whether its elements stand one after the other in memory.
    #[getter]
    fn is_contiguous(&self) -> bool {
        self.0.is_contiguous()
    }

    /// How many strided views stand on top of one another.
    #[getter]
    fn depth(&self) -> usize {
        self.0.views().len()
    }

    /// `(address, valid)` of the element at `indices`, as the definition says them and not simplified.
    fn at(&self, indices: Vec<Asked>) -> PyResult<(PyExpr, PyExpr)> {
        let located = self.0.at(&Asked::exprs(indices)).map_err(|e| failed(&e))?;
        Ok((PyExpr(located.address), PyExpr(located.valid)))
    }

    /// Address and validity for indices with the names given (`i0`, `i1` and so on where none are given), simplified together.
    ///
    /// Raises:
    ///     ViewError: there is not one name for each axis, or a size that divides may be 0.
    #[pyo3(signature = (names = None, *, simplifier = None))]
    fn simplify(
        &self,
        py: Python<'_>,
        names: Option<Vec<String>>,
        simplifier: Option<Py<PySimplifier>>,
    ) -> PyResult<PySimplifiedAccesses> {
        let names = names.unwrap_or_else(|| self.0.index_names().iter().map(|n| n.to_string()).collect());
        let answer = unlocked(py, simplifier.as_ref(), |s| self.0.simplify(s, &names));
        Ok(PySimplifiedAccesses(answer.map_err(|e| failed(&e))?))
    }

    /// The page of a notebook shows the memory that it reads.
    fn _repr_svg_(&self) -> Option<String> {
        // a picture of a view with run-time sizes would be of one choice of these
        self.0.svg("").ok()
    }

    /// A drawing of the memory that it reads.
    ///
    /// Raises:
    ///     ViewError: it has run-time sizes, or too many elements to draw.
    #[pyo3(signature = (title = ""))]
    fn svg(&self, title: &str) -> PyResult<String> {
        self.0.svg(title).map_err(|e| failed(&e))
    }

    #[staticmethod]
    fn _unpickled(text: &str) -> PyResult<PyView> {
        pickle::read(text).map(PyView)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickle::reduced(py, "View", (pickle::text(&self.0)?,))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyView>().is_ok_and(|other| other.get().0 == self.0)
    }

    /// The views, the one that addresses memory first, as `View.parse` reads them.
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<View {}>", self.0)
    }
}
