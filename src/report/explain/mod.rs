//! How an answer follows from its input, each step checked on its own.
//!
//! In go an expression and its domain, out comes an [`Explanation`], which can be printed.

mod allowance;
mod call;
mod display;
mod explainer;
mod explanation;
mod sources;
mod steps;
mod text;

pub(crate) use call::explain;
pub use explanation::{Explanation, Shortened};
pub use steps::{Explained, Fact, Reason, Source};
