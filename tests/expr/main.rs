//! Tests of expressions: parsing, printing and evaluation.

mod error;
mod eval;
mod operators;
mod parse;
mod truncation;
