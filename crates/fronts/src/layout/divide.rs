//! Complements, tiles and repetitions.

use super::error::LayoutError;
use super::leaf::Leaf;
use super::tree::{Layout, Mode, merged};

/// The tile that a layout is divided by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tiler {
    /// One layout, whose indices are numbers of the divided layout as a whole.
    Whole(Layout),
    /// One layout for each mode; modes of the divided layout that have none stay.
    Modes(Vec<Layout>),
}

impl From<Layout> for Tiler {
    fn from(layout: Layout) -> Tiler {
        Tiler::Whole(layout)
    }
}

impl Layout {
    /// The layout of the indices below `end` that this one leaves: all sums of an index of this layout and one of the complement
    /// are different, and are all numbers from 0 to a number that is not below `end`. Its strides ascend.
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
    /// [`LayoutError::Complement`] where the sums cannot be all numbers; [`LayoutError::Negative`]; [`LayoutError::Swizzled`];
    /// [`LayoutError::Size`] for an `end` below 1.
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

    /// Two modes: the coordinates within a tile, and those of the tiles. For a [`Tiler::Whole`] it is this layout after the tile and its
    /// complement below the size of this layout. For [`Tiler::Modes`] that is done in each mode.
    ///
    /// Where a tile does not divide, the last tile goes on behind the layout: the size of the result says so.
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
    /// Those of [`Layout::complement`] and [`Layout::compose`]; [`LayoutError::Rank`] for more tiles than modes.
    pub fn logical_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        match tile {
            Tiler::Whole(tile) => {
                let rest = tile.complement(self.size())?;
                self.compose(&Layout::of_modes(&[tile.clone(), rest])?)
            }
            Tiler::Modes(tiles) => {
                let pairs = self.divided_modes(tiles)?;
                let rest = self.modes().split_off(tiles.len());
                let modes = pairs.iter().map(|pair| Layout::of_modes(pair)).chain(rest.into_iter().map(Ok));
                self.of_my_swizzles(&modes.collect::<Result<Vec<_>, _>>()?)
            }
        }
    }

    /// Of each mode with a tile: the coordinates within the tile, and those of the tiles.
    fn divided_modes(&self, tiles: &[Layout]) -> Result<Vec<[Layout; 2]>, LayoutError> {
        let modes = self.modes();
        if tiles.len() > modes.len() {
            return Err(LayoutError::Rank { what: "tiles", given: tiles.len(), modes: modes.len() });
        }
        let mut out = Vec::new();
        for (mode, tile) in modes.iter().zip(tiles) {
            let divided = mode.logical_divide(&Tiler::Whole(tile.clone()))?;
            let [inner, outer] = divided.modes().try_into().map_err(|_| LayoutError::Overflow { what: "a mode" })?;
            out.push([inner, outer]);
        }
        Ok(out)
    }

    /// A tuple of modes behind the swizzles of this layout.
    fn of_my_swizzles(&self, modes: &[Layout]) -> Result<Layout, LayoutError> {
        Layout::checked(Layout::of_modes(modes)?.mode, self.swizzles.clone())
    }

    /// [`Layout::logical_divide`] in two modes: all coordinates within a tile, and all those of the tiles.
    ///
    /// # Errors
    /// As [`Layout::logical_divide`].
    pub fn zipped_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        let Tiler::Modes(tiles) = tile else { return self.logical_divide(tile) };
        let (mut inner, mut outer): (Vec<Layout>, Vec<Layout>) = (Vec::new(), Vec::new());
        for [tile, rest] in self.divided_modes(tiles)? {
            inner.push(tile);
            outer.push(rest);
        }
        outer.extend(self.modes().split_off(tiles.len()));
        self.of_my_swizzles(&[Layout::of_modes(&inner)?, Layout::of_modes(&outer)?])
    }

    /// [`Layout::zipped_divide`] with the modes of the tiles beside the mode of the tile.
    ///
    /// # Errors
    /// As [`Layout::logical_divide`].
    pub fn tiled_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        let zipped = self.zipped_divide(tile)?.modes();
        let mut modes = vec![zipped[0].clone()];
        modes.extend(zipped[1].modes());
        self.of_my_swizzles(&modes)
    }

    /// [`Layout::zipped_divide`] with all modes beside one another.
    ///
    /// # Errors
    /// As [`Layout::logical_divide`].
    pub fn flat_divide(&self, tile: &Tiler) -> Result<Layout, LayoutError> {
        let zipped = self.zipped_divide(tile)?;
        self.of_my_swizzles(&zipped.modes().iter().flat_map(Layout::modes).collect::<Vec<_>>())
    }

    /// Two modes: this layout, and its repetitions in the order of `tiles`, each in the room that the ones before it leave.
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
    /// Those of [`Layout::complement`] and [`Layout::compose`].
    pub fn logical_product(&self, tiles: &Layout) -> Result<Layout, LayoutError> {
        let room = self.size().checked_mul(tiles.plain("product").and_then(|_| tiles.cosize())?);
        let room = room.ok_or(LayoutError::Overflow { what: "the size" })?;
        Layout::of_modes(&[self.clone(), self.complement(room)?.compose(tiles)?])
    }

    /// A mode for each one of both layouts: the coordinate within the block, and the coordinate of the block. A layout with fewer modes gets
    /// modes of size 1.
    ///
    /// # Errors
    /// As [`Layout::logical_product`].
    pub fn blocked_product(&self, tiles: &Layout) -> Result<Layout, LayoutError> {
        let pairs = self.product_modes(tiles)?;
        Layout::of_modes(&pairs.iter().map(|pair| Layout::of_modes(pair)).collect::<Result<Vec<_>, _>>()?)
    }

    /// As [`Layout::blocked_product`], with the coordinate of the block first: neighbours are of different blocks.
    ///
    /// # Errors
    /// As [`Layout::logical_product`].
    pub fn raked_product(&self, tiles: &Layout) -> Result<Layout, LayoutError> {
        let pairs = self.product_modes(tiles)?;
        let modes = pairs.into_iter().map(|[block, tile]| Layout::of_modes(&[tile, block]));
        Layout::of_modes(&modes.collect::<Result<Vec<_>, _>>()?)
    }

    /// The modes of both parts of a product, side by side.
    fn product_modes(&self, tiles: &Layout) -> Result<Vec<[Layout; 2]>, LayoutError> {
        let rank = self.rank().max(tiles.rank());
        let padded = |layout: &Layout| {
            let mut modes = layout.modes();
            modes.resize(rank, Layout { mode: Mode::leaf(1, 0), swizzles: Vec::new() });
            layout.of_my_swizzles(&modes)
        };
        let product = padded(self)?.logical_product(&padded(tiles)?)?;
        let [blocks, tiles] = [0, 1].map(|part| product.modes()[part].modes());
        Ok(blocks.into_iter().zip(tiles).map(|(block, tile)| [block, tile]).collect())
    }
}
