//! quaff simplifies quasi-affine index expressions for GPUs.

pub mod dims;
pub mod domain;
pub mod emit;
pub mod expr;
pub mod lower;
