//! [`read`]: a text of one dialect as expressions.

use crate::affine::{mlir, xla};
use crate::c_like::c_like;
use crate::dialect::Dialect;
use crate::error::ReadError;
use crate::python_like;
pub use crate::reading::{Read, Requirement};
use quaff_expr::expr::{parse, parse_sexp};

/// Reads `text` with the grammar and the meaning of `dialect`.
///
/// # Errors
/// [`ReadError`] if `text` has no meaning. The error has the place and the nearest text that has a meaning.
pub fn read(text: &str, dialect: Dialect) -> Result<Read, ReadError> {
    match dialect {
        Dialect::C | Dialect::Cuda | Dialect::Halide => c_like(text, dialect),
        Dialect::Infix => Ok(Read::one(parse(text)?)),
        Dialect::Mlir => mlir(text),
        Dialect::Xla => xla(text),
        Dialect::Sexp => Ok(Read::one(parse_sexp(text)?)),
        Dialect::Triton | Dialect::Inductor | Dialect::Sympy | Dialect::Tvm | Dialect::Tinygrad | Dialect::Python => {
            python_like::read(text, dialect)
        }
    }
}
