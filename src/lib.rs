//! quaff takes quasi-affine integer index expressions, with facts about their variables. It returns the cheapest
//! expressions with the same values that it finds, and CUDA text without divisions for these expressions.
//!
//! Everywhere, `//` is floor division and `%` is floor modulo, on mathematical integers.
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
//! # Ok::<(), quaff::Error>(())
//! ```
//!
//! The crate `quaff-fronts` makes expressions from sizes and equations, tensor views, index types and whole kernels.
//! [`lower`] and [`emit`] make text from answers. For experiments, [`rules`] and [`cost`] can be replaced. [`quasi`]
//! decides whether two expressions are equal, without using any of the rules.
//!
//! # Features
//! No feature is enabled by default.
//! - `serde`: `Serialize` and `Deserialize`. [`Expr`](expr::Expr) and [`Domain`](domain::Domain) are written as texts.
//!   [`Interval`](domain::Interval), [`Congruence`](domain::Congruence), [`Bounds`](domain::Bounds) and
//!   [`Limits`](egraph::Limits) are written as structs. [`Cost`](cost::Cost) is written as a number of instructions,
//!   and [`StopReason`](egraph::StopReason) as its name. An answer, [`Simplified`], is written with all its data, such
//!   as its [`Target`](lower::Target), except the cost model. The value that is read is equal to the written one.
//!   Writing fails for a value whose text could not be read back. This happens if the name of a variable is no word, or
//!   if its text is longer than [`DISPLAY_LIMIT`](expr::DISPLAY_LIMIT).
//! - `smt`: an SMT solver, if one is installed, decides questions that the exact procedures leave open.
//!
//! The crate `quaff-lab` compares rule sets over corpora, proves rules, and shows an e-graph as an HTML page.

// the documentation shows the feature that an item needs
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod access;
pub mod check;
pub mod cost;
pub mod egraph;
pub mod emit;
mod error;
pub mod induction;
pub mod inspect;
mod instructions;
#[doc(hidden)]
pub mod internals;
pub mod lower;
mod report;
pub mod rules;
#[cfg(feature = "serde")]
mod serialize;
mod simplifier;
mod simplify;

pub use error::Error;
pub use inspect::{RuleStatistics, Statistics};
#[doc(inline)]
pub use quaff_expr::{domain, expr, integer};
#[doc(inline)]
pub use quaff_quasi as quasi;
pub use report::{Explained, Explanation, Fact, Reason, Shortened, Source};
pub use simplifier::Simplifier;
pub use simplify::{CompareError, Culprit, Facts, Simplified, SimplifyError, Stage, Step, WrongAnswer};
