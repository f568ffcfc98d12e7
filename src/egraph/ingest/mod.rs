//! Adds expressions to the e-graph.

pub(crate) mod expressions;
pub(crate) mod order;
mod shapes;
