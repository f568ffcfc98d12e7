//! `quaff.SymbolicLayout`: layouts whose sizes and strides have names in them.

use crate::answer::PySimplified;
use crate::arguments::{Asked, Given};
use crate::domain::PyDomain;
use crate::errors;
use crate::expr::PyExpr;
use crate::layout::{PyLayout, failed};
use crate::numbers::integer;
use crate::simplifier::{PySimplifier, unlocked};
use crate::view::PyView;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use quaff_fronts::layout::{LayoutError, SymbolicLayout, Tiler};
use std::collections::HashMap;

/// A layout `shape:stride` whose sizes and strides are expressions of the names of a domain.
///
/// `SymbolicLayout("(M,N//4):(N,1)", {"M": (1, 4096), "N": "4..4096 step 4"})` reads a layout, or operations on layouts. Each operation proves that its
/// result is right for all values of the names. `a @ b` is `a` after `b`. Where a layout is taken, a text over the same domain and an integer are, too.
///
/// Raises:
///     LayoutError: a text that is no layout, or an operation whose condition is not proved.
#[pyclass(name = "SymbolicLayout", module = "quaff", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PySymbolicLayout(SymbolicLayout);

fn made(layout: Result<SymbolicLayout, LayoutError>) -> PyResult<PySymbolicLayout> {
    layout.map(PySymbolicLayout).map_err(|e| failed(&e))
}

fn form(e: Result<Expr, LayoutError>) -> PyResult<PyExpr> {
    e.map(PyExpr).map_err(|e| failed(&e))
}

fn read(text: &str, domain: &Domain) -> PyResult<SymbolicLayout> {
    SymbolicLayout::parse(text, domain).map_err(|e| errors::placed("LayoutError", &e, Some(text)))
}

impl PySymbolicLayout {
    /// A layout over the same domain, as an object, a text or an integer.
    fn operand(&self, object: &Bound<'_, PyAny>) -> PyResult<SymbolicLayout> {
        let domain = self.0.domain();
        if let Ok(layout) = object.cast::<PySymbolicLayout>() {
            return Ok(layout.get().0.clone());
        }
        if let Ok(layout) = object.cast::<PyLayout>() {
            return SymbolicLayout::of_layout(&layout.get().0, domain).map_err(|e| failed(&e));
        }
        if let Ok(text) = object.extract::<String>() {
            return read(&text, domain);
        }
        match integer(object)? {
            Some(size) => SymbolicLayout::new(&int(size), &int(1), domain).map_err(|e| failed(&e)),
            None => Err(PyTypeError::new_err("a layout is a SymbolicLayout, a Layout, a text or an integer")),
        }
    }

    /// A layout, or a tuple with one for each mode.
    fn tiler(&self, object: &Bound<'_, PyAny>) -> PyResult<Tiler<SymbolicLayout>> {
        match object.cast::<PyTuple>() {
            Ok(tiles) => Ok(Tiler::Modes(tiles.iter().map(|tile| self.operand(&tile)).collect::<PyResult<_>>()?)),
            Err(_) => self.operand(object).map(Tiler::Whole),
        }
    }
}

#[pymethods]
impl PySymbolicLayout {
    #[new]
    #[pyo3(signature = (text, domain = None))]
    fn new(text: &str, domain: Option<Given>) -> PyResult<PySymbolicLayout> {
        read(text, Given::or_empty(domain).domain()).map(PySymbolicLayout)
    }

    /// Sizes whose last one is innermost in memory.
    #[staticmethod]
    #[pyo3(signature = (sizes, domain = None))]
    fn row_major(sizes: Vec<Asked>, domain: Option<Given>) -> PyResult<PySymbolicLayout> {
        made(SymbolicLayout::row_major(&Asked::exprs(sizes), Given::or_empty(domain).domain()))
    }

    /// Sizes whose first one is innermost in memory.
    #[staticmethod]
    #[pyo3(signature = (sizes, domain = None))]
    fn column_major(sizes: Vec<Asked>, domain: Option<Given>) -> PyResult<PySymbolicLayout> {
        made(SymbolicLayout::column_major(&Asked::exprs(sizes), Given::or_empty(domain).domain()))
    }

    /// The layout with a mode for each axis of a view.
    #[staticmethod]
    fn of_view(view: &Bound<'_, PyView>) -> PyResult<PySymbolicLayout> {
        made(SymbolicLayout::of_view(&view.get().0))
    }

    /// The view with an axis for each size.
    fn to_view(&self) -> PyResult<PyView> {
        self.0.to_view().map(PyView).map_err(|e| failed(&e))
    }

    /// The layout for values of the names.
    fn evaluated(&self, values: HashMap<String, i64>) -> PyResult<PyLayout> {
        self.0.evaluated(|name| values.get(name).copied()).map(PyLayout).map_err(|e| failed(&e))
    }

    /// What is known of the names.
    #[getter]
    fn domain(&self) -> PyDomain {
        PyDomain(self.0.domain().clone())
    }

    /// The number of coordinates.
    #[getter]
    fn size(&self) -> PyResult<PyExpr> {
        form(self.0.size())
    }

    /// The greatest index minus the least one, plus 1.
    #[getter]
    fn cosize(&self) -> PyResult<PyExpr> {
        form(self.0.cosize())
    }

    /// The size of each mode.
    #[getter]
    fn sizes(&self) -> PyResult<Vec<PyExpr>> {
        let sizes = self.0.sizes().map_err(|e| failed(&e))?;
        Ok(sizes.into_iter().map(PyExpr).collect())
    }

    /// The modes, without swizzles.
    #[getter]
    fn modes(&self) -> Vec<PySymbolicLayout> {
        self.0.modes().into_iter().map(PySymbolicLayout).collect()
    }

    /// Whether different coordinates have different indices; None where it is not proved.
    #[getter]
    fn is_injective(&self) -> PyResult<Option<bool>> {
        self.0.is_injective().map_err(|e| failed(&e))
    }

    /// Whether each number from the least to the greatest index is one; None where it is not proved.
    #[getter]
    fn is_surjective(&self) -> PyResult<Option<bool>> {
        self.0.is_surjective().map_err(|e| failed(&e))
    }

    /// The same indices with fewer modes.
    fn coalesce(&self) -> PyResult<PySymbolicLayout> {
        made(self.0.coalesce())
    }

    /// The same indices in one tuple without tuples in it.
    fn flatten(&self) -> PySymbolicLayout {
        PySymbolicLayout(self.0.flatten())
    }

    /// This layout after `inner`; a tuple has one layout for each mode.
    fn compose(&self, inner: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(match self.tiler(inner)? {
            Tiler::Whole(inner) => self.0.compose(&inner),
            Tiler::Modes(inner) => self.0.compose_modes(&inner),
        })
    }

    /// The layout of the indices below `end` that this one leaves; the cosize by default.
    #[pyo3(signature = (end = None))]
    fn complement(&self, end: Option<Asked>) -> PyResult<PySymbolicLayout> {
        made(match end {
            Some(end) => self.0.complement(&end.expr),
            None => self.0.cosize().and_then(|end| self.0.complement(&end)),
        })
    }

    /// The coordinates within a tile, and those of the tiles; a tuple has one tile for each mode.
    fn logical_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.logical_divide(&self.tiler(tile)?))
    }

    /// `logical_divide` in two modes: all coordinates within a tile, and all those of the tiles.
    fn zipped_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.zipped_divide(&self.tiler(tile)?))
    }

    /// `zipped_divide` with the modes of the tiles beside the mode of the tile.
    fn tiled_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.tiled_divide(&self.tiler(tile)?))
    }

    /// `zipped_divide` with all modes beside one another.
    fn flat_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.flat_divide(&self.tiler(tile)?))
    }

    /// This layout, and its repetitions in the order of `tiles`.
    fn logical_product(&self, tiles: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.logical_product(&self.operand(tiles)?))
    }

    /// A mode for each one of both: the coordinate within the block, and that of the block.
    fn blocked_product(&self, tiles: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.blocked_product(&self.operand(tiles)?))
    }

    /// As `blocked_product`, with the coordinate of the block first.
    fn raked_product(&self, tiles: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.raked_product(&self.operand(tiles)?))
    }

    /// The layout that finds the number of each index.
    fn left_inverse(&self) -> PyResult<PySymbolicLayout> {
        made(self.0.left_inverse())
    }

    /// A layout that this one undoes.
    fn right_inverse(&self) -> PyResult<PySymbolicLayout> {
        made(self.0.right_inverse())
    }

    /// The index of a coordinate as an expression, one for each mode or one for all, not simplified.
    fn index(&self, coordinates: Vec<Asked>) -> PyResult<PyExpr> {
        form(self.0.index(&Asked::exprs(coordinates)))
    }

    /// The index for coordinates with the names given, in the cheapest form.
    #[pyo3(signature = (names, *, simplifier = None))]
    fn simplify(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        simplifier: Option<Py<PySimplifier>>,
    ) -> PyResult<PySimplified> {
        let answer = unlocked(py, simplifier.as_ref(), |s| self.0.simplify(s, &names));
        Ok(PySimplified(answer.map_err(|e| failed(&e))?, false))
    }

    fn __matmul__(&self, inner: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        self.compose(inner)
    }

    fn __len__(&self) -> usize {
        self.0.rank()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<quaff.SymbolicLayout {}>", self.0)
    }
}
