//! Inspection of a call. There is its saturated e-graph as data ([`picture`]) and as text for Graphviz ([`dot()`]).
//! [`statistics()`] measures the effect of each rule on the answer, and [`work()`] counts the work of the searches.
//! [`Extraction`] is the selection among the forms, as a separate problem. The crate `quaff-lab` makes a page of the
//! e-graph.

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
