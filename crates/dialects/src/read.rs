//! [`read`]: a text of one dialect as expressions.

use crate::c_like::c_like;
use crate::dialect::Dialect;
use crate::error::ReadError;
pub use crate::reading::{Read, Requirement};
use quaff_expr::expr::{parse, parse_sexp};

/// Reads `text` with the grammar and the meaning of `dialect`.
///
/// # Errors
/// [`ReadError`], with the place and the nearest text that has a meaning, where `text` has none.
pub fn read(text: &str, dialect: Dialect) -> Result<Read, ReadError> {
    match dialect {
        Dialect::C | Dialect::Cuda | Dialect::Halide => c_like(text, dialect),
        Dialect::Infix => Ok(Read::one(parse(text)?)),
        Dialect::Sexp => Ok(Read::one(parse_sexp(text)?)),
        _ => Err(ReadError::new(format!("`{dialect}` has no reader"), text, 0..text.len())),
    }
}
