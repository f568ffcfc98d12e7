//! Layouts `shape:stride` in nested tuples, as in CuTe, and their algebra.
//!
//! A [`Layout`] is a function from coordinates to indices, given by sizes and strides. Its operations are composition,
//! complement, division into tiles, products and inverses. All numbers are exact. Each operation returns a layout that
//! is correct at every coordinate, or an error that says why no such layout exists.
//!
//! ```
//! use quaff::Simplifier;
//! use quaff_fronts::layout::{Layout, Tiler};
//!
//! let tile: Layout = "(128,64):(64,1)".parse()?;
//! let tiles = tile.zipped_divide(&Tiler::Modes(vec![Layout::new(32, 1)?, Layout::new(16, 1)?]))?;
//! assert_eq!(tiles.to_string(), "((32,16),(4,4)):((64,1),(2048,16))");
//! let index = tiles.simplify(&Simplifier::default(), &["inside", "tile"])?;
//! assert_eq!(index.expr().to_string(), "inside*64 + tile*2048 - tile//4*8176 - inside//32*2047");
//! # Ok::<(), quaff_fronts::Error>(())
//! ```
//!
//! A single number for several modes counts through the leftmost mode fastest, as in CuTe. In contrast,
//! [`view`](crate::view) counts through the last axis fastest.
//!
//! A [`LinearLayout`] is a linear function of bits, as in Triton, from several named inputs to several named outputs.
//! Compositions and inverses of swizzled layouts are linear layouts. A [`SymbolicLayout`] has names in its sizes and
//! strides, whose values are known only at run time.

mod compose;
mod divide;
mod error;
mod fit;
mod index;
mod inverse;
mod leaf;
mod linear;
mod mode;
mod symbolic;
mod text;
mod tree;

pub use divide::Tiler;
pub use error::LayoutError;
pub use index::MAX_CELLS;
pub use leaf::Leaf;
pub use linear::{LinearLayout, MAX_BITS, MAX_DIMS};
pub use symbolic::SymbolicLayout;
pub use text::{Evaluated, LayoutTextError, LayoutTextErrorKind, Note, Value, evaluate, evaluate_in};
pub use tree::{Layout, MAX_COORDINATES, MAX_DEPTH, MAX_LEAVES, MAX_SWIZZLES};
