//! Index types: the sets of integers that the copies of an unrolled or parallel index have *together*. There is one
//! copy for each unrolled iteration.
//!
//! ```
//! use quaff::domain::Domain;
//! use quaff::expr::parse;
//! use quaff_fronts::index_type::{Idx, Types, check};
//!
//! // eight copies of `i`, and a dynamic row of which only a stride is known
//! let domain = Domain::new().with("row", 0..4096).stride("row", 8, 0).with("j", 0..64);
//! let types = Types::new(&domain)?.with("i", Idx::unrolled(0, 8, 8)?);
//! let parsed = parse("(row + i)//4*32 + (row + i)%4*8")?;
//! let checked = check(parsed.expr(), &types)?;
//! assert_eq!(checked.ty().to_string(), "{0, 8, 16, 24, 32, 40, 48, 56} + 64*(0..512)");
//! // one dynamic computation for all copies, and a constant for each
//! assert_eq!(checked.copies()?[5].to_string(), "row//4*32 + 40");
//!
//! // an operator that takes copies apart is named, with its place
//! let parsed = parse("(row + i)//3")?;
//! let lost = check(parsed.expr(), &types)?.together().unwrap_err().clone();
//! assert_eq!(parsed.span_of(lost.operator()), Some(0..12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Idx`] is the type `idx<ls..hs, ld..hd>`. Its sets are intervals of one width `k`, which begin `k` apart. [`Typed`]
//! has the rules of the operators for `Idx`, and computes the dynamic number of each result. [`General`] is the sum of
//! a finite set and a multiple of the dynamic number. Most operators that lead out of `Idx` have a result in `General`.
//! [`check()`] computes the type of an expression and the expression of each copy. [`banks`](crate::banks) finds the
//! copies that use the same bank.
//!
//! # Which sets have a type
//! A family of sets has a type `idx` exactly when all sets are intervals of one width `k` whose left ends agree modulo
//! `k`. So the sum with a constant and the negation always have a type. A multiple by more than 1 has a type only if
//! `k` is 1.
//!
//! Values are within ±2^64. The copies of an `Idx` are never enumerated. A [`General`] has at most [`MAX_COPIES`]
//! copies.

mod apart;
mod check;
mod error;
mod family;
mod form;
mod general;
mod idx;
mod lost;
mod numbers;
mod parts;
mod split;
mod state;
mod typed;

pub(crate) use apart::copies_apart;
pub use check::{Checked, Types, check};
pub use error::IndexError;
pub use general::{General, MAX_COPIES, Outcome};
pub use idx::Idx;
pub use lost::{CheckError, Lost, Placed};
pub use parts::{Part, Parts};
pub use split::{Constant, Splitter};
pub use typed::Typed;
