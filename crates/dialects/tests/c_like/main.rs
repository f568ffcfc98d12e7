//! C, CUDA and Halide: what is read, with which meaning, and what is refused.

mod compiled;
mod robust;
mod table;
mod values;
