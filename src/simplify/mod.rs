//! The library call: expressions and a domain in, the cheapest equal expressions out.
//!
//! ```text
//! expressions + domain
//!   -> problem.rs      an e-graph in normal form
//!   -> search.rs       the rules run on it
//!   -> extract.rs      the cheapest expressions in it, a Candidate
//!   -> pass.rs         all of this for one form of the expressions
//!   -> contexts/       the parts of a form under the conditions they are used under
//!   -> plan.rs         the passes of a call, a Derivation
//!   -> answer.rs       Simplified
//! ```
//!
//! `simplifier.rs` holds what a call is made with. `stage.rs` names what an experiment can leave out. `input.rs` and `unsearched.rs`
//! price the input as it is written. `trace.rs` and `matches.rs` write down what rules did. `confirm.rs` compares an answer under
//! rules that are not shipped with its input, and `machine.rs` compares an answer with its input on machine integers.

mod answer;
mod budget;
mod candidate;
mod confirm;
mod contexts;
mod derivation;
mod error;
mod executed;
mod extract;
mod facts;
mod input;
mod instantiate;
mod machine;
mod matches;
mod observer;
mod own_rules;
mod pass;
mod plan;
mod problem;
mod safe_divisors;
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
pub(crate) use candidate::price_together;
pub(crate) use derivation::{Derivation, Pass, Refinement};
pub use error::SimplifyError;
pub use facts::Facts;
pub use machine::CompareError;
pub(crate) use observer::Observer;
pub use own_rules::{Culprit, WrongAnswer};
pub(crate) use plan::derive;
pub(crate) use search::{NormalForm, Search};
pub(crate) use settings::Settings;
pub use stage::Stage;
pub use step::Step;
