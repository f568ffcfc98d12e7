//! `quaff.View`: strided views and movements.

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
use quaff::Simplifier;
use quaff::expr::{Expr, int, var};
use quaff_explorer::Part;
use quaff_fronts::view::chain::Chain;
use quaff_fronts::view::{ViewError, ViewStack};

/// A view of a buffer: a chain of strided views with masks, as the movements of tensors make them.
///
/// `View([8, 12])` is row-major. The sizes may be expressions over the variables of `domain`.
/// `View([8, 12], strides=[1, 8])` has the given strides. It may have an `offset`, and a `mask` with a pair
/// `(begin, end)` for each axis. Every movement returns a new view. `a @ b` is `b` on top of `a`: the addresses of `b`
/// are row-major indices of `a`. `View.parse("shape(8, 12).pad((1,1), (0,0)).reshape(120)")` reads a chain of
/// movements, or a view as `str` writes it.
///
/// Raises:
///     ViewError: a movement is not possible.
///
/// >>> image = quaff.View([8, 12])
/// >>> image.permute([1, 0]), (image @ quaff.View([96])).shape
/// (<View (12, 8):(1, 12)>, [quaff.Expr('96')])
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

    /// Reads a chain of movements over the sizes in `domain`, or a view as `str` writes it.
    ///
    /// Args:
    ///     dialect: the language of the sizes, strides and ends.
    ///
    /// Raises:
    ///     ViewError: the text cannot be read, with the place.
    ///
    /// >>> quaff.View.parse("shape(8, 12).pad((1, 1), (0, 0)).reshape(120)")
    /// <View (120):(1) - 12, mask (12, 108)>
    #[staticmethod]
    #[pyo3(signature = (text, domain = None, *, dialect = "infix"))]
    fn parse(text: &str, domain: Option<Given>, dialect: &str) -> PyResult<PyView> {
        let wrong = |e| errors::placed("ViewError", &e, Some(text));
        let chain = Chain::read(text, dialects::named(dialect)?).map_err(wrong)?;
        chain.stack(Given::or_empty(domain).domain()).map(PyView).map_err(wrong)
    }

    /// The same elements in row-major order of another shape.
    ///
    /// >>> quaff.View([8, 12]).reshape([4, 24])
    /// <View (4, 24):(24, 1)>
    fn reshape(&self, shape: Vec<Asked>) -> PyResult<PyView> {
        moved(self.0.reshape(Asked::exprs(shape)))
    }

    /// The view in which axis `axes[i]` becomes axis `i`.
    ///
    /// >>> quaff.View([8, 12]).permute([1, 0])
    /// <View (12, 8):(1, 12)>
    fn permute(&self, axes: Vec<usize>) -> PyResult<PyView> {
        moved(self.0.permute(&axes))
    }

    /// Repeats axes of size 1 to the given sizes.
    ///
    /// Further sizes at the front are new axes, as in numpy.
    ///
    /// >>> quaff.View([1, 12]).expand([8, 12])
    /// <View (8, 12):(0, 1)>
    fn expand(&self, shape: Vec<Asked>) -> PyResult<PyView> {
        moved(self.0.expand(Asked::exprs(shape)))
    }

    /// Adds `(before, after)` elements without a value around each axis.
    ///
    /// >>> quaff.View([8, 12]).pad([(0, 0), (1, 1)])
    /// <View (8, 14):(12, 1) - 1, mask (0, 8) (1, 13)>
    fn pad(&self, amounts: Vec<(Asked, Asked)>) -> PyResult<PyView> {
        moved(self.0.pad(pairs(amounts)))
    }

    /// The elements of each axis from `begin` up to, but not including, `end`.
    ///
    /// >>> quaff.View([8, 12]).shrink([(2, 6), (0, 12)])
    /// <View (4, 12):(12, 1) + 24>
    fn shrink(&self, bounds: Vec<(Asked, Asked)>) -> PyResult<PyView> {
        moved(self.0.shrink(pairs(bounds)))
    }

    /// Reverses the given axes.
    ///
    /// >>> quaff.View([8, 12]).flip([1])
    /// <View (8, 12):(12, -1) + 11>
    fn flip(&self, axes: Vec<usize>) -> PyResult<PyView> {
        moved(self.0.flip(&axes))
    }

    /// Takes every `steps[i]`-th element of axis `i`.
    ///
    /// >>> quaff.View([8, 12]).stride([2, 3])
    /// <View (4, 4):(24, 3)>
    fn stride(&self, steps: Vec<i64>) -> PyResult<PyView> {
        moved(self.0.stride(&steps))
    }

    /// The sizes of the axes.
    #[getter]
    fn shape(&self) -> Vec<PyExpr> {
        self.0.shape().iter().cloned().map(PyExpr).collect()
    }

    /// The stride of each axis in memory, or None if an axis has no single stride.
    #[getter]
    fn strides(&self) -> PyResult<Vec<Option<PyExpr>>> {
        Ok(self.0.real_strides().map_err(|e| failed(&e))?.into_iter().map(|s| s.map(PyExpr)).collect())
    }

    /// The groups of neighbouring axes that can be merged into one axis, the outermost first:
    /// `(size, stride, real_size)`.
    ///
    /// `real_size` is the number of innermost indices that have the stride. It is 0 for stride 0.
    ///
    /// >>> quaff.View([8, 3, 4]).merge()
    /// [(quaff.Expr('96'), quaff.Expr('1'), quaff.Expr('96'))]
    fn merge(&self) -> PyResult<Vec<(PyExpr, PyExpr, PyExpr)>> {
        let merged = self.0.merged().map_err(|e| failed(&e))?;
        Ok(merged.into_iter().map(|m| (PyExpr(m.size), PyExpr(m.stride), PyExpr(m.real))).collect())
    }

    /// `top` on top of this view: the addresses of `top` are row-major indices of the elements of this view.
    ///
    /// Raises:
    ///     ViewError: `top` reaches elements that this view does not have.
    fn __matmul__(&self, top: &Bound<'_, PyView>) -> PyResult<PyView> {
        moved(self.0.then(&top.get().0))
    }

    /// Whether the elements are consecutive in memory.
    #[getter]
    fn is_contiguous(&self) -> bool {
        self.0.is_contiguous()
    }

    /// The number of strided views in the chain.
    #[getter]
    fn depth(&self) -> usize {
        self.0.views().len()
    }

    /// `(address, valid)` of the element at `indices`, as the view defines them, not simplified.
    ///
    /// >>> quaff.View([8, 12]).permute([1, 0]).at(["x", "y"])
    /// (quaff.Expr('x + y*12'), quaff.Expr('1'))
    fn at(&self, indices: Vec<Asked>) -> PyResult<(PyExpr, PyExpr)> {
        let located = self.0.at(&Asked::exprs(indices)).map_err(|e| failed(&e))?;
        Ok((PyExpr(located.address), PyExpr(located.valid)))
    }

    /// The address and the validity condition for indices with the given names, simplified together. The default names
    /// are `i0`, `i1` and so on.
    ///
    /// Raises:
    ///     ViewError: the number of names differs from the number of axes, or a size that is a divisor may be 0.
    ///
    /// >>> found = quaff.View([8, 12]).permute([1, 0]).reshape([96]).simplify(["n"])
    /// >>> found.accesses[0].index
    /// quaff.Expr('n*12 - n//8*95')
    #[pyo3(signature = (names = None, *, simplifier = None))]
    fn simplify(
        &self,
        py: Python<'_>,
        names: Option<Vec<String>>,
        simplifier: Option<Py<PySimplifier>>,
    ) -> PyResult<PySimplifiedAccesses> {
        let names = names.unwrap_or_else(|| self.0.index_names().iter().map(|n| n.to_string()).collect());
        let answer = unlocked(py, simplifier.as_ref(), |s| self.0.simplify(s, &names)).map_err(|e| failed(&e))?;
        let indices: Vec<Expr> = names.iter().map(|n| var(n.clone())).collect();
        let load = self.0.load("value", "data", &indices).map_err(|e| failed(&e))?;
        let given = Given::Made(self.0.index_domain(&names).map_err(|e| failed(&e))?);
        let simplifier = simplifier.map_or_else(Simplifier::default, |s| s.get().simplifier.clone());
        Ok(PySimplifiedAccesses { answer, asked: vec![load], given, simplifier })
    }

    /// A drawing of the memory that the view reads, for notebooks.
    fn _repr_svg_(&self) -> Option<String> {
        // a picture of a view with run-time sizes would only show one choice of the sizes
        self.0.svg("").ok()
    }

    /// A drawing of the memory that the view reads, as SVG.
    ///
    /// Raises:
    ///     ViewError: the view has run-time sizes, or too many elements to draw.
    ///
    /// >>> quaff.View([8, 12]).svg("image").startswith("<svg")
    /// True
    #[pyo3(signature = (title = ""))]
    fn svg(&self, title: &str) -> PyResult<String> {
        self.0.svg(title).map_err(|e| failed(&e))
    }

    /// The addresses as a grid, with shape, strides and mask.
    ///
    /// Raises:
    ///     ViewError: an address is too large.
    fn _repr_html_(&self) -> PyResult<String> {
        Ok(Part::view("", &self.0).map_err(|e| failed(&e))?.fragment())
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

    /// The views as `View.parse` reads them. The view that addresses memory comes first.
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<View {}>", self.0)
    }
}
