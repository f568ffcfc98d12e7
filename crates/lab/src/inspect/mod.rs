//! Pages to look into: of an e-graph, and the frame that all pages share.

mod browse;
pub(crate) mod page;

pub use browse::browse;
