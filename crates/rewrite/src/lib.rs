//! Rewrites the index arithmetic of CUDA and Triton source files.

mod model;
mod notes;
mod options;
mod python;

pub use options::Options;
