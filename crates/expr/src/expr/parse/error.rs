//! Errors in the text of an expression.

use crate::expr::Expr;
use miette::{Diagnostic, LabeledSpan, SourceCode};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The functions that expression text may call, as error messages list them.
const KNOWN_FUNCTIONS: &str = "abs, gcd, max, min, truncdiv, truncmod, where";

/// The operators of s-expressions, as error messages list them.
const KNOWN_OPERATORS: &str =
    "+ - * // % & | ^ << >> ~ < <= > >= == != abs and gcd max min not or truncdiv truncmod where";

/// The error for text that is not an expression. The error has the problem ([`kind`](ParseError::kind)), the place
/// ([`span`](ParseError::span)) and, as a [`Diagnostic`], a help text.
///
/// The error is small (one pointer), because results that are usually successful contain it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.inner.kind)]
pub struct ParseError {
    inner: Box<Inner>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ParseErrorKind,
    source: Arc<str>,
    span: Range<usize>,
}

/// The kinds of a [`ParseError`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The text has only white space.
    #[error("the expression is empty")]
    Empty,
    /// A token is not allowed at this place.
    #[error("expected {expected}, found `{found}`")]
    UnexpectedToken {
        /// The token's text.
        found: String,
        /// A description of the expected text.
        expected: &'static str,
    },
    /// The text ends in the middle of an expression.
    #[error("expected {expected}, found the end of the text")]
    UnexpectedEnd {
        /// A description of the expected text.
        expected: &'static str,
    },
    /// A character belongs to no token.
    #[error("`{0}` is not part of any operator, name or number")]
    UnknownCharacter(char),
    /// A single `/` was found.
    #[error("`/` is not an operator here")]
    SingleSlash,
    /// `not` is the operand of an operator that binds more tightly.
    #[error("`not` needs parentheses here")]
    NotInOperand,
    /// A `(` has no `)`.
    #[error("this `(` is never closed")]
    Unclosed {
        /// The end of the text, or the place of the token that cannot be inside the parentheses.
        at: usize,
    },
    /// A `)` has no `(`.
    #[error("this `)` closes nothing")]
    Unopened,
    /// A function that does not exist is called.
    #[error("unknown function `{name}`")]
    UnknownFunction {
        /// The name of the function.
        name: String,
    },
    /// An s-expression does not start with an operator.
    #[error("unknown operator `{name}`")]
    UnknownOperator {
        /// The text in the place of the operator.
        name: String,
    },
    /// A call has too few or too many arguments.
    #[error("`{function}` takes {expected}, found {found}")]
    WrongArguments {
        /// The function or operator.
        function: String,
        /// The expected number of arguments, in words.
        expected: &'static str,
        /// The number of given arguments.
        found: usize,
    },
    /// The greatest common divisor is unknown, and expressions have no operator for it.
    #[error("the gcd of `{a}` and `{b}` is not known, and a result has no gcd")]
    GcdLeft {
        /// One operand without its known common factors, shortened when long.
        a: String,
        /// The other operand.
        b: String,
    },
    /// An integer does not fit signed 64 bits.
    #[error("the integer `{text}` does not fit 64 bits")]
    LiteralTooLarge {
        /// The literal, shortened when long.
        text: String,
    },
    /// A number contains a fraction, an exponent or a letter.
    #[error("`{text}` is not an integer")]
    NotAnInteger {
        /// The text of the number.
        text: String,
    },
    /// A complete expression is followed by more text.
    #[error("`{found}` follows a complete expression")]
    TrailingText {
        /// The first token behind the expression.
        found: String,
    },
    /// An s-expression has more levels of parentheses than its reader supports.
    #[error("the s-expression is nested deeper than {limit} levels")]
    TooDeep {
        /// The greatest supported depth.
        limit: usize,
    },
}

impl ParseErrorKind {
    pub(super) fn gcd_left(a: &Expr, b: &Expr) -> ParseErrorKind {
        let [a, b] = [a, b].map(|e| shorten(&e.to_string()));
        ParseErrorKind::GcdLeft { a, b }
    }
}

impl ParseError {
    pub(crate) fn new(kind: ParseErrorKind, source: &str, span: Range<usize>) -> ParseError {
        ParseError { inner: Box::new(Inner { kind, source: source.into(), span }) }
    }

    /// The kind of error.
    pub fn kind(&self) -> &ParseErrorKind {
        &self.inner.kind
    }

    /// The bytes of [`source`](ParseError::source_text) that contain the error. The span may be empty at the end of the
    /// text.
    pub fn span(&self) -> Range<usize> {
        self.inner.span.clone()
    }

    /// The text that was parsed.
    pub fn source_text(&self) -> &str {
        &self.inner.source
    }

    /// The error with its place counted in `source`, in which the parsed text starts at byte `offset`.
    pub fn within(mut self, source: &str, offset: usize) -> ParseError {
        self.inner.source = source.into();
        let span = &self.inner.span;
        self.inner.span = span.start.saturating_add(offset)..span.end.saturating_add(offset);
        if let ParseErrorKind::Unclosed { at } = &mut self.inner.kind {
            *at = at.saturating_add(offset);
        }
        self
    }
}

impl Diagnostic for ParseError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new("quaff::parse"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        use ParseErrorKind as K;
        let text = match self.kind() {
            K::Empty => "write an expression such as `i*16 + j`".into(),
            K::UnexpectedToken { .. } | K::UnexpectedEnd { .. } => return None,
            K::UnknownCharacter('=') => "use == to compare".into(),
            K::UnknownCharacter('!') => "use `not a`, or != to compare".into(),
            K::UnknownCharacter('.') => {
                "numbers are integers, and a dot in a name stands between two words: `shape.x`".into()
            }
            K::UnknownCharacter(_) => "operators are + - * // % & | ^ << >> ~ and comparisons; names are ASCII".into(),
            K::SingleSlash => "use // for floor division".into(),
            K::NotInOperand => "`not` binds less tightly than this operator: write (not ...)".into(),
            K::Unclosed { .. } => "add the missing `)`".into(),
            K::Unopened => "remove it, or add the missing `(`".into(),
            K::UnknownFunction { .. } => format!("known functions: {KNOWN_FUNCTIONS}"),
            K::UnknownOperator { .. } => format!("known operators: {KNOWN_OPERATORS}"),
            K::WrongArguments { .. } => return None,
            K::GcdLeft { .. } => "one of both has to be a number, or a multiple of the other".into(),
            K::LiteralTooLarge { .. } => format!("integers lie in {}..{}", i64::MIN, i64::MAX),
            K::NotAnInteger { .. } => "all values are integers".into(),
            K::TrailingText { .. } => "an operator is missing before it".into(),
            K::TooDeep { .. } => "use the infix form, whose depth is not limited".into(),
        };
        Some(Box::new(text))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.inner.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let here = |label: &str, span: Range<usize>| LabeledSpan::new(Some(label.into()), span.start, span.len());
        let first = match self.kind() {
            ParseErrorKind::Unclosed { .. } => here("opened here", self.span()),
            _ => here("here", self.span()),
        };
        let second = match *self.kind() {
            ParseErrorKind::Unclosed { at } => Some(here("should be closed before this", at..at)),
            _ => None,
        };
        Some(Box::new(std::iter::once(first).chain(second)))
    }
}

/// `text`, shortened when it is too long for a message.
pub(super) fn shorten(text: &str) -> String {
    const MAX: usize = 40;
    match text.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN_FUNCTIONS, KNOWN_OPERATORS};
    use crate::expr::Op;

    #[test]
    fn messages_list_every_operator() {
        for op in Op::all() {
            assert!(KNOWN_OPERATORS.split(' ').any(|known| known == op.symbol()), "{op:?}");
            assert_eq!(KNOWN_FUNCTIONS.split(", ").any(|known| known == op.symbol()), op.is_call(), "{op:?}");
        }
    }
}
