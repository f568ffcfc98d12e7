//! Whole kernels: their text, and what they compute when they are compiled and run.

mod blocks;
mod compiled;
mod random;
mod run_time;
mod text;
mod vectors;
