//! Readers of MLIR and XLA: affine expressions, maps and sets.
//!
//! Both languages have the operators `+ - * floordiv ceildiv mod` and parentheses. `floordiv` rounds down, `ceildiv`
//! rounds up, and `mod` is the remainder of `floordiv`. Divisors must be positive. In MLIR, lines with `affine.apply`,
//! `affine.min`, `affine.max` and operations of the dialect `arith` are read, too.

mod arith;
mod foreign;
mod lex;
mod map;
mod mlir;
mod reader;
mod xla;

pub(crate) use mlir::mlir;
pub(crate) use xla::xla;
