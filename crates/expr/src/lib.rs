//! Integer index expressions, and what is known of their variables. All other crates of quaff are built on this one.
//!
//! `//` is floor division and `%` floor modulo, everywhere, on mathematical integers.
//!
//! ```
//! use quaff_expr::domain::{Domain, interval_of};
//! use quaff_expr::expr::Expr;
//! use quaff_expr::integer::floor_div;
//!
//! let index: Expr = "(i*16 + j) // 4".parse()?;
//! let domain: Domain = "i=0..9, j=-4..15".parse()?;
//! let facts = domain.resolve()?;
//! let range = interval_of(&index, |name| facts[domain.position(name).unwrap()].interval);
//! assert_eq!(range.bounded(), Some((floor_div(-4, 4) as i64, floor_div(9 * 16 + 15, 4) as i64)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here simplifies, and nothing knows rules or costs. The crate `quaff` passes `domain`, `expr` and `integer` on: `quaff::expr` is
//! [`expr`]. [`names`] is for those who print expressions.
//!
//! # Features
//! `serde`: `Serialize` and `Deserialize` for [`Expr`](expr::Expr), [`Domain`](domain::Domain), [`Interval`](domain::Interval),
//! [`Congruence`](domain::Congruence) and [`Bounds`](domain::Bounds).

pub mod domain;
pub mod expr;
pub mod integer;
pub mod names;
#[cfg(feature = "serde")]
mod serialize;
