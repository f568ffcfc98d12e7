//! Reports about a call: the derivation of its answer from the input ([`Explanation`]).
//!
//! `needed.rs` finds the rules that an answer needs, from the firings in all e-graphs of the call (`recorder.rs`). The
//! statistics of `crate::inspect` use both files as well.

mod explain;
mod needed;
mod recorder;

pub(crate) use explain::explain;
pub use explain::{Explained, Explanation, Fact, Reason, Shortened, Source};
pub(crate) use needed::needed_rules;
pub(crate) use recorder::record;
