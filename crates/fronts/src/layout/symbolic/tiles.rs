//! Divisions and products of symbolic layouts.

use super::SymbolicLayout;
use crate::layout::divide::{Tiled, Tiler};
use crate::layout::error::LayoutError;
use crate::layout::mode::Mode;
use quaff::expr::int;

impl SymbolicLayout {
    /// Composes each mode of this layout with the layout at the same position of `inner`. Modes of this layout without
    /// such a layout stay unchanged.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::compose`], and [`LayoutError::Rank`] for more layouts than modes.
    pub fn compose_modes(&self, inner: &[SymbolicLayout]) -> Result<SymbolicLayout, LayoutError> {
        self.modes_after(inner)
    }

    /// Divides this layout into two modes: the coordinates within a tile, and the coordinates of the tiles. For a
    /// [`Tiler::Whole`], the result is this layout composed with the tile, and with the complement of the tile up to
    /// the size of this layout. For [`Tiler::Modes`] each mode is divided in this way.
    ///
    /// If a tile does not divide the layout, the last tile extends beyond the layout, and the size of the result is
    /// larger.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::complement`] and [`SymbolicLayout::compose`], and [`LayoutError::Rank`] for more
    /// tiles than modes.
    pub fn logical_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.logical(tile)
    }

    /// [`SymbolicLayout::logical_divide`] regrouped into two modes: all coordinates within a tile, and all coordinates
    /// of the tiles.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::logical_divide`].
    pub fn zipped_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.zipped(tile)
    }

    /// [`SymbolicLayout::zipped_divide`] with the modes of the tiles as separate modes after the mode of the tile.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::logical_divide`].
    pub fn tiled_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.tiled(tile)
    }

    /// [`SymbolicLayout::zipped_divide`] with all modes in one flat tuple.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::logical_divide`].
    pub fn flat_divide(&self, tile: &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError> {
        self.flat(tile)
    }

    /// Two modes: this layout, and its repetitions in the order of `tiles`. Each repetition is in the gaps that the
    /// earlier repetitions leave.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::complement`] and [`SymbolicLayout::compose`].
    pub fn logical_product(&self, tiles: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        self.repeated(tiles)
    }

    /// A product with one mode for each mode of both layouts: the coordinate within the block, and the coordinate of
    /// the block.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::logical_product`].
    pub fn blocked_product(&self, tiles: &SymbolicLayout) -> Result<SymbolicLayout, LayoutError> {
        self.blocked(tiles)
    }

    /// The product of [`SymbolicLayout::blocked_product`], but with the coordinate of the block first.
    ///
    /// # Errors
    /// The errors of [`SymbolicLayout::logical_product`].
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
