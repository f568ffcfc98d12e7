//! What holds in a context: assumptions, the clauses of a junction, and the ranges that follow from them.

pub(crate) mod assume;
pub(crate) mod clauses;
pub(crate) mod definitions;
mod hypotheses;
mod product_constraints;
mod quotients;
pub(crate) mod renormalise;
mod selections;
mod shorter;
