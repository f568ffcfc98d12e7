//! Views of an e-graph: as a page, as a part of a page, and as a picture.

mod browse;
mod egraph;

pub use browse::{browse, svg};
pub use egraph::egraph;
