//! Left and right inverses of symbolic layouts.

use super::SymbolicLayout;
use super::compose::CHAIN;
use crate::layout::error::LayoutError;
use crate::layout::leaf::Leaf;
use crate::layout::mode::Mode;
use quaff::expr::{Expr, int};

impl SymbolicLayout {
    /// The layout `l` with `l.at(self.at(c)) == c` for each `c` below the size of this layout, for all values of the
    /// names.
    ///
    /// ```
    /// use quaff::domain::Domain;
    /// use quaff_fronts::layout::SymbolicLayout;
    ///
    /// let domain: Domain = "M=1..4096, N=1..4096".parse()?;
    /// let rows = SymbolicLayout::parse("(M,N):(N,1)", &domain)?;
    /// assert_eq!(rows.left_inverse()?.to_string(), "(N,M):(M,1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::NotProved`] and [`LayoutError::Refuted`] with the condition that fails. Strides must be above 0
    /// and have a known order. Each stride must be a multiple of the number of indices that the modes before it cover.
    /// [`LayoutError::Swizzled`] for a swizzled layout.
    pub fn left_inverse(&self) -> Result<SymbolicLayout, LayoutError> {
        let leaves = self.inverted_leaves()?;
        let mut proofs = self.proofs();
        for leaf in &leaves {
            if proofs.equal(&leaf.stride, &int(0))? {
                proofs.require(&leaf.size.equals(1), "coordinates of a mode of stride 0 have the same index")?;
            }
        }
        let (mut out, mut reach) = (Vec::new(), int(1));
        for at in proofs.ascending(&leaves)? {
            let mode = &leaves[at];
            proofs.require(&mode.stride.floor_mod(&reach).equals(0), CHAIN)?;
            out.push(Leaf { size: proofs.simple(&mode.stride.floor_div(&reach))?, stride: int(0) });
            out.push(Leaf { size: mode.size.clone(), stride: proofs.simple(&place(&leaves, at))? });
            reach = proofs.simple(&(&mode.stride * &mode.size))?;
        }
        SymbolicLayout::limited(Mode::of_leaves(&proofs.merged(&out)?), Vec::new(), self.domain.clone())
    }

    /// A layout `r` with `self.at(r.at(k)) == k` for each `k` below its size, for all values of the names. It consists
    /// of modes with ascending strides from 1 on, in which each stride equals the number of indices that the modes
    /// before it cover.
    ///
    /// # Errors
    /// [`LayoutError::NotProved`] and [`LayoutError::Refuted`] with the condition that fails. Strides must be above 0
    /// and have a known order. For each stride it must be known whether it equals the number of indices that the modes
    /// before it cover. [`LayoutError::Swizzled`] for a swizzled layout.
    pub fn right_inverse(&self) -> Result<SymbolicLayout, LayoutError> {
        let leaves = self.inverted_leaves()?;
        let mut proofs = self.proofs();
        let (mut out, mut reach) = (Vec::new(), int(1));
        for at in proofs.ascending(&leaves)? {
            let mode = &leaves[at];
            let follows = mode.stride.equals(&reach);
            if proofs.truth(&follows)? == Some(false) {
                break;
            }
            proofs.require(&follows, "it is decided whether a mode follows the one before it")?;
            out.push(Leaf { size: mode.size.clone(), stride: proofs.simple(&place(&leaves, at))? });
            reach = proofs.simple(&(&mode.stride * &mode.size))?;
        }
        SymbolicLayout::limited(Mode::of_leaves(&proofs.merged(&out)?), Vec::new(), self.domain.clone())
    }

    /// The leaves of a layout without swizzles, with mergeable neighbours joined.
    fn inverted_leaves(&self) -> Result<Vec<Leaf<Expr>>, LayoutError> {
        match self.swizzles.is_empty() {
            true => self.proofs().merged(&self.leaves()),
            false => Err(LayoutError::Swizzled { operation: "inverse" }),
        }
    }
}

/// The number of the coordinate that is 1 in leaf `at` and 0 in all other leaves.
fn place(leaves: &[Leaf<Expr>], at: usize) -> Expr {
    leaves.iter().take(at).fold(int(1), |place, leaf| place * &leaf.size)
}
