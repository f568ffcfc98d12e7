//! The library call: it takes expressions and a domain, and returns the cheapest equal expressions.
//!
//! ```text
//! expressions + domain
//!   -> problem.rs      an e-graph in normal form
//!   -> search.rs       the rules run on it
//!   -> extract.rs      the cheapest expressions in it, a Candidate
//!   -> pass.rs         all of this for one form of the expressions
//!   -> contexts/       the parts of a form under the conditions they are used under
//!   -> plan.rs         the passes of a call, a Derivation
//!   -> call.rs         the answer, Simplified
//! ```
//!
//! Each of these files takes the [`Settings`] of the call (`settings.rs`). [`Simplifier`](crate::Simplifier) passes its
//! settings on, and nothing here imports it. `stage.rs` names the stages that an experiment can leave out. `input.rs`
//! and `unsearched.rs` price the input as written. `trace.rs` and `matches.rs` record the steps of rules. `confirm.rs`
//! compares an answer under rules that are not shipped with its input. `machine.rs` compares an answer with its input
//! on machine integers. `facts.rs` caches the facts about a domain, `questions.rs` answers questions with them, and
//! `ends.rs` narrows ranges by proofs. `node_ranges.rs` bounds all nodes of an expression.

mod answer;
mod budget;
mod call;
mod candidate;
mod confirm;
mod contexts;
mod derivation;
mod ends;
mod error;
mod executed;
mod extract;
mod facts;
mod input;
mod instantiate;
mod machine;
mod matches;
mod node_ranges;
mod observer;
mod own_rules;
mod pass;
mod plan;
mod problem;
mod questions;
mod safe_divisors;
#[cfg(feature = "serde")]
mod saved;
mod scopes;
mod search;
mod search_with_answer;
mod settings;
mod stage;
mod step;
mod text;
mod trace;
mod unsearched;

pub use answer::Simplified;
pub(crate) use budget::{for_call, with_efforts_below};
pub(crate) use call::{simplify, simplify_all};
pub(crate) use candidate::price_together;
pub(crate) use confirm::confirm;
pub(crate) use derivation::{Derivation, Pass, Refinement};
pub use error::SimplifyError;
pub use facts::Facts;
pub use machine::CompareError;
pub(crate) use matches::{finds_equal, matches};
pub(crate) use node_ranges::NodeRanges;
pub(crate) use observer::Observer;
pub use own_rules::{Culprit, WrongAnswer};
pub(crate) use pass::{saturated, search_forms, search_once};
pub(crate) use plan::derive;
pub(crate) use scopes::{groups, has_value};
pub(crate) use search::{NormalForm, Search};
pub(crate) use search_with_answer::search_with_answer;
pub(crate) use settings::Settings;
pub use stage::Stage;
pub use step::Step;
