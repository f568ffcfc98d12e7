//! Answers questions about an index that its simplest form does not answer, such as the vector length of an access.
//!
//! ```
//! use quaff::{Simplifier, domain::Domain};
//! use quaff_ask::lanes;
//!
//! let domain: Domain = "pid=0..65535, t=0..127, n=16..1048576 step 16".parse()?;
//! let [index, mask] = ["pid*128 + t", "pid*128 + t < n"].map(|text| text.parse().unwrap());
//! let found = lanes(&Simplifier::default(), &[index, mask], "t", &domain)?;
//! assert_eq!((found[0].contiguity, found[0].divisibility()), (128, 128));
//! assert_eq!(found[1].constancy, 16);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each answer is proved. If nothing is proved, the answer is the weakest one that is always right, such as a
//! contiguity of 1.
//!
//! - [`lanes`]: contiguity, constancy and divisibility along a lane variable, and the widest vector that they allow.
//! - [`parts`]: an index as a sum of parts, such as a uniform part and a part that depends on the lanes.
//! - [`strides`]: an index as a strided access, with shape, strides and offset.
//! - [`when`](when()), [`when_vector`], [`when_disjoint`]: the weakest conditions on sizes under which a condition
//!   always holds, a vector access is possible, or two accesses are disjoint.
//! - [`injective`], [`surjective`], [`inverse`], [`disjoint`]: properties and inverses of maps from variables to
//!   indices.
//! - [`detect`], [`fuse`], [`split`], [`subspace_divide`]: maps as sums of iterators such as `4 * (i//8 % 2)`.
//! - [`image`]: the set of values of an index: its range, the distance between values, and the missing values.
//! - [`ranges`], [`rescale`]: the values that a variable may have under conditions, and the replacement of a variable
//!   by a counter of its steps.

mod answer;
mod bits;
mod digits;
mod disjoint;
mod error;
mod image;
mod inverse;
mod iter_sums;
mod iters;
mod lanes;
mod maps;
mod others;
mod parts;
mod points;
mod prove;
mod ranges;
mod rescale;
mod solve;
mod span;
mod strides;
mod subspace;
mod systems;
mod when;

pub use answer::{Answer, Values};
pub use disjoint::disjoint;
pub use error::AskError;
pub use image::{Image, image};
pub use inverse::{Inverse, inverse};
pub use iter_sums::Padding;
pub use iters::{Detected, IterMap, IterSum, IterTerm, detect, fuse, split};
pub use lanes::{Lanes, lanes, widest_vector};
pub use maps::{injective, surjective};
pub use parts::{Parts, base_and_immediate, parts};
pub use ranges::{VariableRange, ranges};
pub use rescale::{Counted, Rescaled, rescale};
pub use strides::{Dimension, Strided, Strides, Wrap, strides};
pub use subspace::{Divided, Division, Subspace, subspace_divide};
pub use when::{When, when, when_disjoint, when_vector};
