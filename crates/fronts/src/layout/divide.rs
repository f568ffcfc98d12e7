//! Complements, divisions into tiles, and products.

use super::error::LayoutError;
use super::leaf::Leaf;
use super::mode::Mode;
use super::tree::{Layout, merged};

/// The tile by which a layout is divided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler<L = Layout> {
    /// One layout, whose indices are coordinates of the whole divided layout.
    Whole(L),
    /// One layout for each mode. Modes of the divided layout without a tile stay unchanged.
    Modes(Vec<L>),
}

impl<L> From<L> for Tiler<L> {
    fn from(layout: L) -> Tiler<L> {
        Tiler::Whole(layout)
    }
}

/// A kind of layout that can be divided and multiplied.
pub(super) trait Tiled: Clone {
    /// The modes of the outermost tuple, without swizzles.
    fn parts(&self) -> Vec<Self>;
    /// A tuple of layouts without swizzles.
    fn tuple(modes: &[Self]) -> Result<Self, LayoutError>;
    /// This layout, after which the swizzles of `other` are applied.
    fn behind(self, other: &Self) -> Result<Self, LayoutError>;
    /// The composition that applies `inner` first and this layout second.
    fn after(&self, inner: &Self) -> Result<Self, LayoutError>;
    /// The composition of this layout with the tile, and with the complement of the tile, as two modes.
    fn tile_and_rest(&self, tile: &Self) -> Result<Self, LayoutError>;
    /// This layout and its repetitions in the order of `tiles`, as two modes.
    fn repeated(&self, tiles: &Self) -> Result<Self, LayoutError>;
    /// A mode of size 1.
    fn unit(&self) -> Self;

    fn tuple_behind(&self, modes: &[Self]) -> Result<Self, LayoutError> {
        Self::tuple(modes)?.behind(self)
    }

    /// Composes each mode with the layout at the same position of `inner`. Further modes stay unchanged.
    fn modes_after(&self, inner: &[Self]) -> Result<Self, LayoutError> {
        let mut modes = self.parts();
        if inner.len() > modes.len() {
            return Err(LayoutError::Rank { what: "tiles", given: inner.len(), modes: modes.len() });
        }
        for (mode, inner) in modes.iter_mut().zip(inner) {
            *mode = mode.after(inner)?;
        }
        self.tuple_behind(&modes)
    }

    /// For each mode with a tile, the coordinates within the tile and the coordinates of the tiles.
    fn divided_modes(&self, tiles: &[Self]) -> Result<Vec<[Self; 2]>, LayoutError> {
        let modes = self.parts();
        if tiles.len() > modes.len() {
            return Err(LayoutError::Rank { what: "tiles", given: tiles.len(), modes: modes.len() });
        }
        modes.iter().zip(tiles).map(|(mode, tile)| two(&mode.tile_and_rest(tile)?)).collect()
    }

    fn logical(&self, tile: &Tiler<Self>) -> Result<Self, LayoutError> {
        let tiles = match tile {
            Tiler::Whole(tile) => return self.tile_and_rest(tile),
            Tiler::Modes(tiles) => tiles,
        };
        let pairs = self.divided_modes(tiles)?;
        let rest = self.parts().split_off(tiles.len());
        let modes = pairs.iter().map(|pair| Self::tuple(pair)).chain(rest.into_iter().map(Ok));
        self.tuple_behind(&modes.collect::<Result<Vec<_>, _>>()?)
    }

    fn zipped(&self, tile: &Tiler<Self>) -> Result<Self, LayoutError> {
        let Tiler::Modes(tiles) = tile else { return self.logical(tile) };
        let (mut inner, mut outer): (Vec<Self>, Vec<Self>) = (Vec::new(), Vec::new());
        for [tile, rest] in self.divided_modes(tiles)? {
            inner.push(tile);
            outer.push(rest);
        }
        outer.extend(self.parts().split_off(tiles.len()));
        self.tuple_behind(&[Self::tuple(&inner)?, Self::tuple(&outer)?])
    }

    fn tiled(&self, tile: &Tiler<Self>) -> Result<Self, LayoutError> {
        let [inner, outer] = two(&self.zipped(tile)?)?;
        self.tuple_behind(&[vec![inner], outer.parts()].concat())
    }

    fn flat(&self, tile: &Tiler<Self>) -> Result<Self, LayoutError> {
        self.tuple_behind(&self.zipped(tile)?.parts().iter().flat_map(Self::parts).collect::<Vec<_>>())
    }

    /// The pairs of modes of a product: a mode of the block and the corresponding mode of the tiles.
    fn product_modes(&self, tiles: &Self) -> Result<Vec<[Self; 2]>, LayoutError> {
        let rank = self.parts().len().max(tiles.parts().len());
        let padded = |layout: &Self| {
            let mut modes = layout.parts();
            modes.resize(rank, layout.unit());
            layout.tuple_behind(&modes)
        };
        let [blocks, tiles] = two(&padded(self)?.repeated(&padded(tiles)?)?)?;
        Ok(blocks.parts().into_iter().zip(tiles.parts()).map(|(block, tile)| [block, tile]).collect())
    }

    fn blocked(&self, tiles: &Self) -> Result<Self, LayoutError> {
        let pairs = self.product_modes(tiles)?;
        Self::tuple(&pairs.iter().map(|pair| Self::tuple(pair)).collect::<Result<Vec<_>, _>>()?)
    }

    fn raked(&self, tiles: &Self) -> Result<Self, LayoutError> {
        let pairs = self.product_modes(tiles)?;
        let modes = pairs.into_iter().map(|[block, tile]| Self::tuple(&[tile, block]));
        Self::tuple(&modes.collect::<Result<Vec<_>, _>>()?)
    }
}

/// The two modes of a layout of rank 2.
fn two<L: Tiled>(layout: &L) -> Result<[L; 2], LayoutError> {
    let modes = layout.parts();
    let found = modes.len();
    modes.try_into().map_err(|_| LayoutError::Rank { what: "parts", given: 2, modes: found })
}

impl Tiled for Layout {
    fn parts(&self) -> Vec<Layout> {
        self.modes()
    }

    fn tuple(modes: &[Layout]) -> Result<Layout, LayoutError> {
        Layout::of_modes(modes)
    }

    fn behind(self, other: &Layout) -> Result<Layout, LayoutError> {
        Layout::checked(self.mode, other.swizzles.clone())
    }

    fn after(&self, inner: &Layout) -> Result<Layout, LayoutError> {
        self.compose(inner)
    }

    fn tile_and_rest(&self, tile: &Layout) -> Result<Layout, LayoutError> {
        let rest = tile.complement(self.size())?;
        self.compose(&Layout::of_modes(&[tile.clone(), rest])?)
    }

    fn repeated(&self, tiles: &Layout) -> Result<Layout, LayoutError> {
        for part in [self, tiles] {
            part.plain("product")?;
        }
        let room = self.size().checked_mul(tiles.cosize()?);
        let room = room.ok_or(LayoutError::Overflow { what: "the size" })?;
        Layout::of_modes(&[self.clone(), self.complement(room)?.compose(tiles)?])
    }

    fn unit(&self) -> Layout {
        Layout { mode: Mode::leaf(1, 0), swizzles: Vec::new() }
    }
}

impl Layout {
    /// The layout that fills the gaps of this layout up to `end`. Sums of an index of this layout and an index of the
    /// complement are all different. The sums are all numbers from 0 on, at least up to `end`. The strides of the
    /// complement ascend.
    ///
    /// ```
    /// use quaff_fronts::layout::Layout;
    ///
    /// let layout: Layout = "(4,2):(1,8)".parse()?;
    /// assert_eq!(layout.complement(64)?.to_string(), "(2,4):(4,16)");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// Modes of stride 0 are left out, as in CuTe.
    ///
    /// # Errors
    /// [`LayoutError::Complement`] if no layout fills the gaps exactly. [`LayoutError::Negative`] for a negative
    /// stride. [`LayoutError::Swizzled`] for a swizzled layout. [`LayoutError::Size`] for an `end` below 1.
    pub fn complement(&self, end: i64) -> Result<Layout, LayoutError> {
        let mut leaves = merged(&self.plain("complement")?);
        leaves.retain(|leaf| leaf.stride != 0);
        if let Some(mode) = leaves.iter().find(|leaf| leaf.stride < 0) {
            return Err(LayoutError::Negative { mode: *mode, operation: "complement" });
        }
        if end < 1 {
            return Err(LayoutError::Size { size: end });
        }
        leaves.sort_by_key(|leaf| leaf.stride);
        let (mut out, mut reach) = (Vec::new(), 1_i64);
        for mode in leaves {
            let refused = LayoutError::Complement { mode, reach };
            let [size, 0] = [mode.stride.checked_div(reach), mode.stride.checked_rem(reach)].map(|n| n.unwrap_or(0))
            else {
                return Err(refused);
            };
            if size < 1 {
                return Err(refused);
            }
            out.push(Leaf { size, stride: reach });
            reach = mode.stride.checked_mul(mode.size).ok_or(LayoutError::Overflow { what: "an index" })?;
        }
        let size = (end - 1).checked_div(reach).unwrap_or(0) + 1;
        out.push(Leaf { size, stride: reach });
        Layout::checked(Mode::of_leaves(&merged(&out)), Vec::new())
    }

    /// Divides this layout into two modes: the coordinates within a tile, and the coordinates of the tiles. For a
    /// [`Tiler::Whole`], the result is this layout composed with the tile, and with the complement of the tile up to
    /// the size of this layout. For [`Tiler::Modes`] each mode is divided in this way.
    ///
    /// If a tile does not divide the layout, the last tile extends beyond the layout, and the size of the result is
    /// larger.
    ///
    /// ```
    /// use quaff_fronts::layout::{Layout, Tiler};
    ///
    /// let rows: Layout = "(4,8):(8,1)".parse()?;
    /// let tile = Tiler::Modes(vec![Layout::new(2, 1)?, Layout::new(4, 1)?]);
    /// assert_eq!(rows.logical_divide(&tile)?.to_string(), "((2,2),(4,2)):((8,16),(1,4))");
    /// assert_eq!(rows.zipped_divide(&tile)?.to_string(), "((2,4),(2,2)):((8,1),(16,4))");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Layout::complement`] and [`Layout::compose`], and [`LayoutError::Rank`] for more tiles than
    /// modes.
    pub fn logical_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        self.logical(tile)
    }

    /// [`Layout::logical_divide`] regrouped into two modes: all coordinates within a tile, and all coordinates of the
    /// tiles.
    ///
    /// # Errors
    /// The errors of [`Layout::logical_divide`].
    pub fn zipped_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        self.zipped(tile)
    }

    /// [`Layout::zipped_divide`] with the modes of the tiles as separate modes after the mode of the tile.
    ///
    /// # Errors
    /// The errors of [`Layout::logical_divide`].
    pub fn tiled_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        self.tiled(tile)
    }

    /// [`Layout::zipped_divide`] with all modes in one flat tuple.
    ///
    /// # Errors
    /// The errors of [`Layout::logical_divide`].
    pub fn flat_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        self.flat(tile)
    }

    /// Two modes: this layout, and its repetitions in the order of `tiles`. Each repetition is in the gaps that the
    /// earlier repetitions leave.
    ///
    /// ```
    /// use quaff_fronts::layout::Layout;
    ///
    /// let (block, tiles): (Layout, Layout) = ("(2,2):(4,1)".parse()?, "6:1".parse()?);
    /// assert_eq!(block.logical_product(&tiles)?.to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Layout::complement`] and [`Layout::compose`].
    pub fn logical_product(&self, tiles: &Layout) -> Result<Layout, LayoutError> {
        self.repeated(tiles)
    }

    /// A product with one mode for each mode of both layouts: the coordinate within the block, and the coordinate of
    /// the block. A layout with fewer modes is extended by modes of size 1.
    ///
    /// # Errors
    /// The errors of [`Layout::logical_product`].
    pub fn blocked_product(&self, tiles: &Layout) -> Result<Layout, LayoutError> {
        self.blocked(tiles)
    }

    /// The product of [`Layout::blocked_product`], but with the coordinate of the block first, so that neighbours are
    /// in different blocks.
    ///
    /// # Errors
    /// The errors of [`Layout::logical_product`].
    pub fn raked_product(&self, tiles: &Layout) -> Result<Layout, LayoutError> {
        self.raked(tiles)
    }
}
