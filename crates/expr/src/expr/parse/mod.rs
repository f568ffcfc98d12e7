//! Parsers of expressions: Python's infix grammar, and s-expressions.
//!
//! ```
//! use quaff_expr::expr::{Expr, parse};
//!
//! let parsed = parse("(i*16 + j) // 4 % 8")?;
//! assert_eq!(parsed.expr().to_string(), "(i*16 + j)//4%8");
//! assert_eq!(parsed.span_of(&parsed.expr().args()[0]), Some(0..15)); // (i*16 + j) // 4
//!
//! let short: Expr = "0 <= i < n".parse()?;
//! assert_eq!(short.to_string(), "0 <= i and i < n");
//! # Ok::<(), quaff_expr::expr::ParseError>(())
//! ```

mod error;
mod infix;
mod lex;
mod nodes;
mod parsed;
mod sexp;

pub use error::{ParseError, ParseErrorKind};
pub use nodes::Nodes;
pub use parsed::Parsed;
pub use sexp::parse_sexp;

use super::Expr;
use std::str::FromStr;

/// Reads infix text with Python's grammar and precedence.
///
/// The operators, from the loosest to the tightest:
///
/// - `a if c else b`
/// - `or`
/// - `and`
/// - `not`
/// - comparisons (`<` `<=` `>` `>=` `==` `!=`, in chains as in `0 <= i < n`)
/// - `|`
/// - `^`
/// - `&`
/// - `<<` `>>`
/// - `+` `-`
/// - `*` `//` `%`
/// - unary `-` `+` `~`
///
/// The functions are `min` and `max` of two or more arguments, `where(c, a, b)`, `abs(x)`, and `gcd` of two or more.
/// `//` and `%` are floor division and modulo. `truncdiv(a, b)` and `truncmod(a, b)` are `/` and `%` of C, which round
/// towards zero. Integers are decimal, `0x`, `0o` or `0b`, with `_` between digits. `True` is 1 and `False` is 0. Names
/// are ASCII words, with single dots between words, such as `shape.x`. `-` directly before an integer makes a negative
/// constant. Some operations are replaced by others: `~x` becomes `-x - 1`, `abs(x)` becomes `max(x, -x)`, and a chain
/// of comparisons becomes an `and`. A `gcd` is replaced by the expression of
/// [`common_divisor`](super::divisor::common_divisor), which takes time that is linear in its operands.
///
/// Equal sub-expressions of the text are one shared node. Time and memory are linear in the text. The depth of nesting
/// is not limited.
///
/// # Errors
/// [`ParseError`], with the place, when `source` is not such an expression or contains an integer outside of `i64`.
pub fn parse(source: &str) -> Result<Parsed, ParseError> {
    infix::parse(source)
}

impl FromStr for Expr {
    type Err = ParseError;

    /// The expression that [`parse`] reads.
    fn from_str(source: &str) -> Result<Expr, ParseError> {
        parse(source).map(Parsed::into_expr)
    }
}
