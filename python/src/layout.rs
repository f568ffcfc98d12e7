//! `quaff.Layout`: layouts `shape:stride` and their algebra.

use crate::answer::PySimplified;
use crate::arguments::Asked;
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::{PySimplifier, unlocked};
use crate::view::PyView;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use quaff_fronts::layout::{Layout, LayoutError, Tiler};

/// A layout `shape:stride` of nested tuples, as in CuTe: a function from coordinates to indices.
///
/// `Layout("(4,(2,2)):(1,(8,4))")` reads a layout, or operations on layouts such as `"(4,8):(8,1) o 32:1"`. `a @ b` is `a` after `b`, and `a(c)` the
/// index of number `c`, which counts through the leftmost mode fastest, or of one number for each mode. Where a layout is taken, a text and an integer are,
/// too: `8` is `8:1`.
///
/// Raises:
///     LayoutError: a text that is no layout, or an operation without a layout as its result, with the coordinate at which there is none.
#[pyclass(name = "Layout", module = "quaff", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyLayout(pub(crate) Layout);

fn made(layout: Result<Layout, LayoutError>) -> PyResult<PyLayout> {
    layout.map(PyLayout).map_err(|e| failed(&e))
}

pub(crate) fn failed(e: &LayoutError) -> PyErr {
    errors::other("LayoutError", e)
}

fn read(text: &str) -> PyResult<Layout> {
    text.parse().map_err(|e| errors::placed("LayoutError", &e, Some(text)))
}

/// A layout as an object, a text or an integer.
pub(crate) struct Operand(pub(crate) Layout);

impl<'py> FromPyObject<'_, 'py> for Operand {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Operand> {
        if let Ok(layout) = object.cast::<PyLayout>() {
            return Ok(Operand(layout.get().0.clone()));
        }
        if let Ok(text) = object.extract::<String>() {
            return read(&text).map(Operand);
        }
        match object.extract::<i64>() {
            Ok(size) => made(Layout::new(size, 1)).map(|layout| Operand(layout.0)),
            Err(_) => Err(PyTypeError::new_err("a layout is a Layout, a text or an integer")),
        }
    }
}

/// What a layout is divided by: a layout, or a tuple with one for each mode.
pub(crate) struct Tiles(Tiler);

impl<'py> FromPyObject<'_, 'py> for Tiles {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Tiles> {
        if object.cast::<PyTuple>().is_ok() {
            let modes: Vec<Operand> = object.extract()?;
            return Ok(Tiles(Tiler::Modes(modes.into_iter().map(|mode| mode.0).collect())));
        }
        Ok(Tiles(Tiler::Whole(object.extract::<Operand>()?.0)))
    }
}

#[pymethods]
impl PyLayout {
    #[new]
    fn new(text: &str) -> PyResult<PyLayout> {
        read(text).map(PyLayout)
    }

    /// Sizes whose last one is innermost in memory.
    #[staticmethod]
    fn row_major(sizes: Vec<i64>) -> PyResult<PyLayout> {
        made(Layout::row_major(&sizes))
    }

    /// Sizes whose first one is innermost in memory.
    #[staticmethod]
    fn column_major(sizes: Vec<i64>) -> PyResult<PyLayout> {
        made(Layout::column_major(&sizes))
    }

    /// The tuple of layouts.
    #[staticmethod]
    fn of_modes(modes: Vec<Operand>) -> PyResult<PyLayout> {
        let modes: Vec<Layout> = modes.into_iter().map(|mode| mode.0).collect();
        made(Layout::of_modes(&modes))
    }

    /// The layout that an index is, as a function of `coordinates`: pairs of a name and a size, one mode for each.
    ///
    /// Raises:
    ///     LayoutError: it is no layout, with the first coordinate that fails.
    #[staticmethod]
    fn of_index(index: Asked, coordinates: Vec<(String, i64)>) -> PyResult<PyLayout> {
        let coordinates: Vec<(&str, i64)> = coordinates.iter().map(|(name, size)| (name.as_str(), *size)).collect();
        made(Layout::of_index(&index.expr, &coordinates))
    }

    /// The layout with a mode for each axis of a view.
    #[staticmethod]
    fn of_view(view: &Bound<'_, PyView>) -> PyResult<PyLayout> {
        made(Layout::of_view(&view.get().0))
    }

    /// The view with an axis for each size.
    fn to_view(&self) -> PyResult<PyView> {
        self.0.to_view().map(PyView).map_err(|e| failed(&e))
    }

    /// The number of coordinates.
    #[getter]
    fn size(&self) -> i64 {
        self.0.size()
    }

    /// The greatest index minus the least one, plus 1.
    #[getter]
    fn cosize(&self) -> PyResult<i64> {
        self.0.cosize().map_err(|e| failed(&e))
    }

    /// The size of each mode.
    #[getter]
    fn sizes(&self) -> Vec<i64> {
        self.0.sizes()
    }

    /// The modes, without swizzles.
    #[getter]
    fn modes(&self) -> Vec<PyLayout> {
        self.0.modes().into_iter().map(PyLayout).collect()
    }

    /// Whether different coordinates have different indices.
    #[getter]
    fn is_injective(&self) -> PyResult<bool> {
        self.0.is_injective().map_err(|e| failed(&e))
    }

    /// Whether each number from the least to the greatest index is one.
    #[getter]
    fn is_surjective(&self) -> PyResult<bool> {
        self.0.is_surjective().map_err(|e| failed(&e))
    }

    /// The fewest modes with the same indices.
    fn coalesce(&self) -> PyLayout {
        PyLayout(self.0.coalesce())
    }

    /// The same indices in one tuple without tuples in it.
    fn flatten(&self) -> PyLayout {
        PyLayout(self.0.flatten())
    }

    /// This layout after `inner`; a tuple has one layout for each mode.
    fn compose(&self, inner: Tiles) -> PyResult<PyLayout> {
        made(match inner.0 {
            Tiler::Whole(inner) => self.0.compose(&inner),
            Tiler::Modes(inner) => self.0.compose_modes(&inner),
        })
    }

    /// The layout of the indices below `end` that this one leaves; the cosize by default.
    #[pyo3(signature = (end = None))]
    fn complement(&self, end: Option<i64>) -> PyResult<PyLayout> {
        made(match end {
            Some(end) => self.0.complement(end),
            None => self.0.cosize().and_then(|end| self.0.complement(end)),
        })
    }

    /// The coordinates within a tile, and those of the tiles; a tuple has one tile for each mode.
    fn logical_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.logical_divide(&tile.0))
    }

    /// `logical_divide` in two modes: all coordinates within a tile, and all those of the tiles.
    fn zipped_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.zipped_divide(&tile.0))
    }

    /// `zipped_divide` with the modes of the tiles beside the mode of the tile.
    fn tiled_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.tiled_divide(&tile.0))
    }

    /// `zipped_divide` with all modes beside one another.
    fn flat_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.flat_divide(&tile.0))
    }

    /// This layout, and its repetitions in the order of `tiles`.
    fn logical_product(&self, tiles: Operand) -> PyResult<PyLayout> {
        made(self.0.logical_product(&tiles.0))
    }

    /// A mode for each one of both: the coordinate within the block, and that of the block.
    fn blocked_product(&self, tiles: Operand) -> PyResult<PyLayout> {
        made(self.0.blocked_product(&tiles.0))
    }

    /// As `blocked_product`, with the coordinate of the block first.
    fn raked_product(&self, tiles: Operand) -> PyResult<PyLayout> {
        made(self.0.raked_product(&tiles.0))
    }

    /// The layout that finds the number of each index.
    fn left_inverse(&self) -> PyResult<PyLayout> {
        made(self.0.left_inverse())
    }

    /// The longest layout that this one undoes.
    fn right_inverse(&self) -> PyResult<PyLayout> {
        made(self.0.right_inverse())
    }

    /// The index of a coordinate as an expression, one for each mode or one for all, not simplified.
    fn index(&self, coordinates: Vec<Asked>) -> PyResult<PyExpr> {
        let coordinates = Asked::exprs(coordinates);
        self.0.index(&coordinates).map(PyExpr).map_err(|e| failed(&e))
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

    /// A drawing of the indices.
    #[pyo3(signature = (title = ""))]
    fn svg(&self, title: &str) -> PyResult<String> {
        self.0.svg(title).map_err(|e| failed(&e))
    }

    fn _repr_svg_(&self) -> Option<String> {
        self.0.svg("").ok()
    }

    #[pyo3(signature = (*coordinates))]
    fn __call__(&self, coordinates: Vec<i64>) -> PyResult<i64> {
        let index = match coordinates[..] {
            [c] => self.0.at(c),
            _ => self.0.at_coordinate(&coordinates),
        };
        let (given, modes) = (coordinates.len(), self.0.rank());
        index.ok_or_else(|| match given == modes || given == 1 {
            true => failed(&LayoutError::Overflow { what: "an index" }),
            false => failed(&LayoutError::Rank { what: "coordinates", given, modes }),
        })
    }

    fn __matmul__(&self, inner: Tiles) -> PyResult<PyLayout> {
        self.compose(inner)
    }

    fn __len__(&self) -> usize {
        self.0.rank()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("quaff.Layout('{}')", self.0)
    }
}
