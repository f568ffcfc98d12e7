//! Composition of layouts.

use super::divide::Tiled;
use super::error::LayoutError;
use super::fit::fitted;
use super::leaf::Leaf;
use super::tree::{Layout, digits, merged, value};

impl Layout {
    /// This layout after `inner`: the layout with `self.compose(&inner)?.at(c) == self.at(inner.at(c))` for each `c`
    /// below the size of `inner`. Modes of `inner` are kept, and are split where this layout changes its stride.
    ///
    /// An index of `inner` may reach the size of this layout. The part beyond the size then continues the last mode of
    /// this layout, as in [`Layout::at`].
    ///
    /// ```
    /// use quaff_fronts::layout::Layout;
    ///
    /// let (a, b): (Layout, Layout) = ("(10,2):(16,4)".parse()?, "(3,4):(1,5)".parse()?);
    /// assert_eq!(a.compose(&b)?.to_string(), "(3,(2,2)):(16,(80,4))");
    ///
    /// let (a, b): (Layout, Layout) = ("(4,6,8):(2,3,5)".parse()?, "6:3".parse()?);
    /// let error = a.compose(&b).unwrap_err();
    /// assert!(error.to_string().contains("at coordinate 4 the index is 9"), "{error}");
    /// # Ok::<(), quaff_fronts::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors are:
    ///
    /// - [`LayoutError::NoLayout`] with a coordinate at which no layout of these modes has the index;
    /// - [`LayoutError::Swizzled`] if `inner` has swizzles and this layout is not a single stride of 1;
    /// - [`LayoutError::Undecided`] if more than [`MAX_COORDINATES`](super::MAX_COORDINATES) coordinates have to be
    ///   enumerated;
    /// - [`LayoutError::Overflow`] for an index of more than 64 bits.
    ///
    /// The time is linear in the number of modes of both layouts, or in the number of coordinates if they have to be
    /// enumerated.
    pub fn compose(&self, inner: &Layout) -> Result<Layout, LayoutError> {
        let left = merged(&self.leaves());
        let is_identity = matches!(left[..], [Leaf { stride: 1, .. }]);
        if !inner.swizzles.is_empty() && !is_identity {
            return Err(LayoutError::Swizzled { operation: "composition" });
        }
        let mut swizzles = self.swizzles.clone();
        swizzles.extend(&inner.swizzles);
        let leaves = inner.leaves();
        let parts = match by_digits(&left, &leaves) {
            Some(parts) => parts,
            None => by_values(&left, &leaves)?,
        };
        Layout::checked(inner.mode.replaced(&mut parts.into_iter()), swizzles)
    }

    /// Composes each mode of this layout with the layout at the same position of `inner`. Modes of this layout without
    /// such a layout stay unchanged.
    ///
    /// # Errors
    /// The errors of [`Layout::compose`], and [`LayoutError::Rank`] for more layouts than modes.
    pub fn compose_modes(&self, inner: &[Layout]) -> Result<Layout, LayoutError> {
        self.modes_after(inner)
    }
}

/// For each mode of `inner`, the modes of its composition with `left`, if no sum of digits exceeds a mode of `left`.
/// The index of a sum is then the sum of the indices. `None` if some sum exceeds a mode, or if a mode cannot be split.
fn by_digits(left: &[Leaf], inner: &[Leaf]) -> Option<Vec<Vec<Leaf>>> {
    let mut most = vec![0_i64; left.len()];
    let mut all = Vec::new();
    for leaf in inner {
        let mut parts = Vec::new();
        let Leaf { size: mut rest, stride: mut step } = *leaf;
        while rest > 1 {
            let digits = digits(left, step);
            let ends = ends(left, &digits).map_or(rest, |(_, ends)| ends.min(rest));
            if ends < 2 || rest.checked_rem(ends)? != 0 {
                return None;
            }
            parts.push(Leaf { size: ends, stride: value(left, step)? });
            for (most, digit) in most.iter_mut().zip(&digits) {
                *most = most.checked_add(digit.checked_mul(ends - 1)?)?;
            }
            rest = rest.checked_div(ends)?;
            step = if rest > 1 { step.checked_mul(ends)? } else { step };
        }
        all.push(parts);
    }
    let last = left.len().saturating_sub(1);
    let fits = left.iter().zip(&most).take(last).all(|(leaf, most)| *most < leaf.size);
    fits.then_some(all)
}

/// The mode that multiples of `digits` exceed first, and the first multiple that exceeds it. The last mode is
/// unbounded.
fn ends(left: &[Leaf], digits: &[i64]) -> Option<(Leaf, i64)> {
    let inner = left.len().saturating_sub(1);
    let all = left.iter().zip(digits).take(inner).filter(|(_, digit)| **digit > 0);
    // a size is at least 2, and a digit at least 1
    let all = all.filter_map(|(leaf, digit)| Some((*leaf, (leaf.size - 1).checked_div(*digit)? + 1)));
    all.min_by_key(|(_, multiple)| *multiple)
}

/// For each mode of `inner`, the modes of its composition with `left`, found by enumerating all coordinates. The result
/// is exact.
fn by_values(left: &[Leaf], inner: &[Leaf]) -> Result<Vec<Vec<Leaf>>, LayoutError> {
    let sizes: Vec<i64> = inner.iter().map(|leaf| leaf.size).collect();
    let reached = |at: &[i64]| -> i64 { inner.iter().zip(at).map(|(leaf, c)| leaf.stride * c).sum() };
    let overflow = || LayoutError::Overflow { what: "an index" };
    let found = fitted(&sizes, |at| value(left, reached(at)).ok_or_else(overflow));
    found.map_err(|error| match error {
        LayoutError::NoLayout { at, index, expected, .. } => {
            // the first mode whose size the sum of the digits exceeds
            let mut most = vec![0_i64; left.len()];
            for (leaf, c) in inner.iter().zip(&at).filter(|(_, c)| **c != 0) {
                for (most, digit) in most.iter_mut().zip(digits(left, leaf.stride)) {
                    *most = most.saturating_add(digit.saturating_mul(*c));
                }
            }
            let last = left.len().saturating_sub(1);
            let left = left.iter().zip(most).take(last).find(|(leaf, most)| *most >= leaf.size);
            LayoutError::NoLayout { at, index, expected, left: left.map(|(leaf, _)| *leaf) }
        }
        // too many coordinates: an error may still follow from one mode of `inner` alone
        LayoutError::Undecided { .. } => first_misfit(left, inner).unwrap_or(error),
        other => other,
    })
}

/// The error if the multiples of one mode of `inner` exceed a mode of `left` at a position that does not divide its
/// size.
fn first_misfit(left: &[Leaf], inner: &[Leaf]) -> Option<LayoutError> {
    for (axis, leaf) in inner.iter().enumerate() {
        let (mode, ends) = ends(left, &digits(left, leaf.stride))?;
        let index = value(left, leaf.stride.checked_mul(ends)?)?;
        let expected = value(left, leaf.stride)?.checked_mul(ends)?;
        if ends < leaf.size && leaf.size.checked_rem(ends)? != 0 && index != expected {
            let mut at = vec![0; inner.len()];
            at[axis] = ends;
            return Some(LayoutError::NoLayout { at, index, expected, left: Some(mode) });
        }
    }
    None
}
