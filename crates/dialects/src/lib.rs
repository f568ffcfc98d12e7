//! Reads and writes index expressions in the languages of compilers and kernels: [`read`] and [`write`](write()).
//!
//! ```
//! use quaff_dialects::{Dialect, read};
//!
//! let text = read("d0 floordiv 8 + d1 mod 4", Dialect::Mlir)?;
//! assert_eq!(text.results[0].expr().to_string(), "d0//8 + d1%4");
//! # Ok::<(), quaff_dialects::ReadError>(())
//! ```
//!
//! A dialect is a grammar and a meaning. The grammar defines the precedence of operators. The meaning maps each
//! operator to an operation: `/` of C rounds towards zero, and `/` of Halide rounds down. All results are
//! [`Expr`](quaff_expr::expr::Expr)s, whose `//` and `%` round down. A text with one result is an expression. A map
//! (`affine_map<(d0) -> (d0, d0 mod 4)>`) has several results.

mod affine;
mod c_like;
mod cuda;
mod dialect;
mod error;
mod likely;
mod python_like;
mod read;
mod reading;
mod variable;
mod write;

pub use c_like::IntegerType;
pub use dialect::{Dialect, UnknownDialect};
pub use error::ReadError;
pub use read::{Read, Requirement, read};
pub use reading::is_assignment;
pub use write::{WriteError, Written, write};
