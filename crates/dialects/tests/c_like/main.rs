//! C, CUDA and Halide: the texts that the readers accept, their meaning, and the texts that they refuse.

mod compiled;
mod robust;
mod table;
mod values;
