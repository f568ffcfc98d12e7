//! [`Layout`]: the mapping from the elements of a tile to places in memory.

use super::error::BankError;
use super::memory::is_width;
use super::swizzle::Swizzle;
use quaff::expr::{Expr, int};
use quaff::integer::{floor_div, floor_mod};
use std::fmt;

/// The most rows and the most columns of a tile.
const SIDE: u32 = 1 << 16;

/// A tile of `rows` by `cols` elements of `bytes` bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    pub(super) rows: u32,
    pub(super) cols: u32,
    pub(super) bytes: u32,
}

impl Tile {
    /// A tile of `rows` by `cols` (1 to 65,536 each) elements of 1, 2, 4, 8 or 16 bytes.
    ///
    /// # Errors
    /// [`BankError::Tile`] for other numbers of rows or columns, and [`BankError::Width`] for another number of bytes.
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

    /// The number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> u32 {
        self.cols
    }

    /// The number of bytes of an element.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

/// The mapping from row and column of an element to its place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layout {
    /// One row after another, with this number of unused elements between two rows.
    Padding(u32),
    /// `row*cols + (col ^ row//2^skip % 2^bits * 2^base)`: bits of the row permute groups of `2^base` columns.
    Xor {
        /// The number of bits of the row that are used, at least 1.
        bits: u32,
        /// The lowest bit of the column that is changed.
        base: u32,
        /// The number of low bits of the row that are skipped.
        skip: u32,
    },
}

impl Layout {
    /// The position in memory of the element at `row` and `col` of `tile`, counted in elements. `row` and `col` must
    /// not be negative.
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

    /// [`Layout::element`] as an expression, which is not simplified.
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

    /// The number of bytes of the whole tile, including unused bytes.
    pub fn bytes(&self, tile: &Tile) -> u64 {
        let padding = if let Layout::Padding(by) = self { *by } else { 0 };
        u64::from(tile.rows) * (u64::from(tile.cols) + u64::from(padding)) * u64::from(tile.bytes)
    }

    /// The swizzle that puts each element at the same position as this layout. It exists if the number of columns is a
    /// power of two.
    pub fn swizzle(&self, tile: &Tile) -> Option<Swizzle> {
        let Layout::Xor { bits, base, skip } = *self else { return None };
        let distance = tile.cols.is_power_of_two().then(|| tile.cols.ilog2().checked_add(skip))??.checked_sub(base)?;
        Swizzle::new(bits, base, i32::try_from(distance).ok()?).ok()
    }
}

/// The power `2^bits`, at most 2^62.
fn power(bits: u32) -> i128 {
    1 << bits.min(62)
}

impl fmt::Display for Layout {
    /// Writes `padding 1`, `no padding`, or `xor of 3 bits from bit 3 on with row bits from 0 on`.
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
