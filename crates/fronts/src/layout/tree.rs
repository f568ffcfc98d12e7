//! [`Layout`]: sizes and strides in nested tuples, behind swizzles.

use super::error::LayoutError;
use super::leaf::Leaf;
use super::mode::Mode;
use crate::banks::Swizzle;
use quaff::integer::{floor_div, floor_mod};
use std::fmt;

/// Modes without parts in one layout, at most.
pub const MAX_LEAVES: usize = 128;
/// Tuples in one another, at most.
pub const MAX_DEPTH: usize = 16;
/// Swizzles before one layout, at most.
pub const MAX_SWIZZLES: usize = 16;
/// Coordinates that are looked at one by one, at most: 2^20.
pub const MAX_COORDINATES: i64 = 1 << 20;

/// A layout `shape:stride` of CuTe: a coordinate has the index `sum(coordinate * stride)`, changed by the swizzles before it.
///
/// Sizes are at least 1, strides are any integers. One number for all modes counts through the leftmost mode fastest. Where such a number is the
/// size of the layout or more, the last mode of a size other than 1 goes on, as it does in CuTe.
///
/// Two layouts are equal when they are written alike. [`Layout::coalesce`] is the same for all layouts that have the same indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    pub(super) mode: Mode,
    /// The one that is applied last comes first.
    pub(super) swizzles: Vec<Swizzle>,
}

impl Layout {
    /// A layout whose numbers are checked.
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
        // one more than the greatest index is a number, too
        if reach == i64::MAX {
            return Err(LayoutError::Overflow { what: "an index" });
        }
        Ok(Layout { mode, swizzles })
    }

    /// `size:stride`.
    ///
    /// # Errors
    /// [`LayoutError::Size`], and [`LayoutError::Overflow`] for an index of more than 64 bits.
    pub fn new(size: i64, stride: i64) -> Result<Layout, LayoutError> {
        Layout::checked(Mode::leaf(size, stride), Vec::new())
    }

    /// The tuple of `modes`, which have no swizzles: `4:1` and `(2,2):(8,4)` are `(4,(2,2)):(1,(8,4))`.
    ///
    /// # Errors
    /// [`LayoutError::Limit`] for no modes, or more than [`MAX_LEAVES`] or [`MAX_DEPTH`] allow; [`LayoutError::Overflow`];
    /// [`LayoutError::Swizzled`].
    pub fn of_modes(modes: &[Layout]) -> Result<Layout, LayoutError> {
        if modes.iter().any(|mode| !mode.swizzles.is_empty()) {
            return Err(LayoutError::Swizzled { operation: "tuple" });
        }
        Layout::checked(Mode::Group(modes.iter().map(|m| m.mode.clone()).collect()), Vec::new())
    }

    /// Sizes whose first one is innermost in memory: `(4,8):(1,4)`.
    ///
    /// # Errors
    /// As [`Layout::of_modes`], and [`LayoutError::Size`].
    pub fn column_major(sizes: &[i64]) -> Result<Layout, LayoutError> {
        let order: Vec<usize> = (0..sizes.len()).collect();
        Layout::compact(sizes, &order)
    }

    /// Sizes whose last one is innermost in memory: `(4,8):(8,1)`.
    ///
    /// # Errors
    /// As [`Layout::column_major`].
    pub fn row_major(sizes: &[i64]) -> Result<Layout, LayoutError> {
        let order: Vec<usize> = (0..sizes.len()).rev().collect();
        Layout::compact(sizes, &order)
    }

    /// Strides that grow in the order given.
    fn compact(sizes: &[i64], order: &[usize]) -> Result<Layout, LayoutError> {
        let (mut strides, mut stride) = (vec![0; sizes.len()], 1_i64);
        for &at in order {
            strides[at] = stride;
            stride = stride.checked_mul(sizes[at]).ok_or(LayoutError::Overflow { what: "the size" })?;
        }
        let modes = sizes.iter().zip(strides).map(|(size, stride)| Mode::leaf(*size, stride)).collect();
        Layout::checked(Mode::Group(modes), Vec::new())
    }

    /// `swizzle` after the swizzles and the layout that there are. Two equal ones in a row are none.
    ///
    /// # Errors
    /// [`LayoutError::Negative`] for a negative stride; [`LayoutError::Limit`] for more than [`MAX_SWIZZLES`].
    pub fn swizzled(&self, swizzle: Swizzle) -> Result<Layout, LayoutError> {
        Layout::checked(self.mode.clone(), swizzled(self.swizzles.clone(), swizzle))
    }

    /// The swizzles, of which the first one is applied last.
    pub fn swizzles(&self) -> &[Swizzle] {
        &self.swizzles
    }

    /// The layout behind the swizzles.
    pub fn without_swizzles(&self) -> Layout {
        Layout { mode: self.mode.clone(), swizzles: Vec::new() }
    }

    /// The layout behind the swizzles of another one.
    pub(super) fn plain(&self, operation: &'static str) -> Result<Vec<Leaf>, LayoutError> {
        if self.swizzles.is_empty() { Ok(self.leaves()) } else { Err(LayoutError::Swizzled { operation }) }
    }

    /// The modes: those of the outermost tuple, or the layout itself. Without the swizzles.
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
        // a part of a product that was checked
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

    /// The same indices in one tuple without tuples in it.
    pub fn flatten(&self) -> Layout {
        Layout { mode: Mode::of_leaves(&self.leaves()), swizzles: self.swizzles.clone() }
    }

    /// The fewest modes with the same index for each number: neighbours that are one mode are joined, and sizes of 1 are left out.
    ///
    /// Two layouts have the same indices exactly when they are equal after it.
    pub fn coalesce(&self) -> Layout {
        Layout { mode: Mode::of_leaves(&merged(&self.leaves())), swizzles: self.swizzles.clone() }
    }

    /// Each mode by itself with the fewest modes.
    pub fn coalesce_modes(&self) -> Layout {
        let mode = match &self.mode {
            Mode::Group(modes) => Mode::Group(modes.iter().map(|m| Mode::of_leaves(&merged(&m.leaves()))).collect()),
            leaf => leaf.clone(),
        };
        Layout { mode, swizzles: self.swizzles.clone() }
    }

    /// The index of number `c`, which counts through the leftmost mode fastest; `None` for one that leaves 64 bits.
    ///
    /// From [`Layout::size`] on, the last mode of a size other than 1 goes on; a negative `c` has negative digits in that mode.
    pub fn at(&self, c: i64) -> Option<i64> {
        let index = value(&merged(&self.leaves()), c)?;
        Some(self.swizzle(index))
    }

    /// The index of a coordinate, one number for each mode; `None` for another count of them, and for one that leaves 64 bits.
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
    /// [`LayoutError::Undecided`] for more than [`MAX_COORDINATES`].
    pub fn indices(&self) -> Result<Vec<i64>, LayoutError> {
        looked_at("what the indices are", self.size())?;
        let mut all = vec![0_i64];
        for leaf in self.leaves() {
            let before = all.clone();
            // the product is the size, and every sum is in reach
            all.extend((1..leaf.size).flat_map(|c| before.iter().map(move |index| index + c * leaf.stride)));
        }
        all.iter_mut().for_each(|index| *index = self.swizzle(*index));
        Ok(all)
    }
}

/// The leaves of a mode that is not too large.
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

/// `swizzle` after `swizzles`. Two equal ones in a row are none.
pub(super) fn swizzled(mut swizzles: Vec<Swizzle>, swizzle: Swizzle) -> Vec<Swizzle> {
    match swizzles.first() {
        Some(first) if *first == swizzle => {
            swizzles.remove(0);
        }
        _ => swizzles.insert(0, swizzle),
    }
    swizzles
}

/// That `count` coordinates may be looked at.
pub(super) fn looked_at(what: &'static str, count: i64) -> Result<(), LayoutError> {
    let limit = MAX_COORDINATES;
    if count <= limit { Ok(()) } else { Err(LayoutError::Undecided { what, count, limit }) }
}

/// Sizes other than 1, with neighbours that are one mode joined.
pub(super) fn merged(leaves: &[Leaf]) -> Vec<Leaf> {
    let mut out: Vec<Leaf> = Vec::new();
    for leaf in leaves.iter().filter(|leaf| leaf.size != 1) {
        match out.last_mut() {
            // a product of sizes that was checked
            Some(last) if last.size.checked_mul(last.stride) == Some(leaf.stride) => last.size *= leaf.size,
            _ => out.push(*leaf),
        }
    }
    out
}

/// The digits of `c` in the sizes, of which the last one has no end.
pub(super) fn digits(leaves: &[Leaf], mut c: i64) -> Vec<i64> {
    let mut out = Vec::with_capacity(leaves.len());
    for (at, leaf) in leaves.iter().enumerate() {
        if at + 1 == leaves.len() {
            out.push(c);
        } else {
            // between 0 and the size; a quotient is no further from 0 than what is divided
            out.push(i64::try_from(floor_mod(c.into(), leaf.size.into())).unwrap_or(0));
            c = i64::try_from(floor_div(c.into(), leaf.size.into())).unwrap_or(0);
        }
    }
    out
}

/// The index of number `c` of joined modes.
pub(super) fn value(leaves: &[Leaf], c: i64) -> Option<i64> {
    let mut index = 0_i64;
    for (leaf, digit) in leaves.iter().zip(digits(leaves, c)) {
        index = index.checked_add(digit.checked_mul(leaf.stride)?)?;
    }
    Some(index)
}

impl fmt::Display for Layout {
    /// As CuTe writes it, with the swizzles before it: `Swizzle<3, 3, 3> o (8,64):(64,1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for swizzle in &self.swizzles {
            write!(f, "{swizzle} o ")?;
        }
        write!(f, "{}", self.mode)
    }
}
