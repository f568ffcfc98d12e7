//! The e-graph: language, facts, normal forms, matching, saturation and extraction.
//!
//! Sums are one n-ary node with integer coefficients, so there are no rules of commutativity or associativity;
//! `x % n` is defined by `x // n`; every class carries an interval, a congruence and a few spellings as a sum. Rules come
//! from [`crate::rules`]; nothing here knows one of them.

pub(crate) mod dot;
pub(crate) mod extract;
pub(crate) mod facts;
pub(crate) mod graph;
pub(crate) mod ingest;
pub(crate) mod lin;
pub(crate) mod matcher;
pub(crate) mod node;
pub(crate) mod origin;
pub(crate) mod price;
pub(crate) mod rebuild;
pub(crate) mod saturate;

pub use saturate::{Limits, StopReason};
