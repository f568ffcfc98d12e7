//! quaff takes quasi-affine integer index expressions, with what is known of their variables, and returns the cheapest
//! expressions it finds with the same values, and CUDA text for them that does not divide.
//!
//! `//` is floor division and `%` floor modulo, everywhere, on mathematical integers.
//!
//! ```
//! use quaff::{Simplifier, domain::Domain, expr::Expr};
//!
//! let index: Expr = "(i*n + j) // n * 64 + (i*n + j) % n".parse()?;
//! let mut domain = Domain::new().with("n", 1..=64).with("i", 0..100);
//! domain.declare("j=0..n-1")?;
//! let out = Simplifier::default().simplify(&index, &domain)?;
//! assert_eq!(out.expr().to_string(), "i*64 + j");
//! assert_eq!(out.cuda()?.to_string().trim(), "return i * 64 + j;");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In front of [`Simplifier`] stand [`dims`] (sizes, equations, scopes) and [`kernel`] (whole kernels); behind it
//! [`lower`] and [`emit`]. [`rules`] and [`cost`] are what an experiment changes; [`quasi`] decides whether two
//! expressions are equal without using any of the rules.

pub mod access;
pub mod check;
pub mod cost;
pub mod dims;
pub mod domain;
pub mod egraph;
pub mod emit;
#[cfg(feature = "experiment")]
pub mod experiment;
mod explain;
pub mod expr;
pub mod kernel;
pub mod lower;
#[cfg(feature = "experiment")]
mod page;
pub mod quasi;
mod refine;
pub mod rules;
mod simplify;
mod statistics;

pub use explain::{Explained, Explanation, Fact, Reason, Shortened, Source};
pub use simplify::{CompareError, Simplified, Simplifier, SimplifyError, Step};
pub use statistics::{RuleStatistics, Statistics};
