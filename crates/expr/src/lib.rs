//! Integer index expressions, and facts about their variables. All other crates of quaff depend on this one.
//!
//! Everywhere, `//` is floor division and `%` is floor modulo, on mathematical integers.
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
//! This crate does not simplify, and has no rules or costs. The crate `quaff` re-exports `domain`, `expr` and
//! `integer`: `quaff::expr` is [`expr`]. [`names`] is for crates that print expressions.
//!
//! # Features
//! `serde`: `Serialize` and `Deserialize` for [`Expr`](expr::Expr), [`Domain`](domain::Domain), [`Interval`](domain::Interval),
//! [`Congruence`](domain::Congruence) and [`Bounds`](domain::Bounds).

// on docs.rs, each item shows the feature that it needs
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod domain;
pub mod expr;
pub mod integer;
pub mod names;
#[cfg(feature = "serde")]
mod serialize;
