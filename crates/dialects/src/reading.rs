//! [`Read`]: the result of reading a text.

use quaff_expr::domain::{Domain, Interval};
use quaff_expr::expr::{Expr, Parsed};

/// A text that was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The results, each with its places in the text. An expression has one result, and a map has several.
    pub results: Vec<Parsed>,
    /// The ranges and conditions that the text or its language gives, such as the ranges of the dimensions of an XLA
    /// map, or the range of `threadIdx.x`.
    pub domain: Domain,
    /// The conditions under which the results have the meaning of the text. The user of the results must prove them.
    pub requirements: Vec<Requirement>,
}

/// A value that must be in a range. If it is outside, the text has another meaning, for example because a 64-bit number
/// wraps around.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The value.
    pub value: Expr,
    /// The node of the results for which the requirement is needed: the value itself, or a quotient without a
    /// remainder.
    pub part: Expr,
    /// The range that must contain the value.
    pub range: Interval,
    /// The reason, as a sentence about the value: "wraps around as `size_t` where it is negative".
    pub reason: &'static str,
}

impl Requirement {
    /// Whether a value in `range` meets the requirement.
    pub fn is_met(&self, range: Interval) -> bool {
        self.range.hull(range) == self.range
    }
}

impl Read {
    /// One expression without any further facts.
    pub(crate) fn one(parsed: Parsed) -> Read {
        Read { results: vec![parsed], domain: Domain::new(), requirements: Vec::new() }
    }
}

/// Whether `text` assigns a value outside of brackets, as `y = 3` does. Languages with statements read such a text as the
/// assigned value, so a caller that needs a condition has to refuse it. The time is linear in the length of the text.
///
/// ```
/// use quaff_dialects::is_assignment;
///
/// assert!(is_assignment("y = 3") && is_assignment("y += 3"));
/// assert!(!is_assignment("y == 3 && x <= 4") && !is_assignment("Eq(y, 3, evaluate=False)"));
/// ```
pub fn is_assignment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is = |at: usize, signs: &[u8]| bytes.get(at).is_some_and(|sign| signs.contains(sign));
    let mut depth = 0_usize;
    (0..bytes.len()).any(|at| {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && is(at, b"=") && !is(at + 1, b"=") && (at == 0 || !is(at - 1, b"=<>!"))
    })
}
