//! Expressions from text: Python's infix grammar and s-expressions.
//!
//! ```
//! use quaff::expr::{Expr, parse};
//!
//! let parsed = parse("(i*16 + j) // 4 % 8")?;
//! assert_eq!(parsed.expr().to_string(), "(i*16 + j)//4%8");
//! assert_eq!(parsed.span_of(&parsed.expr().args()[0]), Some(0..15)); // (i*16 + j) // 4
//!
//! let short: Expr = "0 <= i < n".parse()?;
//! assert_eq!(short.to_string(), "0 <= i and i < n");
//! # Ok::<(), quaff::expr::ParseError>(())
//! ```

mod error;
mod infix;
mod lex;
mod sexp;
mod shared;

pub use error::{ParseError, ParseErrorKind};
pub use sexp::parse_sexp;

use super::Expr;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

/// A parsed expression that remembers its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    expr: Expr,
    source: Arc<str>,
    /// Address, start, end of each node, in the order of parsing.
    spans: Vec<(usize, usize, usize)>,
    /// `spans` by address; made when first asked for, because most texts are fine and nobody asks.
    by_address: OnceLock<Vec<(usize, usize, usize)>>,
}

impl Parsed {
    fn new(expr: Expr, source: &str, spans: Vec<(usize, usize, usize)>) -> Parsed {
        Parsed { expr, source: source.into(), spans, by_address: OnceLock::new() }
    }

    /// The expression.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// The expression, without its text.
    pub fn into_expr(self) -> Expr {
        self.expr
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The bytes of the text that `e`, a node of this very expression, was read from, without parentheses around it.
    ///
    /// Equal sub-expressions are one node, whose place is that of the first. `None` for a node from elsewhere, even an equal
    /// one. The first call sorts, O(n log n); further ones O(log n).
    pub fn span_of(&self, e: &Expr) -> Option<Range<usize>> {
        let sorted = self.by_address.get_or_init(|| {
            let mut spans = self.spans.clone();
            spans.sort_unstable();
            spans
        });
        let at = sorted.partition_point(|s| s.0 < e.address());
        sorted.get(at).filter(|s| s.0 == e.address()).map(|s| s.1..s.2)
    }
}

/// Reads infix text with Python's grammar and precedence.
///
/// From loosest to tightest: `a if c else b`, `or`, `and`, `not`, comparisons (`<` `<=` `>` `>=` `==` `!=`, in chains as
/// in `0 <= i < n`), `|`, `^`, `&`, `<<` `>>`, `+` `-`, `*` `//` `%`, unary `-` `+` `~`. Functions: `min` and `max` of two
/// or more, `where(c, a, b)`, `abs(x)`. Integers are decimal, `0x`, `0o` or `0b`, with `_` between digits; `True` is 1
/// and `False` 0. `-` directly before an integer makes a negative constant. What has no operator of its own is
/// expressed by others: `~x` is `-x - 1`, `abs(x)` is `max(x, -x)`, a chain is an `and`.
///
/// Sub-expressions that are written more than once are one shared node. Time and memory are linear in the text; the depth of
/// nesting is not limited.
///
/// # Errors
/// [`ParseError`], with the place, when `source` is no such expression or holds an integer outside of `i64`.
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
