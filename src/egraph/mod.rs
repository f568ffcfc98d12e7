//! The e-graph: language, facts, normal forms, matching, saturation and extraction.
//!
//! Sums are one n-ary node with integer coefficients, so there are no rules of commutativity or associativity;
//! `x % n` is defined by `x // n`; every class carries an interval, a congruence and a few spellings as a sum. Rules come
//! from [`crate::rules`]; nothing here knows one of them.
//!
//! ```
//! use quaff::Simplifier;
//! use quaff::domain::Domain;
//! use quaff::egraph::{Limits, StopReason};
//! use quaff::expr::Expr;
//!
//! let e: Expr = "((x*12 + y)//4 + 1)//3".parse()?;
//! let domain = Domain::new().with("x", 0..100).with("y", 0..4);
//! let s = Simplifier::default();
//! assert_eq!(s.simplify(&e, &domain)?.stop(), StopReason::Saturated);
//! // without a round of saturation what is left are the normal forms; the answer is never dearer than the input
//! let idle = s.with_limits(Limits { rounds: 0, ..Limits::default() }).simplify(&e, &domain)?;
//! assert_eq!(idle.stop(), StopReason::RoundLimit);
//! assert!(idle.cost() <= idle.input_cost());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod assume;
mod at_once;
#[cfg(feature = "experiment")]
pub(crate) mod browse;
pub(crate) mod clauses;
mod climb;
mod conditions;
mod definitions;
pub(crate) mod dot;
mod ends;
pub(crate) mod extract;
pub(crate) mod facts;
pub(crate) mod firing;
pub(crate) mod graph;
pub(crate) mod ingest;
pub(crate) mod judgement;
pub(crate) mod lin;
pub(crate) mod matcher;
pub(crate) mod node;
mod opaque;
pub(crate) mod order;
pub(crate) mod origin;
mod polynomial;
pub(crate) mod price;
mod products;
pub(crate) mod profile;
mod quotient;
mod reads;
pub(crate) mod rebuild;
pub(crate) mod rows;
pub(crate) mod saturate;
mod values;
pub(crate) mod view;

pub use saturate::{Limits, StopReason};
