//! [`Layout`]: sizes and strides in nested tuples, followed by swizzles.

use super::error::LayoutError;
use super::leaf::Leaf;
use super::mode::Mode;
use crate::banks::Swizzle;
use quaff::integer::{floor_div, floor_mod};
use std::fmt;

/// The most leaves of one layout.
pub const MAX_LEAVES: usize = 128;
/// The deepest nesting of tuples.
pub const MAX_DEPTH: usize = 16;
/// The most swizzles of one layout.
pub const MAX_SWIZZLES: usize = 16;
/// The most coordinates that are enumerated: 2^20.
pub const MAX_COORDINATES: i64 = 1 << 20;

/// A layout `shape:stride` of CuTe. A coordinate has the index `sum(coordinate * stride)`, to which the swizzles are
/// applied.
///
/// Sizes are at least 1, and strides are any integers. A single number for all modes counts through the leftmost mode
/// fastest. If this number is not below the size of the layout, the last mode with a size other than 1 continues beyond
/// its size, as in CuTe.
///
/// `==` compares sizes, strides and nesting. [`Layout::coalesce`] returns equal layouts for all layouts with the same
/// indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    pub(super) mode: Mode,
    /// The swizzles. The swizzle that is applied last comes first.
    pub(super) swizzles: Vec<Swizzle>,
}

impl Layout {
    /// The layout of `mode` and `swizzles`, after a check of their numbers.
    pub(super) fn checked(mode: Mode, swizzles: Vec<Swizzle>) -> Result<Layout, LayoutError> {
        let leaves = within_limits(&mode, &swizzles)?;
        let (mut size, mut reach) = (1_i64, 0_i64);
        for leaf in &leaves {
            if leaf.size < 1 {
                return Err(LayoutError::Size { size: leaf.size });
            }
            if leaf.stride < 0 && !swizzles.is_empty() {
                return Err(LayoutError::Negative { mode: *leaf, operation: "swizzle" });
            }
            size = size.checked_mul(leaf.size).ok_or(LayoutError::Overflow { what: "the size" })?;
            let far = leaf.stride.checked_abs().and_then(|stride| (leaf.size - 1).checked_mul(stride));
            reach = far.and_then(|far| reach.checked_add(far)).ok_or(LayoutError::Overflow { what: "an index" })?;
        }
        // the greatest index plus 1 must fit 64 bits, too
        if reach == i64::MAX {
            return Err(LayoutError::Overflow { what: "an index" });
        }
        Ok(Layout { mode, swizzles })
    }

    /// The layout `size:stride`.
    ///
    /// # Errors
    /// [`LayoutError::Size`] for a size below 1, and [`LayoutError::Overflow`] for an index of more than 64 bits.
    pub fn new(size: i64, stride: i64) -> Result<Layout, LayoutError> {
        Layout::checked(Mode::leaf(size, stride), Vec::new())
    }

    /// The tuple of `modes`, which must have no swizzles: `4:1` and `(2,2):(8,4)` give `(4,(2,2)):(1,(8,4))`.
    ///
    /// # Errors
    /// [`LayoutError::Limit`] for no modes, for more than [`MAX_LEAVES`] leaves, and for deeper nesting than
    /// [`MAX_DEPTH`]. [`LayoutError::Overflow`] for an index of more than 64 bits. [`LayoutError::Swizzled`] for a mode
    /// with swizzles.
    pub fn of_modes(modes: &[Layout]) -> Result<Layout, LayoutError> {
        if modes.iter().any(|mode| !mode.swizzles.is_empty()) {
            return Err(LayoutError::Swizzled { operation: "tuple" });
        }
        Layout::checked(Mode::Group(modes.iter().map(|m| m.mode.clone()).collect()), Vec::new())
    }

    /// The layout of `sizes` whose first size is contiguous in memory: `(4,8):(1,4)`.
    ///
    /// # Errors
    /// The errors of [`Layout::of_modes`], and [`LayoutError::Size`] for a size below 1.
    pub fn column_major(sizes: &[i64]) -> Result<Layout, LayoutError> {
        let order: Vec<usize> = (0..sizes.len()).collect();
        Layout::compact(sizes, &order)
    }

    /// The layout of `sizes` whose last size is contiguous in memory: `(4,8):(8,1)`.
    ///
    /// # Errors
    /// The errors of [`Layout::column_major`].
    pub fn row_major(sizes: &[i64]) -> Result<Layout, LayoutError> {
        let order: Vec<usize> = (0..sizes.len()).rev().collect();
        Layout::compact(sizes, &order)
    }

    /// The layout of `sizes` with contiguous strides that grow in the given order of modes.
    fn compact(sizes: &[i64], order: &[usize]) -> Result<Layout, LayoutError> {
        let (mut strides, mut stride) = (vec![0; sizes.len()], 1_i64);
        for &at in order {
            strides[at] = stride;
            stride = stride.checked_mul(sizes[at]).ok_or(LayoutError::Overflow { what: "the size" })?;
        }
        let modes = sizes.iter().zip(strides).map(|(size, stride)| Mode::leaf(*size, stride)).collect();
        Layout::checked(Mode::Group(modes), Vec::new())
    }

    /// The layout with `swizzle` applied after its present swizzles. Two equal swizzles in a row cancel.
    ///
    /// # Errors
    /// [`LayoutError::Negative`] for a negative stride, and [`LayoutError::Limit`] for more than [`MAX_SWIZZLES`]
    /// swizzles.
    pub fn swizzled(&self, swizzle: Swizzle) -> Result<Layout, LayoutError> {
        Layout::checked(self.mode.clone(), swizzled(self.swizzles.clone(), swizzle))
    }

    /// The swizzles. The first one is applied last.
    pub fn swizzles(&self) -> &[Swizzle] {
        &self.swizzles
    }

    /// The layout without its swizzles.
    pub fn without_swizzles(&self) -> Layout {
        Layout { mode: self.mode.clone(), swizzles: Vec::new() }
    }

    /// The leaves of the layout, or an error if it has swizzles.
    pub(super) fn plain(&self, operation: &'static str) -> Result<Vec<Leaf>, LayoutError> {
        if self.swizzles.is_empty() { Ok(self.leaves()) } else { Err(LayoutError::Swizzled { operation }) }
    }

    /// The modes of the outermost tuple, without the swizzles. A layout that is no tuple is its only mode.
    pub fn modes(&self) -> Vec<Layout> {
        self.mode_list().iter().map(|mode| Layout { mode: mode.clone(), swizzles: Vec::new() }).collect()
    }

    pub(super) fn mode_list(&self) -> &[Mode] {
        self.mode.list()
    }

    /// The number of modes.
    pub fn rank(&self) -> usize {
        self.mode_list().len()
    }

    /// The size of each mode.
    pub fn sizes(&self) -> Vec<i64> {
        // no product overflows, because it divides the checked size of the layout
        self.mode_list().iter().map(|mode| mode.leaves().iter().map(|l| l.size).product()).collect()
    }

    /// The sizes and strides without tuples, the fastest first.
    pub fn leaves(&self) -> Vec<Leaf> {
        self.mode.leaves()
    }

    /// The number of coordinates.
    pub fn size(&self) -> i64 {
        self.sizes().iter().product()
    }

    /// The layout with the same indices and a single flat tuple.
    pub fn flatten(&self) -> Layout {
        Layout { mode: Mode::of_leaves(&self.leaves()), swizzles: self.swizzles.clone() }
    }

    /// The layout with the fewest modes that has the same index for each coordinate, written as a single number.
    /// Neighbours that can be merged are joined, and sizes of 1 are dropped.
    ///
    /// Two layouts have the same indices exactly when their coalesced layouts are equal.
    pub fn coalesce(&self) -> Layout {
        Layout { mode: Mode::of_leaves(&merged(&self.leaves())), swizzles: self.swizzles.clone() }
    }

    /// The layout in which each mode is coalesced separately.
    pub fn coalesce_modes(&self) -> Layout {
        let mode = match &self.mode {
            Mode::Group(modes) => Mode::Group(modes.iter().map(|m| Mode::of_leaves(&merged(&m.leaves()))).collect()),
            leaf => leaf.clone(),
        };
        Layout { mode, swizzles: self.swizzles.clone() }
    }

    /// The index of the number `c`, which counts through the leftmost mode fastest. `None` if the index exceeds 64
    /// bits.
    ///
    /// If `c` is [`Layout::size`] or more, the last mode with a size other than 1 continues beyond its size. For a
    /// negative `c`, the digit of this mode is negative.
    pub fn at(&self, c: i64) -> Option<i64> {
        let index = value(&merged(&self.leaves()), c)?;
        Some(self.swizzle(index))
    }

    /// The index of a coordinate with one number for each mode. `None` if the number of coordinates differs from the
    /// number of modes, or the index exceeds 64 bits.
    pub fn at_coordinate(&self, coordinate: &[i64]) -> Option<i64> {
        let modes = self.mode_list();
        if coordinate.len() != modes.len() {
            return None;
        }
        let mut index = 0_i64;
        for (mode, c) in modes.iter().zip(coordinate) {
            index = index.checked_add(value(&merged(&mode.leaves()), *c)?)?;
        }
        Some(self.swizzle(index))
    }

    pub(super) fn swizzle(&self, index: i64) -> i64 {
        self.swizzles.iter().rev().fold(index, |index, swizzle| swizzle.apply(index))
    }

    /// The index of each number below [`Layout::size`].
    ///
    /// # Errors
    /// [`LayoutError::Undecided`] for more than [`MAX_COORDINATES`] coordinates.
    pub fn indices(&self) -> Result<Vec<i64>, LayoutError> {
        looked_at("what the indices are", self.size())?;
        let mut all = vec![0_i64];
        for leaf in self.leaves() {
            let before = all.clone();
            // no sum overflows, because it is within the checked reach of the layout
            all.extend((1..leaf.size).flat_map(|c| before.iter().map(move |index| index + c * leaf.stride)));
        }
        all.iter_mut().for_each(|index| *index = self.swizzle(*index));
        Ok(all)
    }
}

/// The leaves of a mode, or an error if it exceeds a limit.
pub(super) fn within_limits<N: Clone + From<i64>>(
    mode: &Mode<N>,
    swizzles: &[Swizzle],
) -> Result<Vec<Leaf<N>>, LayoutError> {
    let limit = |what, count, limit| match (1..=limit).contains(&count) {
        true => Ok(()),
        false => Err(LayoutError::Limit { what, count, limit }),
    };
    limit("tuples in one another", mode.depth() + 1, MAX_DEPTH + 1)?;
    let leaves = mode.leaves();
    limit("modes", leaves.len(), MAX_LEAVES)?;
    limit("swizzles", swizzles.len() + 1, MAX_SWIZZLES + 1)?;
    Ok(leaves)
}

/// The swizzles with `swizzle` applied after `swizzles`. Two equal swizzles in a row cancel.
pub(super) fn swizzled(mut swizzles: Vec<Swizzle>, swizzle: Swizzle) -> Vec<Swizzle> {
    match swizzles.first() {
        Some(first) if *first == swizzle => {
            swizzles.remove(0);
        }
        _ => swizzles.insert(0, swizzle),
    }
    swizzles
}

/// Returns an error if `count` exceeds the limit of enumerated coordinates.
pub(super) fn looked_at(what: &'static str, count: i64) -> Result<(), LayoutError> {
    let limit = MAX_COORDINATES;
    if count <= limit { Ok(()) } else { Err(LayoutError::Undecided { what, count, limit }) }
}

/// The leaves with a size other than 1, with mergeable neighbours joined.
pub(super) fn merged(leaves: &[Leaf]) -> Vec<Leaf> {
    let mut out: Vec<Leaf> = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.size != 1) {
        match out.last_mut() {
            // the product of sizes does not overflow, because the size of the layout is checked
            Some(last) if last.size.checked_mul(last.stride) == Some(leaf.stride) => last.size *= leaf.size,
            _ => out.push(*leaf),
        }
    }
    out
}

/// The digits of `c` in the mixed radix of the sizes. The last digit is unbounded.
pub(super) fn digits(leaves: &[Leaf], mut c: i64) -> Vec<i64> {
    let mut out = Vec::with_capacity(leaves.len());
    for (at, leaf) in leaves.iter().enumerate() {
        if at + 1 == leaves.len() {
            out.push(c);
        } else {
            // both fit 64 bits: the remainder is less than the size, and the quotient is not further from 0 than the
            // dividend
            out.push(i64::try_from(floor_mod(c.into(), leaf.size.into())).unwrap_or(0));
            c = i64::try_from(floor_div(c.into(), leaf.size.into())).unwrap_or(0);
        }
    }
    out
}

/// The index of the number `c` in merged modes.
pub(super) fn value(leaves: &[Leaf], c: i64) -> Option<i64> {
    let mut index = 0_i64;
    for (leaf, digit) in leaves.iter().zip(digits(leaves, c)) {
        index = index.checked_add(digit.checked_mul(leaf.stride)?)?;
    }
    Some(index)
}

impl fmt::Display for Layout {
    /// Writes the notation of CuTe, with the swizzles first: `Swizzle<3, 3, 3> o (8,64):(64,1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for swizzle in &self.swizzles {
            write!(f, "{swizzle} o ")?;
        }
        write!(f, "{}", self.mode)
    }
}
