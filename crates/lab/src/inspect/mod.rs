//! Shows an e-graph as a page, as a part of a page, or as a picture.

mod browse;
mod egraph;

pub use browse::{browse, svg};
pub use egraph::egraph;
