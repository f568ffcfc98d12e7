//! The facts about the value of an e-class, and the bounds of sums by linear constraints.

pub(crate) mod bound_search;
mod fact_analysis;
pub(crate) mod facts;
pub(crate) mod form_facts;
pub(crate) mod graph;
pub(crate) mod linear_constraints;
mod node_facts;
pub(crate) mod resolved;
pub(crate) mod term_facts;
