//! Extraction: makes the and-or graph of an e-graph, selects the candidates of least total cost, and writes them as
//! expressions.

mod bool_as_int;
mod branch_and_bound;
pub(crate) mod choices;
pub(crate) mod comparisons;
mod fused;
pub(crate) mod local_search;
mod loop_partial_sums;
mod loops;
mod offset_sums;
pub(crate) mod operations;
pub(crate) mod origin;
pub(crate) mod reach;
pub(crate) mod rebuild;
mod step;
pub(crate) mod trees;
