//! Readers of MLIR and XLA: affine expressions, maps and sets.
//!
//! Both languages have the operators `+ - * floordiv ceildiv mod` and parentheses. `floordiv` rounds down, `ceildiv` up, and `mod` is the
//! remainder of `floordiv`. All three divide by positive numbers only. Of MLIR, lines of `affine.apply`, `affine.min`, `affine.max` and of the
//! dialect `arith` are read as well.

mod arith;
mod foreign;
mod lex;
mod map;
mod mlir;
mod reader;
mod xla;

pub(crate) use mlir::mlir;
pub(crate) use xla::xla;
