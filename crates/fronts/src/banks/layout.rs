//! [`Layout`]: where the elements of a tile stand.

use super::error::BankError;
use super::memory::is_width;
use super::swizzle::Swizzle;
use quaff::expr::{Expr, int};
use quaff::integer::{floor_div, floor_mod};
use std::fmt;

/// Rows and columns of a tile, at most.
const SIDE: u32 = 1 << 16;

/// A tile of `rows` by `cols` elements of `bytes` bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    pub(super) rows: u32,
    pub(super) cols: u32,
    pub(super) bytes: u32,
}

impl Tile {
    /// `rows` by `cols` (1 to 65,536 each) elements of 1, 2, 4, 8 or 16 bytes.
    ///
    /// # Errors
    /// [`BankError::Tile`], [`BankError::Width`].
    pub fn new(rows: u32, cols: u32, bytes: u32) -> Result<Tile, BankError> {
        if !(1..=SIDE).contains(&rows) || !(1..=SIDE).contains(&cols) {
            return Err(BankError::Tile { rows, cols });
        }
        if is_width(bytes) {
            Ok(Tile { rows, cols, bytes })
        } else {
            Err(BankError::Width { what: "an element", bytes })
        }
    }

    /// Rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> u32 {
        self.cols
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

/// Where the element of a row and a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// Row after row, with so many elements between them that nothing uses; 0 for none.
    Padding(u32),
    /// `row*cols + (col ^ row//2^skip % 2^bits * 2^base)`: groups of `2^base` columns change places by bits of the row.
    Xor {
        /// Bits of the row that are used; at least 1.
        bits: u32,
        /// The lowest bit of the column that changes.
        base: u32,
        /// Low bits of the row that are left out.
        skip: u32,
    },
}

impl Layout {
    /// The number of the element at `row` and `col` of `tile`, which are not negative.
    pub fn element(&self, tile: &Tile, row: i64, col: i64) -> i128 {
        let (row, cols) = (i128::from(row), i128::from(tile.cols));
        match *self {
            Layout::Padding(by) => row * (cols + i128::from(by)) + i128::from(col),
            Layout::Xor { bits, base, skip } => {
                let read = floor_mod(floor_div(row, power(skip)), power(bits));
                row * cols + (i128::from(col) ^ (read * power(base)))
            }
        }
    }

    /// [`Layout::element`] as an expression, to be simplified.
    pub fn index(&self, tile: &Tile, row: &Expr, col: &Expr) -> Expr {
        let constant = |c: i128| int(i64::try_from(c).unwrap_or(i64::MAX));
        match *self {
            Layout::Padding(by) => row * constant(i128::from(tile.cols) + i128::from(by)) + col,
            Layout::Xor { bits, base, skip } => {
                let from = if skip == 0 { row.clone() } else { row.floor_div(constant(power(skip))) };
                let read = from.floor_mod(constant(power(bits)));
                let read = if base == 0 { read } else { read * constant(power(base)) };
                row * constant(tile.cols.into()) + (col ^ read)
            }
        }
    }

    /// Bytes of the whole tile, those that nothing uses among them.
    pub fn bytes(&self, tile: &Tile) -> u64 {
        let padding = if let Layout::Padding(by) = self { *by } else { 0 };
        u64::from(tile.rows) * (u64::from(tile.cols) + u64::from(padding)) * u64::from(tile.bytes)
    }

    /// The swizzle of the number of an element that the layout is: for a number of columns that is a power of two.
    pub fn swizzle(&self, tile: &Tile) -> Option<Swizzle> {
        let Layout::Xor { bits, base, skip } = *self else { return None };
        let distance = tile.cols.is_power_of_two().then(|| tile.cols.ilog2().checked_add(skip))??.checked_sub(base)?;
        Swizzle::new(bits, base, i32::try_from(distance).ok()?).ok()
    }
}

/// `2^bits`, at most 2^62.
fn power(bits: u32) -> i128 {
    1 << bits.min(62)
}

impl fmt::Display for Layout {
    /// `padding 1`, `no padding`, or `xor of 3 bits from bit 3 on with row bits from 0 on`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Layout::Padding(0) => f.write_str("no padding"),
            Layout::Padding(by) => write!(f, "padding {by}"),
            Layout::Xor { bits: 1, base, skip } => write!(f, "xor of column bit {base} with row bit {skip}"),
            Layout::Xor { bits, base, skip } => {
                let last = |first: u32| u64::from(first) + u64::from(bits).saturating_sub(1);
                write!(f, "xor of column bits {base}..{} with row bits {skip}..{}", last(base), last(skip))
            }
        }
    }
}
