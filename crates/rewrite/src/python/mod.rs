//! The reader of kernels in Triton.
