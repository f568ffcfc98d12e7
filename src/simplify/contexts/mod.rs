//! Simplifies parts of expressions under the conditions under which they are used, such as the branches of a selection.
//!
//! The input is the expressions of a candidate and their domain. The output is the same expressions with simpler parts,
//! and the list of replacements ([`Refinement`](super::derivation::Refinement)).
//!
//! The branches of a selection are simplified under its condition and under the negation of its condition. The clauses
//! of a conjunction are simplified under the other clauses, and the clauses of a disjunction under the negations of the
//! other clauses. Each such part is simplified in an e-graph of its own. The domain of that e-graph assumes the
//! conditions ([`Domain::assume`](crate::domain::Domain::assume)), so a fact of one context cannot leak into another.
//! The result is only an expression, which replaces the part in the same context. Conditions that cannot make a part
//! simpler are not assumed for it (`relevance.rs`).

mod context;
mod relevance;
mod syntax;
mod walk;

pub(super) use walk::{Contexts, Parts};

#[cfg(test)]
mod tests;
