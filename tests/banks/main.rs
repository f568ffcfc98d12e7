//! Banks of shared memory, against a simulator that knows nothing of types, layouts or expressions.

mod access;
mod best;
#[path = "../support/golden.rs"]
mod golden;
mod machines;
mod simulator;
mod swizzle;
mod types;
