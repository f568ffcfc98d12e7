//! Coalescing: what the accesses of a warp cost, and schedules under which they cost less.
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
//! A *schedule* is a bijection `sigma` from lanes, counted by `u` over all warps and steps, to the elements of some work. The lanes
//! `32*k .. 32*k + 31` access memory together; what that costs, [`Traffic`] says. The least gap cost over all bijections is known: sort the
//! addresses and cut them into warps ([`Found::optimum`]). [`search()`] looks for bijections that are near to it and have a small
//! expression.
//!
//! [`measure`] says what an access of a kernel costs as it is written, over lanes, steps and blocks; [`picture()`] draws which addresses
//! warps touch before and after.
//!
//! This module enumerates elements, and knows an index by its values and its periods only.

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
