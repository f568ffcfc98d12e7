//! Banks of shared memory: whether lanes that access it together wait for each other, and layouts in which they do not.
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
//! [`Memory`] serves byte addresses, a [`Machine`] says which lanes are served together, [`decide()`] an index expression at the worst values of its variables, and
//! [`copies_in_banks`] and [`copies_in_grid`] the copies of an unrolled index. [`search()`] looks for paddings and exclusive ors
//! ([`Layout`], [`Swizzle`]) that free all accesses of a [`Tile`] of conflicts, and prices them.
//!
//! Lanes are enumerated, which is exact; what is common to all lanes is not, for it moves all words alike.

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
