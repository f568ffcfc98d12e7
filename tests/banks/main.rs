//! Tests of banks of shared memory. The expected results come from a simulator without types, layouts and expressions.

mod access;
mod best;
#[path = "../support/golden.rs"]
mod golden;
mod machines;
mod simulator;
mod swizzle;
mod types;
