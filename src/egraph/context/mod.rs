//! Facts that hold in a context: assumptions, the clauses of a junction, and the ranges that follow from them.

mod alternatives;
pub(crate) mod assume;
pub(crate) mod clauses;
pub(crate) mod definitions;
mod drop_terms;
mod equations;
mod hypotheses;
mod product_constraints;
mod quotients;
pub(crate) mod renormalise;
mod selections;
