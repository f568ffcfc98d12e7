//! Layouts `shape:stride` in nested tuples, as in CuTe, and their algebra.
//!
//! A [`Layout`] is the function from coordinates to indices that sizes and strides say. Its operations make layouts of layouts: one after another,
//! the rest that one leaves, tiles, repetitions and inverses. All numbers are exact, and each operation has a result that is equal to its meaning
//! at every coordinate, or an error that says where there is none.
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
//! Numbers that count through several modes count through the leftmost one fastest, as in CuTe. [`view`](crate::view) counts through the last axis
//! fastest.
//!
//! A [`LinearLayout`] is a function of bits, as in Triton, from several named inputs to several named outputs. Compositions and inverses of swizzled
//! layouts are of this kind. A [`SymbolicLayout`] has names in its sizes and strides, whose values are known at run time.

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
