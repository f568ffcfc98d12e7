//! Extraction: the and-or graph of an e-graph, the selection of least cost, and the expressions that it stands for.

pub(crate) mod and_or_graph;
mod exact;
mod loops;
mod offset_sums;
pub(crate) mod origin;
pub(crate) mod reach;
pub(crate) mod selection;
pub(crate) mod trees;
pub(crate) mod write;
