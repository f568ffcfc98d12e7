//! Views: which element of a buffer an index reads, as strides, an offset and a mask.
//!
//! A [`ViewStack`] begins as a shape in row-major order and is moved: reshaped, permuted, padded. It answers with the
//! address of each index and with the condition under which there is an element, both simplified together.
//!
//! ```
//! use quaff::Simplifier;
//! use quaff_fronts::view::ViewStack;
//!
//! // the tiles of a padded image, each column by column
//! let image = ViewStack::row_major([8, 12])?.pad([(0, 0), (4, 4)])?;
//! let tiles = image.reshape([4, 2, 5, 4])?.permute(&[0, 2, 3, 1])?;
//! assert_eq!(tiles.to_string(), "(4, 5, 4, 2):(24, 4, 1, 12) - 4, mask (0, 4) (1, 4) (0, 4) (0, 2)");
//!
//! let answer = tiles.simplify(&Simplifier::default(), &["r", "c", "j", "i"])?;
//! assert_eq!(answer.accesses()[0].gate().to_string(), "c >= 1 and c < 4");
//! assert_eq!(answer.accesses()[0].index().to_string(), "r*24 + c*4 + j + i*12 - 4");
//! # Ok::<(), quaff_fronts::view::ViewError>(())
//! ```
//!
//! # One view or several
//! A movement keeps one [`View`] as long as one says the same, and else adds another one. Several views are one exactly when
//! their valid indices are a box and the address changes by one constant along each axis of it. For constant sizes this is
//! decided by [`quasi`](quaff::quasi), whatever the movements; with variables in sizes the engine finds it where it can.
//! Either way what a stack says is right: one that could be shorter costs a division more, and
//! [`ViewStack::is_one_view`] tells whether it could.
//!
//! # What it does not do
//! This module makes raw expressions and asks the engine; it has no rules of its own. What is not known for all values of
//! the variables in sizes is an error that says so, or no answer.

mod arguments;
pub mod chain;
mod decided;
mod error;
mod exact;
mod facts;
mod index;
mod limits;
mod locate;
mod loops;
mod memory;
mod merge;
mod message;
mod moves;
mod nearest;
mod numbers;
mod picture;
mod poly;
mod project;
#[cfg(feature = "serde")]
mod serialize;
mod settle;
mod stack;
mod strided;
mod symbolic;
mod vector;

pub use error::{ErrorKind, Place, ViewError};
pub use limits::{MAX_AXES, MAX_VIEWS};
pub use locate::Located;
pub use loops::{CommonLoops, common_loops};
pub use merge::{MergedDim, merge_dims};
pub use picture::{MAX_DRAWN_AXES, MAX_POSITIONS};
pub use stack::ViewStack;
pub use strided::View;
pub use vector::{Obstacle, ObstacleKind, Vector};
