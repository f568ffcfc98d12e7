//! Expressions: reading, writing and evaluating them.

mod error;
mod eval;
mod operators;
mod parse;
mod truncation;
