//! Tokens of the infix text.

use super::error::{ParseError, ParseErrorKind, shorten};
use crate::expr::Op;
use crate::expr::name::{is_word, name_length};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// The absolute value of an integer, at most 2^63. The value 2^63 fits an `i64` only behind a minus sign.
    Int(u64),
    Name,
    /// A binary operator (`-` and `+` are also unary).
    Binary(Op),
    Tilde,
    Not,
    If,
    Else,
    Open,
    Close,
    Comma,
    End,
}

pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Lexer<'s> {
        Lexer { source, at: 0 }
    }

    fn byte(&self, ahead: usize) -> u8 {
        // no token contains the byte 0, so it can mark the end of the text
        self.source.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn error(&self, kind: ParseErrorKind, span: Range<usize>) -> ParseError {
        ParseError::new(kind, self.source, span)
    }

    /// Whether the next token is `(`. The token is not taken.
    pub(super) fn at_open_paren(&mut self) -> bool {
        self.skip_space();
        self.byte(0) == b'('
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(0), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    pub(super) fn next(&mut self) -> Result<(Token, Range<usize>), ParseError> {
        self.skip_space();
        let start = self.at;
        if start == self.source.len() {
            return Ok((Token::End, start..start));
        }
        let (token, length) = match (self.byte(0), self.byte(1)) {
            (b'0'..=b'9', _) => return self.number(),
            (b'A'..=b'Z' | b'a'..=b'z' | b'_', _) => return Ok(self.word()),
            (b'(', _) => (Token::Open, 1),
            (b')', _) => (Token::Close, 1),
            (b',', _) => (Token::Comma, 1),
            (b'~', _) => (Token::Tilde, 1),
            (b'*', b'*') => {
                let kind = ParseErrorKind::UnexpectedToken { found: "**".into(), expected: "another operator" };
                return Err(self.error(kind, start..start + 2));
            }
            // the longer sign is tried first, because `<` begins `<=`
            _ => match [2, 1].into_iter().find_map(|length| Some((self.sign(length)?, length))) {
                Some((op, length)) => (Token::Binary(op), length),
                None if self.byte(0) == b'/' => return Err(self.error(ParseErrorKind::SingleSlash, start..start + 1)),
                None => {
                    let c = self.source[start..].chars().next().unwrap_or_default();
                    return Err(self.error(ParseErrorKind::UnknownCharacter(c), start..start + c.len_utf8()));
                }
            },
        };
        self.at += length;
        Ok((token, start..self.at))
    }

    /// The operator whose sign is the next `length` bytes.
    fn sign(&self, length: usize) -> Option<Op> {
        self.source.get(self.at..self.at + length).and_then(Op::with_symbol)
    }

    fn word(&mut self) -> (Token, Range<usize>) {
        let start = self.at;
        self.at += name_length(&self.source.as_bytes()[start..]);
        let token = match &self.source[start..self.at] {
            "and" => Token::Binary(Op::And),
            "or" => Token::Binary(Op::Or),
            "not" => Token::Not,
            "if" => Token::If,
            "else" => Token::Else,
            "True" => Token::Int(1),
            "False" => Token::Int(0),
            _ => Token::Name,
        };
        (token, start..self.at)
    }

    fn number(&mut self) -> Result<(Token, Range<usize>), ParseError> {
        let start = self.at;
        // take all characters that look like one number, then check them
        while is_word(self.byte(0)) || (self.byte(0) == b'.' && self.byte(1) != b'.') {
            self.at += 1;
        }
        let (text, span) = (&self.source[start..self.at], start..self.at);
        match integer(text) {
            Some(Some(value)) => Ok((Token::Int(value), span)),
            Some(None) => Err(self.error(ParseErrorKind::LiteralTooLarge { text: shorten(text) }, span)),
            None => Err(self.error(ParseErrorKind::NotAnInteger { text: shorten(text) }, span)),
        }
    }
}

/// The value of an unsigned literal. `None` when the text is no integer, and `Some(None)` when the value is above 2^63.
pub(super) fn integer(text: &str) -> Option<Option<u64>> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'o' | b'O', ..] => (8, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        _ => (10, text),
    };
    // underscores group digits, and are only allowed between digits, as in Python
    if digits.is_empty() || digits.ends_with('_') || digits.contains("__") || (radix == 10 && digits.starts_with('_')) {
        return None;
    }
    let mut value = Some(0u64);
    for c in digits.chars().filter(|&c| c != '_') {
        let digit = u64::from(c.to_digit(radix)?);
        value = value.and_then(|v| v.checked_mul(u64::from(radix))?.checked_add(digit));
    }
    Some(value.filter(|&v| v <= 1 << 63))
}
