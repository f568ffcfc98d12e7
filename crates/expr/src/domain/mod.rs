//! The facts about the unknowns of an expression: ranges with symbolic ends such as `0..n-1`, strides, and opaque
//! values such as `offsets[row]`.
//!
//! A [`Domain`] collects declarations. [`Domain::resolve`] turns them into numbers ([`VarFacts`]), or returns an error.
//! [`Interval`] and [`Congruence`] are the two kinds of numeric facts, with sound arithmetic on them. This module
//! depends on no costs and no rules.
//!
//! ```
//! use quaff_expr::domain::{Domain, interval_of};
//! use quaff_expr::expr::Expr;
//!
//! let mut domain = Domain::new().with("n", 1..=100);
//! domain.declare("i = 0..n - 1")?;
//! let facts = domain.resolve()?;
//! let e: Expr = "i*4 + 3".parse()?;
//! let range = interval_of(&e, |name| facts[domain.position(name).unwrap()].interval);
//! assert_eq!(range.to_string(), "3..399");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assume;
mod bits;
mod bounds;
mod by_name;
mod congruence;
mod connected;
mod declare;
mod difference;
mod error;
mod interval;
mod loop_ranges;
mod loops;
mod points;
mod ranges;
mod resolve;
mod scope;
mod text;
mod variables;

pub use crate::integer::{floor_div, floor_mod, gcd};
pub use bounds::intervals_within;
pub use bounds::{error_of_op, interval_of, interval_of_op, intervals_of};
pub use by_name::RangesByName;
pub use congruence::Congruence;
pub use connected::Connected;
pub use error::DomainError;
pub use interval::Interval;
pub use loop_ranges::MOST_REPEATS;
pub use loop_ranges::{Repeats, UNKNOWN_TRIPS};
pub use points::Points;
pub use points::{Random, sample};
pub use ranges::Bounds;
pub use scope::Scope;
pub use variables::{Domain, VarFacts};
