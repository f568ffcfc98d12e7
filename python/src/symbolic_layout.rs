//! `quaff.SymbolicLayout`: layouts whose sizes and strides contain variables.

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

/// A layout `shape:stride` whose sizes and strides are expressions over the variables of a domain.
///
/// `SymbolicLayout("(M,N//4):(N,1)", "M=1..4096, N=4..4096 step 4")` reads a layout, or operations on layouts. Each
/// operation proves that its result is right for all values of the variables. `a @ b` is `a` after `b`. Functions that
/// take a layout also take a text over the same domain, or an integer.
///
/// Raises:
///     LayoutError: a text is not a layout, or the condition of an operation is not proved.
///
/// >>> layout = quaff.SymbolicLayout("(M,N//4):(N,1)", "M=1..4096, N=4..4096 step 4")
/// >>> layout.size, len(layout)
/// (quaff.Expr('M*(N//4)'), 2)
#[pyclass(name = "SymbolicLayout", module = "quaff", frozen, eq)]
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PySymbolicLayout(pub(crate) SymbolicLayout);

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
    /// The layout in an argument over the same domain, which is an object, a text or an integer.
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

    /// The divisor in an argument: one layout, or a tuple with a layout for each mode.
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

    /// The row-major layout of these sizes: the last mode is innermost in memory.
    ///
    /// >>> quaff.SymbolicLayout.row_major(["M", 8], "M=1..64")
    /// <quaff.SymbolicLayout (M,8):(8,1)>
    #[staticmethod]
    #[pyo3(signature = (sizes, domain = None))]
    fn row_major(sizes: Vec<Asked>, domain: Option<Given>) -> PyResult<PySymbolicLayout> {
        made(SymbolicLayout::row_major(&Asked::exprs(sizes), Given::or_empty(domain).domain()))
    }

    /// The column-major layout of these sizes: the first mode is innermost in memory.
    ///
    /// >>> quaff.SymbolicLayout.column_major(["M", 8], "M=1..64")
    /// <quaff.SymbolicLayout (M,8):(1,M)>
    #[staticmethod]
    #[pyo3(signature = (sizes, domain = None))]
    fn column_major(sizes: Vec<Asked>, domain: Option<Given>) -> PyResult<PySymbolicLayout> {
        made(SymbolicLayout::column_major(&Asked::exprs(sizes), Given::or_empty(domain).domain()))
    }

    /// The layout with one mode (dimension) for each axis of a view.
    ///
    /// >>> quaff.SymbolicLayout.of_view(quaff.View(["n", 12], "n=1..8").permute([1, 0]))
    /// <quaff.SymbolicLayout (12,n):(1,12)>
    #[staticmethod]
    fn of_view(view: &Bound<'_, PyView>) -> PyResult<PySymbolicLayout> {
        made(SymbolicLayout::of_view(&view.get().0))
    }

    /// The view with an axis for each size in the shape of the layout.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").to_view()
    /// <View (M, 8):(8, 1)>
    fn to_view(&self) -> PyResult<PyView> {
        self.0.to_view().map(PyView).map_err(|e| failed(&e))
    }

    /// The layout for these values of the variables.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").evaluated({"M": 4})
    /// quaff.Layout('(4,8):(8,1)')
    fn evaluated(&self, values: HashMap<String, i64>) -> PyResult<PyLayout> {
        self.0.evaluated(|name| values.get(name).copied()).map(PyLayout).map_err(|e| failed(&e))
    }

    /// The facts about the variables.
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

    /// Whether different coordinates have different indices. None if neither is proved.
    #[getter]
    fn is_injective(&self) -> PyResult<Option<bool>> {
        self.0.is_injective().map_err(|e| failed(&e))
    }

    /// Whether each number from the least to the greatest index is an index. None if neither is proved.
    #[getter]
    fn is_surjective(&self) -> PyResult<Option<bool>> {
        self.0.is_surjective().map_err(|e| failed(&e))
    }

    /// A layout of the same indices with fewer modes.
    ///
    /// >>> quaff.SymbolicLayout("(8,M):(1,8)", "M=1..64").coalesce()
    /// <quaff.SymbolicLayout M*8:1>
    fn coalesce(&self) -> PyResult<PySymbolicLayout> {
        made(self.0.coalesce())
    }

    /// A layout of the same indices without nested tuples.
    ///
    /// >>> quaff.SymbolicLayout("(2,(4,M)):(M*4,(M,1))", "M=1..64").flatten()
    /// <quaff.SymbolicLayout (2,4,M):(M*4,M,1)>
    fn flatten(&self) -> PySymbolicLayout {
        PySymbolicLayout(self.0.flatten())
    }

    /// This layout after `inner`, which may be a tuple with one layout for each mode.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").compose(("M:1", 4))
    /// <quaff.SymbolicLayout (M,4):(8,1)>
    fn compose(&self, inner: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(match self.tiler(inner)? {
            Tiler::Whole(inner) => self.0.compose(&inner),
            Tiler::Modes(inner) => self.0.compose_modes(&inner),
        })
    }

    /// The layout of the indices below `end` that this layout does not reach.
    ///
    /// By default, `end` is the cosize.
    ///
    /// >>> quaff.SymbolicLayout("M:1", "M=1..64").complement("M*4")
    /// <quaff.SymbolicLayout 4:M>
    #[pyo3(signature = (end = None))]
    fn complement(&self, end: Option<Asked>) -> PyResult<PySymbolicLayout> {
        made(match end {
            Some(end) => self.0.complement(&end.expr),
            None => self.0.cosize().and_then(|end| self.0.complement(&end)),
        })
    }

    /// Splits the coordinates into the coordinates within a tile and the coordinates of the tiles. A tuple has one tile
    /// for each mode.
    ///
    /// >>> quaff.SymbolicLayout("(M*4,8):(8,1)", "M=1..64").logical_divide((4, 2))
    /// <quaff.SymbolicLayout ((4,M),(2,4)):((8,32),(1,2))>
    fn logical_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.logical_divide(&self.tiler(tile)?))
    }

    /// `logical_divide` in two modes: all coordinates within a tile, and all coordinates of the tiles.
    ///
    /// >>> quaff.SymbolicLayout("(M*4,8):(8,1)", "M=1..64").zipped_divide((4, 2))
    /// <quaff.SymbolicLayout ((4,2),(M,4)):((8,1),(32,2))>
    fn zipped_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.zipped_divide(&self.tiler(tile)?))
    }

    /// `zipped_divide`, with each mode of the tiles as a separate mode.
    ///
    /// >>> quaff.SymbolicLayout("(M*4,8):(8,1)", "M=1..64").tiled_divide((4, 2))
    /// <quaff.SymbolicLayout ((4,2),M,4):((8,1),32,2)>
    fn tiled_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.tiled_divide(&self.tiler(tile)?))
    }

    /// `zipped_divide`, with all modes as separate modes.
    ///
    /// >>> quaff.SymbolicLayout("(M*4,8):(8,1)", "M=1..64").flat_divide((4, 2))
    /// <quaff.SymbolicLayout (4,2,M,4):(8,1,32,2)>
    fn flat_divide(&self, tile: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.flat_divide(&self.tiler(tile)?))
    }

    /// Copies of this layout, one for each coordinate of `tiles`, in the order of `tiles`.
    ///
    /// >>> quaff.SymbolicLayout("M:1", "M=1..64").logical_product(3)
    /// <quaff.SymbolicLayout (M,3):(1,M)>
    fn logical_product(&self, tiles: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.logical_product(&self.operand(tiles)?))
    }

    /// The product with a mode for each mode of the two layouts: first the coordinate within the block, then the
    /// coordinate of the block.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").blocked_product("(3,2):(2,1)")
    /// <quaff.SymbolicLayout ((M,3),(8,2)):((8,M*16),(1,M*8))>
    fn blocked_product(&self, tiles: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.blocked_product(&self.operand(tiles)?))
    }

    /// Like `blocked_product`, with the coordinate of the block first.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").raked_product("(3,2):(2,1)")
    /// <quaff.SymbolicLayout ((3,M),(2,8)):((M*16,8),(M*8,1))>
    fn raked_product(&self, tiles: &Bound<'_, PyAny>) -> PyResult<PySymbolicLayout> {
        made(self.0.raked_product(&self.operand(tiles)?))
    }

    /// The layout that maps each index back to the number of its coordinate.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").left_inverse()
    /// <quaff.SymbolicLayout (8,M):(M,1)>
    fn left_inverse(&self) -> PyResult<PySymbolicLayout> {
        made(self.0.left_inverse())
    }

    /// A layout `r` for which `self @ r` is the identity.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").right_inverse()
    /// <quaff.SymbolicLayout (8,M):(M,1)>
    fn right_inverse(&self) -> PyResult<PySymbolicLayout> {
        made(self.0.right_inverse())
    }

    /// The index of a coordinate as an expression, not simplified. The coordinate has one expression, or one for each
    /// mode.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").index(["i", "j"])
    /// quaff.Expr('i*8 + j')
    fn index(&self, coordinates: Vec<Asked>) -> PyResult<PyExpr> {
        form(self.0.index(&Asked::exprs(coordinates)))
    }

    /// The index for coordinates with the given names, in the cheapest form.
    ///
    /// >>> quaff.SymbolicLayout("(M,8):(8,1)", "M=1..64").simplify(["i", "j"]).expr
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
