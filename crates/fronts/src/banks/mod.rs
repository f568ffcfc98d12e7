//! Banks of shared memory: conflicts between lanes that access it together, and layouts that avoid them.
//!
//! ```
//! use quaff_fronts::banks::{Access, Memory, decide};
//! use quaff::domain::Domain;
//!
//! // a column of a tile of 32 rows of 32 floats
//! let domain = Domain::new().with("t", 0..32).with("k", 0..32);
//! let column = Access::new("t*32 + k".parse()?, 4)?;
//! let decided = decide(&column, "t", &domain, Memory::default())?;
//! assert_eq!(decided.service().degree(), 32);
//! let conflict = decided.service().conflicts()[0];
//! assert_eq!((conflict.first, conflict.second, conflict.bank), (0, 1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Memory`] serves byte addresses, and a [`Machine`] defines the lanes that are served together. [`decide()`]
//! computes the conflicts of an index expression, for the values of its variables with the most conflicts.
//! [`copies_in_banks`] and [`copies_in_grid`] compute the conflicts between the copies of an unrolled index.
//! [`search()`] looks for a [`Layout`] of a [`Tile`], a padding or an exclusive or ([`Swizzle`]), with which no access
//! has conflicts. For each layout, the search also computes the cost of the indices.
//!
//! Lanes are enumerated, so the result is exact. A part of the address that is the same in all lanes is not enumerated,
//! because it shifts all words by the same amount.

mod copies;
mod decide;
mod error;
mod layout;
mod machine;
mod map;
mod memory;
mod points;
mod search;
mod swizzle;

pub use copies::{CopiesInBanks, copies_in_banks, copies_in_grid};
pub use decide::{Access, Decided, decide};
pub use error::BankError;
pub use layout::{Layout, Tile};
pub use machine::Machine;
pub use memory::{Conflict, Memory, Service, Word};
pub use search::{Candidate, Found, TileAccess, search};
pub use swizzle::Swizzle;
