//! Texts in machine types: their form, and the values that they compute when they are compiled and run.

mod accesses;
mod compiled;
mod contract;
mod function;
mod high;
mod loops;
mod names;
mod nested;
mod simplified;
mod text;
mod triton;
mod truncations;
mod vectors;
mod width;

#[path = "../support/cpp.rs"]
mod cpp;
#[path = "../support/host.rs"]
mod host;
