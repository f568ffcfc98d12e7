//! Inspects a call. [`picture`] shows its saturated e-graph as data, and [`dot()`] as text for Graphviz.
//! [`statistics()`] measures the effect of each rule on the answer, and [`work()`] counts the work of the searches.
//! [`Extraction`] is the problem of choosing the cheapest forms in the e-graph, separate from the search. The crate
//! `quaff-lab` makes a page of the e-graph.

mod dot;
mod extraction;
mod picture;
mod statistics;
mod view;
mod work;

pub use extraction::{Candidate, Extraction, Method, NoSuchClass, Selected};
pub use picture::{dot, picture};
pub use statistics::{RuleStatistics, Statistics, statistics};
pub use view::{Class, Member, Picture};
pub use work::{Round, Work, work};
