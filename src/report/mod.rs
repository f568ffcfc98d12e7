//! Reports about a call: how its answer follows from the input ([`Explanation`]), and what each rule did for it
//! ([`Statistics`]).
//!
//! Both ask which rules the answer needs (`needed.rs`), and what fired in all e-graphs of the call (`recorder.rs`).

mod explain;
mod needed;
mod recorder;

pub use explain::{Explained, Explanation, Fact, Reason, Shortened, Source};
