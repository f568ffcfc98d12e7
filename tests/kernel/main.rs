//! Whole kernels: their text, and the values that they compute when they are compiled and run.

mod blocks;
mod bounds;
mod compiled;
mod random;
mod run_time;
mod text;
mod transfers;
mod vectors;

#[path = "../support/cpp.rs"]
mod cpp;
