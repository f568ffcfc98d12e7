//! A saturated e-graph to look at: [`Picture`], and what it is as text for Graphviz. The crate `quaff-lab` makes a page of it.

pub(crate) mod dot;
pub(crate) mod view;

pub use view::{Class, Member, Picture};
