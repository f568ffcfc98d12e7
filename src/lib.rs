//! quaff simplifies quasi-affine index expressions for GPUs.

pub mod check;
pub mod cost;
pub mod dims;
pub mod domain;
pub mod egraph;
pub mod emit;
mod explain;
pub mod expr;
pub mod kernel;
pub mod lower;
pub mod quasi;
pub mod rules;
mod simplify;

pub use explain::{Explained, Explanation, Reason};
pub use simplify::{Simplified, Simplifier, SimplifyError, Step};
