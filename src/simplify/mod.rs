//! The library call: expressions and a domain in, the cheapest equal expressions out.
//!
//! ```text
//! expressions + domain
//!   -> graph.rs        an e-graph in normal form
//!   -> search.rs       the rules run on it
//!   -> extract.rs      the cheapest expressions in it, a Candidate
//!   -> refine/         the parts of these under the conditions they are used under
//!   -> stages.rs       the order of all this, and which candidate is the answer (candidate.rs, `cheaper`)
//!   -> answer.rs       Simplified
//! ```
//!
//! `simplifier.rs` holds what a call is made with, `input.rs` and `written.rs` price the input as it stands, `trace.rs` and
//! `matches.rs` write down what rules did, `confirm.rs` compares an answer under rules that are not shipped with its input, `machine.rs` compares an answer with its input on machine integers.

mod answer;
mod candidate;
mod confirm;
mod derivation;
mod error;
mod executed;
mod extract;
mod graph;
mod guarded;
mod input;
mod instantiate;
mod machine;
mod matches;
mod observer;
mod once;
mod own_rules;
mod picture;
mod question;
mod ranges;
pub(crate) mod refine;
mod scopes;
mod search;
mod simplifier;
mod stages;
mod step;
mod task;
mod text;
mod trace;
mod written;

pub use answer::Simplified;
pub(crate) use candidate::price_together;
pub(crate) use derivation::{Derivation, Revision, Subject};
pub use error::SimplifyError;
pub use machine::CompareError;
pub(crate) use observer::Observer;
pub use own_rules::{Culprit, WrongAnswer};
pub(crate) use search::Search;
pub use simplifier::Simplifier;
pub use step::Step;
pub(crate) use task::Task;
