//! What a text consists of.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, with its qualifiers and members: `std::min`, `threadIdx.x`.
    Word,
    /// What begins with a digit.
    Number,
    /// An operator or a bracket.
    Sign,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// Whether an operand may end with `token`.
pub(super) fn ends_operand(text: &str, token: &Token) -> bool {
    token.kind != Kind::Sign || matches!(&text[token.span.clone()], ")" | "]")
}
