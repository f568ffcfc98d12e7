//! The tokens of a text.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, with its qualifiers and members: `std::min`, `threadIdx.x`.
    Word,
    /// A token that begins with a digit.
    Number,
    /// An operator or a bracket.
    Sign,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// Whether an operand may end with `token`.
pub(super) fn ends_operand(text: &str, token: &Token) -> bool {
    match token.kind {
        Kind::Number => true,
        Kind::Word => !matches!(&text[token.span.clone()], "and" | "or" | "not" | "return"),
        Kind::Sign => matches!(&text[token.span.clone()], ")" | "]"),
    }
}

/// `text` in quotes, for a message.
pub(super) fn shown(text: &str) -> String {
    const MAX: usize = 40;
    match text.char_indices().nth(MAX) {
        Some((at, _)) => format!("`{}...`", &text[..at]),
        None => format!("`{text}`"),
    }
}
