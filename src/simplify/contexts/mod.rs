//! Simplification of parts under the conditions they are used under.
//!
//! In go the expressions of a candidate and their domain, out come the same expressions with simpler parts, and what was
//! replaced by what ([`Refinement`](super::derivation::Refinement)).
//!
//! The branches of a selection are simplified under its condition and under its negation, the clauses of a conjunction
//! (disjunction) under the others (under their negations). Each such part is simplified in an e-graph of its own whose domain
//! assumes the conditions ([`Domain::assume`](crate::domain::Domain::assume)), so that what holds in one context cannot leak into
//! another: all that leaves it is an expression, which takes the part's place in that very context. Conditions that cannot make a
//! part simpler are not assumed for it (`relevance.rs`).

mod context;
mod relevance;
mod syntax;
mod walk;

pub(super) use walk::{Contexts, Parts};

#[cfg(test)]
mod tests;
