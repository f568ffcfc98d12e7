//! Extraction: the and-or graph of an e-graph, the selection of least cost, and the expressions that it stands for.

pub(crate) mod and_or_graph;
mod exact;
mod fused;
mod loops;
mod offset_sums;
pub(crate) mod origin;
mod parts;
pub(crate) mod reach;
pub(crate) mod selection;
mod step;
pub(crate) mod trees;
mod truths;
pub(crate) mod write;
