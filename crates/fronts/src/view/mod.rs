//! Views. A view maps an index to an element of a buffer, by strides, an offset and a mask.
//!
//! A [`ViewStack`] begins as a shape in row-major order and movements change it: reshape, permute, pad and others. It
//! computes the address of each index and the condition under which there is an element, both simplified together.
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
//! The result of a movement is one [`View`] if a single view is enough. Otherwise the movement adds a view to the
//! stack. Several views equal a single view exactly when their valid indices are a box and the address changes by a
//! constant along each axis of this box. For constant sizes, [`quasi`](quaff::quasi) decides this for all movements.
//! For sizes with variables, the engine finds the view if it can. A stack is correct in both cases, but an unnecessary
//! view costs a division. [`ViewStack::is_one_view`] tests for unnecessary views.
//!
//! # Limits of this module
//! This module builds raw expressions and calls the engine. It has no rules of its own. If a property is not known for
//! all values of the variables in sizes, the result is an error or no answer.

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
