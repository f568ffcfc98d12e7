//! Pictures of an e-graph: as a Graphviz graph and as a page to browse, and the frame that all pages share.

#[cfg(feature = "experiment")]
pub(crate) mod browse;
pub(crate) mod dot;
#[cfg(feature = "experiment")]
pub(crate) mod page;
pub(crate) mod view;
