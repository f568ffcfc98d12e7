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
/// `Layout("(4,(2,2)):(1,(8,4))")` reads a layout, or operations on layouts such as `"(4,8):(8,1) o 32:1"`. `a @ b` is
/// `a` after `b`. `a(c)` is the index for `c`. `c` is a single number, which counts the leftmost mode fastest, or one
/// number for each mode. Functions that take a layout also take a text or an integer: `8` is `8:1`.
///
/// Raises:
///     LayoutError: a text is not a layout, or the result of an operation is not a layout, with the coordinate that
///         shows it.
///
/// >>> layout = quaff.Layout("(4,8):(8,1)")
/// >>> layout(2, 3), layout(9), layout.size
/// (19, 10, 32)
/// >>> layout @ "32:1"
/// quaff.Layout('(4,8):(8,1)')
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

/// A layout in an argument, which is an object, a text or an integer.
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

/// A divisor of a layout: one layout, or a tuple with a layout for each mode.
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

    /// The row-major layout of these sizes: the last mode is innermost in memory.
    ///
    /// >>> quaff.Layout.row_major([4, 8])
    /// quaff.Layout('(4,8):(8,1)')
    #[staticmethod]
    fn row_major(sizes: Vec<i64>) -> PyResult<PyLayout> {
        made(Layout::row_major(&sizes))
    }

    /// The column-major layout of these sizes: the first mode is innermost in memory.
    ///
    /// >>> quaff.Layout.column_major([4, 8])
    /// quaff.Layout('(4,8):(1,4)')
    #[staticmethod]
    fn column_major(sizes: Vec<i64>) -> PyResult<PyLayout> {
        made(Layout::column_major(&sizes))
    }

    /// The layout that has these layouts as its modes (dimensions).
    ///
    /// >>> quaff.Layout.of_modes(["4:8", quaff.Layout("8:1")])
    /// quaff.Layout('(4,8):(8,1)')
    #[staticmethod]
    fn of_modes(modes: Vec<Operand>) -> PyResult<PyLayout> {
        let modes: Vec<Layout> = modes.into_iter().map(|mode| mode.0).collect();
        made(Layout::of_modes(&modes))
    }

    /// The layout of an index expression.
    ///
    /// The index is a function of `coordinates`, which are pairs of a name and a size. The layout has one mode for
    /// each.
    ///
    /// Raises:
    ///     LayoutError: the index is not a layout, with the first coordinate that shows it.
    ///
    /// >>> quaff.Layout.of_index("i%4*8 + i//4 + j*64", [("i", 32), ("j", 2)])
    /// quaff.Layout('((4,8),2):((8,1),64)')
    #[staticmethod]
    fn of_index(index: Asked, coordinates: Vec<(String, i64)>) -> PyResult<PyLayout> {
        let coordinates: Vec<(&str, i64)> = coordinates.iter().map(|(name, size)| (name.as_str(), *size)).collect();
        made(Layout::of_index(&index.expr, &coordinates))
    }

    /// The layout with one mode (dimension) for each axis of a view.
    ///
    /// >>> quaff.Layout.of_view(quaff.View([8, 12]).permute([1, 0]))
    /// quaff.Layout('(12,8):(1,12)')
    #[staticmethod]
    fn of_view(view: &Bound<'_, PyView>) -> PyResult<PyLayout> {
        made(Layout::of_view(&view.get().0))
    }

    /// The view with an axis for each size in the shape of the layout.
    ///
    /// >>> quaff.Layout("(12,8):(1,12)").to_view()
    /// <View (12, 8):(1, 12)>
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

    /// Whether each number from the least to the greatest index is an index.
    #[getter]
    fn is_surjective(&self) -> PyResult<bool> {
        self.0.is_surjective().map_err(|e| failed(&e))
    }

    /// A layout of the same indices with the fewest modes.
    ///
    /// >>> quaff.Layout("(2,(4,8)):(1,(2,8))").coalesce()
    /// quaff.Layout('64:1')
    fn coalesce(&self) -> PyLayout {
        PyLayout(self.0.coalesce())
    }

    /// A layout of the same indices without nested tuples.
    ///
    /// >>> quaff.Layout("(2,(4,8)):(64,(2,8))").flatten()
    /// quaff.Layout('(2,4,8):(64,2,8)')
    fn flatten(&self) -> PyLayout {
        PyLayout(self.0.flatten())
    }

    /// This layout after `inner`, which may be a tuple with one layout for each mode.
    ///
    /// >>> quaff.Layout("(4,8):(8,1)").compose("(2,4):(1,8)")
    /// quaff.Layout('(2,4):(8,2)')
    /// >>> quaff.Layout("(4,8):(8,1)").compose((2, 4))
    /// quaff.Layout('(2,4):(8,1)')
    fn compose(&self, inner: Tiles) -> PyResult<PyLayout> {
        made(match inner.0 {
            Tiler::Whole(inner) => self.0.compose(&inner),
            Tiler::Modes(inner) => self.0.compose_modes(&inner),
        })
    }

    /// The layout of the indices below `end` that this layout does not reach.
    ///
    /// By default, `end` is the cosize.
    ///
    /// >>> quaff.Layout("4:2").complement(24)
    /// quaff.Layout('(2,3):(1,8)')
    #[pyo3(signature = (end = None))]
    fn complement(&self, end: Option<i64>) -> PyResult<PyLayout> {
        made(match end {
            Some(end) => self.0.complement(end),
            None => self.0.cosize().and_then(|end| self.0.complement(end)),
        })
    }

    /// Splits the coordinates into the coordinates within a tile and the coordinates of the tiles. A tuple has one tile
    /// for each mode.
    ///
    /// >>> quaff.Layout("(8,16):(16,1)").logical_divide((4, 4))
    /// quaff.Layout('((4,2),(4,4)):((16,64),(1,4))')
    fn logical_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.logical_divide(&tile.0))
    }

    /// `logical_divide` in two modes: all coordinates within a tile, and all coordinates of the tiles.
    ///
    /// >>> quaff.Layout("(8,16):(16,1)").zipped_divide((4, 4))
    /// quaff.Layout('((4,4),(2,4)):((16,1),(64,4))')
    fn zipped_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.zipped_divide(&tile.0))
    }

    /// `zipped_divide`, with each mode of the tiles as a separate mode.
    ///
    /// >>> quaff.Layout("(8,16):(16,1)").tiled_divide((4, 4))
    /// quaff.Layout('((4,4),2,4):((16,1),64,4)')
    fn tiled_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.tiled_divide(&tile.0))
    }

    /// `zipped_divide`, with all modes as separate modes.
    ///
    /// >>> quaff.Layout("(8,16):(16,1)").flat_divide((4, 4))
    /// quaff.Layout('(4,4,2,4):(16,1,64,4)')
    fn flat_divide(&self, tile: Tiles) -> PyResult<PyLayout> {
        made(self.0.flat_divide(&tile.0))
    }

    /// Copies of this layout, one for each coordinate of `tiles`, in the order of `tiles`.
    ///
    /// >>> quaff.Layout("4:1").logical_product("3:2")
    /// quaff.Layout('(4,3):(1,8)')
    fn logical_product(&self, tiles: Operand) -> PyResult<PyLayout> {
        made(self.0.logical_product(&tiles.0))
    }

    /// The product with a mode for each mode of the two layouts: first the coordinate within the block, then the
    /// coordinate of the block.
    ///
    /// >>> quaff.Layout("(2,2):(2,1)").blocked_product("(3,2):(2,1)")
    /// quaff.Layout('((2,3),(2,2)):((2,8),(1,4))')
    fn blocked_product(&self, tiles: Operand) -> PyResult<PyLayout> {
        made(self.0.blocked_product(&tiles.0))
    }

    /// Like `blocked_product`, with the coordinate of the block first.
    ///
    /// >>> quaff.Layout("(2,2):(2,1)").raked_product("(3,2):(2,1)")
    /// quaff.Layout('((3,2),(2,2)):((8,2),(4,1))')
    fn raked_product(&self, tiles: Operand) -> PyResult<PyLayout> {
        made(self.0.raked_product(&tiles.0))
    }

    /// The layout that maps each index back to the number of its coordinate.
    ///
    /// >>> quaff.Layout("(4,8):(8,1)").left_inverse()
    /// quaff.Layout('(8,4):(4,1)')
    fn left_inverse(&self) -> PyResult<PyLayout> {
        made(self.0.left_inverse())
    }

    /// The longest layout `r` for which `self @ r` is the identity.
    ///
    /// >>> quaff.Layout("(4,8):(8,1)").right_inverse()
    /// quaff.Layout('(8,4):(4,1)')
    fn right_inverse(&self) -> PyResult<PyLayout> {
        made(self.0.right_inverse())
    }

    /// The index of a coordinate as an expression, not simplified. The coordinate has one expression, or one for each
    /// mode.
    ///
    /// >>> quaff.Layout("(4,8):(8,1)").index(["i", "j"])
    /// quaff.Expr('i*8 + j')
    fn index(&self, coordinates: Vec<Asked>) -> PyResult<PyExpr> {
        let coordinates = Asked::exprs(coordinates);
        self.0.index(&coordinates).map(PyExpr).map_err(|e| failed(&e))
    }

    /// The index for coordinates with the given names, in the cheapest form.
    ///
    /// >>> quaff.Layout("(4,(2,4)):(8,(1,2))").simplify(["i", "j"]).expr
    /// quaff.Expr('i*8 + j')
    #[pyo3(signature = (names, *, simplifier = None))]
    fn simplify(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        simplifier: Option<Py<PySimplifier>>,
    ) -> PyResult<PySimplified> {
        let answer = unlocked(py, simplifier.as_ref(), |s| self.0.simplify(s, &names));
        Ok(PySimplified::indices(answer.map_err(|e| failed(&e))?, false))
    }

    /// A drawing of the indices, as SVG.
    ///
    /// >>> quaff.Layout("(4,8):(8,1)").svg().startswith("<svg")
    /// True
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
