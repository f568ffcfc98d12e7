//! Inverses, and tests of whether a layout is injective or surjective.

use super::error::LayoutError;
use super::leaf::Leaf;
use super::mode::Mode;
use super::tree::{Layout, looked_at, merged};
use crate::banks::Swizzle;

impl Layout {
    /// The layout `r` with `self.at(r.at(i)) == i` for each `i` below the size of `r`. If no stride is negative and all
    /// indices are different, it is the longest such layout.
    ///
    /// ```
    /// use quaff_fronts::layout::Layout;
    ///
    /// let rows: Layout = "(4,8):(8,1)".parse()?;
    /// assert_eq!(rows.right_inverse()?.to_string(), "(8,4):(4,1)");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::Swizzled`] for a swizzled layout.
    pub fn right_inverse(&self) -> Result<Layout, LayoutError> {
        let (mut found, mut before) = (Vec::new(), 1_i64);
        for leaf in merged(&self.plain("right inverse")?) {
            found.push((leaf, before));
            // the product does not overflow, because it is at most the checked size of the layout
            before = before.saturating_mul(leaf.size);
        }
        let (mut out, mut next) = (Vec::new(), 1_i64);
        // the longest mode whose stride equals the number of indices that the modes so far cover
        while let Some((leaf, number)) =
            found.iter().filter(|(l, _)| l.stride == next).max_by_key(|(l, _)| l.size).copied()
        {
            out.push(Leaf { size: leaf.size, stride: number });
            let Some(end) = next.checked_mul(leaf.size) else { break };
            next = end;
        }
        Layout::checked(Mode::of_leaves(&merged(&out)), Vec::new())
    }

    /// The layout `l` with `l.at(self.at(c)) == c` for each `c` below the size of this layout.
    ///
    /// ```
    /// use quaff_fronts::layout::Layout;
    ///
    /// let layout: Layout = "(4,2):(8,1)".parse()?;
    /// assert_eq!(layout.left_inverse()?.to_string(), "(2,4,4):(4,0,1)");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError::NotInjective`] for a stride of 0. [`LayoutError::Complement`] if a stride is no multiple of the
    /// number of indices that the modes with smaller strides cover. [`LayoutError::Negative`] for a negative stride.
    /// [`LayoutError::Swizzled`] for a swizzled layout.
    pub fn left_inverse(&self) -> Result<Layout, LayoutError> {
        let (mut modes, mut before) = (Vec::new(), 1_i64);
        for leaf in merged(&self.plain("left inverse")?) {
            match leaf.stride {
                0 => return Err(LayoutError::NotInjective { mode: leaf }),
                ..0 => return Err(LayoutError::Negative { mode: leaf, operation: "left inverse" }),
                _ => modes.push((leaf, before)),
            }
            before = before.saturating_mul(leaf.size);
        }
        modes.sort_by_key(|(leaf, _)| leaf.stride);
        let (mut out, mut reach) = (Vec::new(), 1_i64);
        for (mode, number) in modes {
            let gap =
                mode.stride.checked_div(reach).filter(|gap| *gap > 0 && gap.checked_mul(reach) == Some(mode.stride));
            let gap = gap.ok_or(LayoutError::Complement { mode, reach })?;
            out.push(Leaf { size: gap, stride: 0 });
            out.push(Leaf { size: mode.size, stride: number });
            reach = mode.stride.checked_mul(mode.size).ok_or(LayoutError::Overflow { what: "an index" })?;
        }
        Layout::checked(Mode::of_leaves(&merged(&out)), Vec::new())
    }

    /// The least and the greatest index.
    ///
    /// # Errors
    /// [`LayoutError::Undecided`] for a swizzled layout with more than [`MAX_COORDINATES`](super::MAX_COORDINATES)
    /// coordinates whose indices have gaps.
    pub fn reach(&self) -> Result<(i64, i64), LayoutError> {
        if self.swizzles_exchange() {
            return Ok(self.reach_behind_swizzles());
        }
        looked_at("how far the indices reach", self.size())?;
        let all = self.indices()?;
        Ok((all.iter().min().copied().unwrap_or(0), all.iter().max().copied().unwrap_or(0)))
    }

    fn reach_behind_swizzles(&self) -> (i64, i64) {
        let (mut least, mut most) = (0_i64, 0_i64);
        for leaf in self.leaves() {
            // the product does not overflow, because it is within the checked reach of the layout
            let far = (leaf.size - 1) * leaf.stride;
            (least, most) = (least + far.min(0), most + far.max(0));
        }
        (least, most)
    }

    /// Whether the swizzles only permute the indices. This holds without swizzles. It also holds if the indices before
    /// the swizzles are all numbers below some `end`, and `end` is a multiple of `2^b` for the highest bit `b - 1` of
    /// each swizzle.
    fn swizzles_exchange(&self) -> bool {
        let end = self.reach_behind_swizzles().1.unsigned_abs() + 1;
        // the number of bits up to the highest bit that a swizzle reads or changes
        let bits = |s: &Swizzle| s.base() + s.bits() + s.shift().unsigned_abs();
        let all = |s: &Swizzle| end.trailing_zeros() >= bits(s);
        self.swizzles.is_empty() || gapless(&self.leaves()) && self.swizzles.iter().all(all)
    }

    /// The span of the indices: the greatest index minus the least index, plus 1.
    ///
    /// # Errors
    /// The errors of [`Layout::reach`].
    pub fn cosize(&self) -> Result<i64, LayoutError> {
        let (least, most) = self.reach()?;
        let room = most.checked_sub(least).and_then(|room| room.checked_add(1));
        room.ok_or(LayoutError::Overflow { what: "the cosize" })
    }

    /// Whether all coordinates have different indices.
    ///
    /// # Errors
    /// [`LayoutError::Undecided`] if strides overlap and there are more than [`MAX_COORDINATES`](super::MAX_COORDINATES)
    /// coordinates.
    pub fn is_injective(&self) -> Result<bool, LayoutError> {
        // swizzles permute indices, so they can be ignored
        let mut leaves = merged(&self.leaves());
        leaves.sort_by_key(|leaf| leaf.stride.unsigned_abs());
        let mut reach = 0_u64;
        let mut ascends = true;
        for (at, leaf) in leaves.iter().enumerate() {
            let stride = leaf.stride.unsigned_abs();
            if stride == 0 || leaves[..at].iter().any(|other| meet(leaf, other)) {
                return Ok(false);
            }
            ascends &= stride > reach;
            // the sum does not overflow, because it is within the checked reach of the layout
            reach = reach.saturating_add(leaf.size.unsigned_abs().saturating_sub(1).saturating_mul(stride));
        }
        if ascends {
            return Ok(true);
        }
        looked_at("whether different coordinates have different indices", self.size())?;
        let mut all = self.without_swizzles().indices()?;
        all.sort_unstable();
        Ok(all.windows(2).all(|pair| pair[0] != pair[1]))
    }

    /// Whether the indices have no gaps: each number from the least to the greatest index is reached.
    ///
    /// # Errors
    /// The errors of [`Layout::reach`].
    pub fn is_surjective(&self) -> Result<bool, LayoutError> {
        if self.swizzles_exchange() {
            return Ok(gapless(&self.leaves()));
        }
        let (least, most) = self.reach()?;
        looked_at("whether all numbers are indices", self.size())?;
        let mut all = self.indices()?;
        all.sort_unstable();
        all.dedup();
        Ok(i64::try_from(all.len()).ok() == (most - least).checked_add(1))
    }
}

/// Whether two modes have a common index other than 0.
fn meet(a: &Leaf, b: &Leaf) -> bool {
    let (x, y) = (a.stride.unsigned_abs(), b.stride.unsigned_abs());
    let common = gcd(x, y);
    let [by_a, by_b] = [y, x].map(|n| n.checked_div(common).unwrap_or(0));
    by_a < a.size.unsigned_abs() && by_b < b.size.unsigned_abs()
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

/// Whether the indices have no gap: by ascending strides, no stride exceeds the number of indices that the smaller
/// strides reach.
fn gapless(leaves: &[Leaf]) -> bool {
    let mut leaves: Vec<Leaf> = leaves.iter().copied().filter(|leaf| leaf.size > 1).collect();
    leaves.sort_by_key(|leaf| leaf.stride.unsigned_abs());
    let mut reach = 0_u64;
    leaves.iter().all(|leaf| {
        let fits = leaf.stride.unsigned_abs() <= reach + 1;
        reach += leaf.size.abs_diff(1) * leaf.stride.unsigned_abs();
        fits
    })
}
