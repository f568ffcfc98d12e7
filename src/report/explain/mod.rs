//! Explains how an answer follows from its input. Each step is checked separately.
//!
//! The input is an expression and its domain. The output is an [`Explanation`], which can be printed.

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
