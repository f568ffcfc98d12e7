//! Facts that hold only under conditions: under assumed conditions, or for a clause under the other clauses of a
//! junction.

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
