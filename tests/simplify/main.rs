//! Complete calls of the simplifier: their answers, their costs, and the work that they take.

mod alternatives;
mod assume;
mod ceilings;
mod contexts;
mod copies;
mod corpora;
mod cost;
mod effort;
mod explain;
mod feedback;
mod growth;
mod large_inputs;
mod levels;
mod negations;
mod optimality;
mod properties;
mod questions;
mod saved;
mod shared;
mod signs;
mod sizes;
mod symbolic;

#[path = "../support/samples.rs"]
mod samples;

#[path = "../support/golden.rs"]
mod golden;
mod kernels;

#[path = "../support/masks.rs"]
mod masks;

#[path = "../../benches/shapes/mod.rs"]
mod shapes;
