//! Divisions and products.

use super::SymbolicLayout;
use crate::layout::divide::{Tiled, Tiler};
use crate::layout::error::LayoutError;
use crate::layout::mode::Mode;
use quaff::expr::int;

impl SymbolicLayout {
    /// Each mode of this layout after the one of `inner` at its place; further modes stay.
    ///
    /// # Errors
    /// As [`SymbolicLayout::compose`]; [`LayoutError::Rank`] for more layouts than modes.
    pub fn compose_modes(&self, inner: &[SymbolicLayout]) -> Result<SymbolicLayout, LayoutError> {
        self.modes_after(inner)
    }

    /// Two modes: the coordinates within a tile, and those of the tiles. For a [`Tiler::Whole`] it is this layout after the tile and its
    /// complement below the size of this layout. For [`Tiler::Modes`] that is done in each mode.
    ///
    /// Where a tile does not divide, the last tile goes on behind the layout: the size of the result says so.
    ///
    /// # Errors
    /// Those of [`SymbolicLayout::complement`] and [`SymbolicLayout::compose`]; [`LayoutError::Rank`] for more tiles than modes.
    pub fn logical_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.logical(tile)
    }

    /// [`SymbolicLayout::logical_divide`] in two modes: all coordinates within a tile, and all those of the tiles.
    ///
    /// # Errors
    /// As [`SymbolicLayout::logical_divide`].
    pub fn zipped_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.zipped(tile)
    }

    /// [`SymbolicLayout::zipped_divide`] with the modes of the tiles beside the mode of the tile.
    ///
    /// # Errors
    /// As [`SymbolicLayout::logical_divide`].
    pub fn tiled_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.tiled(tile)
    }

    /// [`SymbolicLayout::zipped_divide`] with all modes beside one another.
    ///
    /// # Errors
    /// As [`SymbolicLayout::logical_divide`].
    pub fn flat_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.flat(tile)
    }

    /// Two modes: this layout, and its repetitions in the order of `tiles`, each in the room that the ones before it leave.
    ///
    /// # Errors
    /// Those of [`SymbolicLayout::complement`] and [`SymbolicLayout::compose`].
    pub fn logical_product(&self, tiles: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        self.repeated(tiles)
    }

    /// A mode for each one of both layouts: the coordinate within the block, and the coordinate of the block.
    ///
    /// # Errors
    /// As [`SymbolicLayout::logical_product`].
    pub fn blocked_product(&self, tiles: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        self.blocked(tiles)
    }

    /// As [`SymbolicLayout::blocked_product`], with the coordinate of the block first.
    ///
    /// # Errors
    /// As [`SymbolicLayout::logical_product`].
    pub fn raked_product(&self, tiles: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        self.raked(tiles)
    }
}

impl Tiled for SymbolicLayout {
    fn parts(&self) -> Vec<SymbolicLayout> {
        self.modes()
    }

    fn tuple(modes: &[SymbolicLayout]) -> Result<SymbolicLayout, LayoutError> {
        SymbolicLayout::of_modes(modes)
    }

    fn behind(self, other: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        SymbolicLayout::limited(self.mode, other.swizzles.clone(), self.domain)
    }

    fn after(&self, inner: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        self.compose(inner)
    }

    fn tile_and_rest(&self, tile: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        let rest = tile.complement(&self.size()?)?;
        self.compose(&SymbolicLayout::of_modes(&[tile.clone(), rest])?)
    }

    fn repeated(&self, tiles: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        if [self, tiles].iter().any(|part| !part.swizzles.is_empty()) {
            return Err(LayoutError::Swizzled { operation: "product" });
        }
        let room = self.proofs().simple(&(self.size()? * tiles.cosize()?))?;
        SymbolicLayout::of_modes(&[self.clone(), self.complement(&room)?.compose(tiles)?])
    }

    fn unit(&self) -> SymbolicLayout {
        SymbolicLayout { mode: Mode::leaf(int(1), int(0)), swizzles: Vec::new(), domain: self.domain.clone() }
    }
}
