//! Tests of the readers of C, CUDA and Halide: texts with their meanings, and refused texts with their errors.

mod compiled;
mod robust;
mod table;
mod values;
