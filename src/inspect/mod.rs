//! What a call did, to look at: its saturated e-graph as data ([`picture`]) and as text for Graphviz ([`dot()`]), what each rule did
//! for the answer ([`statistics()`]), and the work of its searches, counted ([`work()`]).
//! [`Extraction`] is the choice among its forms, as a problem of its own. The crate `quaff-lab` makes a page of the e-graph.

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
