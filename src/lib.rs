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
//! # Ok::<(), quaff::Error>(())
//! ```
//!
//! The crate `quaff-fronts` makes expressions of sizes and equations, tensor views, index types and whole kernels. [`lower`] and [`emit`]
//! make text of answers. [`rules`] and [`cost`] are what an experiment changes; [`quasi`] decides whether two
//! expressions are equal without using any of the rules.
//!
//! # Features
//! None is on by default.
//! - `serde`: `Serialize` and `Deserialize` for [`Expr`](expr::Expr) and [`Domain`](domain::Domain) as their texts, for
//!   [`Interval`](domain::Interval), [`Congruence`](domain::Congruence), [`Bounds`](domain::Bounds) and
//!   [`Limits`](egraph::Limits) as structs, for [`Cost`](cost::Cost) as a number of instructions, and for
//!   [`StopReason`](egraph::StopReason) as its name. For an answer, [`Simplified`], with all that it says but the cost model, and for
//!   its [`Target`](lower::Target). What is read is equal to what was written; a value whose text could not be
//!   read, because a name in it is no word or it is longer than [`DISPLAY_LIMIT`](expr::DISPLAY_LIMIT), is an error.
//! - `smt`: questions to an SMT solver beyond the exact procedures, where one is installed.
//!
//! The crate `quaff-lab` compares rule sets over corpora, proves rules, and shows an e-graph as a page.

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
