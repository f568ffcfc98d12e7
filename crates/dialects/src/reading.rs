//! [`Read`]: what a reader makes of a text.

use quaff_expr::domain::{Domain, Interval};
use quaff_expr::expr::{Expr, Parsed};

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The results, each with its places in the text. An expression has one, a map has several.
    pub results: Vec<Parsed>,
    /// Ranges and conditions that the text or its language gives: those of the dimensions of an XLA map, or of `threadIdx.x`.
    pub domain: Domain,
    /// What the meaning of the results relies on. Whoever uses them has to prove it.
    pub requirements: Vec<Requirement>,
}

/// A value that has to lie in a range. The text means something else where it does not, such as a 64-bit number that wraps around.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The value.
    pub value: Expr,
    /// The node of the results that relies on it: the value itself, or a quotient without a rest.
    pub part: Expr,
    /// The range that it has to lie in.
    pub range: Interval,
    /// The reason, as a sentence about the value: "wraps around as `size_t` where it is negative".
    pub reason: &'static str,
}

impl Requirement {
    /// Whether a value that lies in `range` meets it.
    pub fn is_met(&self, range: Interval) -> bool {
        self.range.hull(range) == self.range
    }
}

impl Read {
    /// One expression, of which nothing more is known.
    pub(crate) fn one(parsed: Parsed) -> Read {
        Read { results: vec![parsed], domain: Domain::new(), requirements: Vec::new() }
    }
}
