//! Coalescing: the cost of the accesses of a warp, and schedules that reduce this cost.
//!
//! ```
//! use quaff::Simplifier;
//! use quaff_fronts::coalesce::{Access, Warp, search};
//!
//! // every element i of 4096 reads a column of a matrix of 64 x 64
//! let access = Access::new("i%64*64 + i//64".parse()?, 4)?;
//! let found = search(&[access], "i", 4096, Warp::default(), &Simplifier::default())?;
//! assert_eq!((found.identity().sectors, found.optimum().sectors), (4096, 512));
//!
//! let best = &found.candidates()[0];
//! assert_eq!((best.traffic().sectors, best.sigma().to_string().as_str()), (512, "u*64 - u//64*4095"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A *schedule* is a bijection `sigma` from lanes to the elements of some work. The variable `u` counts the lanes over
//! all warps and steps. The lanes `32*k .. 32*k + 31` access memory together, and [`Traffic`] measures the cost of
//! these accesses. Sorting the addresses and cutting them into warps gives the least gap, the distance between the
//! elements of neighbouring lanes ([`Found::optimum`]). [`search()`] looks for bijections that are close to this
//! optimum and have a small expression.
//!
//! [`measure`] computes the cost of an access of a kernel as it is written, over lanes, steps and blocks. [`picture()`]
//! draws the addresses that warps touch without and with a schedule.
//!
//! This module enumerates the elements of the work. It uses only the values and the periods of an index, not its
//! structure.

mod access;
mod candidate;
mod climb;
mod composed;
mod digits;
mod error;
mod found;
mod measure;
mod objective;
mod picture;
mod pieces;
mod radices;
mod schedule;
mod search;
mod steps;
mod traffic;
mod uniform;

pub use access::Access;
pub use candidate::Candidate;
pub use digits::Digits;
pub use error::CoalesceError;
pub use found::{Apart, Found};
pub use measure::{Measured, measure};
pub use objective::{Objective, Taken};
pub use picture::picture;
pub use pieces::Pieces;
pub use schedule::Schedule;
pub use search::{Question, search};
pub use steps::Steps;
pub use traffic::{Measure, Traffic, Warp};
pub use uniform::Residue;
