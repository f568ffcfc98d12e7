//! Text of expressions for CUDA, C, Python, Rust and s-expressions.
