//! The language of the e-graph: linear forms, e-nodes, and the operations that the cost model prices.

pub(crate) mod linear_form;
pub(crate) mod node;
pub(crate) mod price;
