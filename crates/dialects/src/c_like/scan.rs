//! Splits a text into tokens: words, numbers and signs. Comments are removed, and all brackets must be paired.

use super::comment;
use super::token::{Kind, Token, ends_operand};
use crate::error::ReadError;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The signs. Longer ones come first.
const SIGNS: &[&str] = &[
    "<<=", ">>=", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "+", "-", "*", "/", "%", "<", ">", "=", "!", "&", "|", "^", "~", "?", ":", ";", ",", "(", ")", "[", "]",
];

/// Signs that are not read, each with an error message and a suggestion.
const REFUSED: &[(&str, &str, &str)] = &[
    ("->", MEMBER, "declare the member as a variable, such as `v`"),
    (".", MEMBER, "declare the member as a variable, such as `v`"),
    ("**", "`**` is no operator of C", "write `x*x`"),
];

const MEMBER: &str = "a member of a value has no meaning here";

/// The tokens of `text`.
pub(super) fn scan(text: &str) -> Result<Vec<Token>, ReadError> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut open: Vec<Range<usize>> = Vec::new();
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let rest = &text[start..];
        if c.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if rest.starts_with("//") || rest.starts_with("/*") {
            at = comment::end(text, start)?;
            if let Some(last) = tokens.last().filter(|last| ends_operand(text, last)) {
                comment::check(text, start..at, last, &names)?;
            }
            continue;
        }
        let kind = kind_of(rest);
        at = start
            + match kind {
                Kind::Word => word_length(rest),
                Kind::Number => number_length(rest),
                Kind::Sign => sign_length(text, start)?,
            };
        let span = start..at;
        match kind {
            Kind::Sign => bracket(text, &span, &mut open)?,
            Kind::Word => drop(names.insert(&text[span.clone()])),
            Kind::Number => {}
        }
        tokens.push(Token { kind, span });
    }
    match open.pop() {
        Some(bracket) => Err(ReadError::new(format!("`{}` is never closed", &text[bracket.clone()]), text, bracket)),
        None => Ok(tokens),
    }
}

fn kind_of(rest: &str) -> Kind {
    match rest.as_bytes() {
        [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => Kind::Number,
        [b, ..] if b.is_ascii_alphabetic() || *b == b'_' => Kind::Word,
        [b':', b':', b, ..] if b.is_ascii_alphabetic() || *b == b'_' => Kind::Word,
        _ => Kind::Sign,
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

/// The length of the words at the beginning of `rest`, joined by `.` and `::`.
fn word_length(rest: &str) -> usize {
    let at = |i: usize| rest.as_bytes().get(i).copied().unwrap_or_default();
    let mut end = 0;
    loop {
        end += match (at(end), at(end + 1), at(end + 2)) {
            (b, _, _) if is_word(b) => 1,
            (b'.', b, _) if is_word(b) => 2,
            (b':', b':', b) if is_word(b) => 3,
            _ => return end,
        };
    }
}

/// The length of the token at the beginning of `rest` that looks like one number.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_hexadecimal = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let mut end = 1;
    while let Some(&b) = bytes.get(end) {
        let after_exponent = !is_hexadecimal && matches!(bytes[end - 1], b'e' | b'E') && matches!(b, b'+' | b'-');
        let separates = b == b'\'' && bytes.get(end + 1).is_some_and(|&b| is_word(b));
        if !is_word(b) && b != b'.' && !separates && !after_exponent {
            break;
        }
        end += 1;
    }
    end
}

fn sign_length(text: &str, start: usize) -> Result<usize, ReadError> {
    let rest = &text[start..];
    for (sign, message, help) in REFUSED {
        if rest.starts_with(sign) {
            return Err(ReadError::new(*message, text, start..start + sign.len()).with_help(*help));
        }
    }
    if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
        return Ok(sign.len());
    }
    let c = rest.chars().next().unwrap_or_default();
    let span = start..start + c.len_utf8();
    Err(match c {
        '"' | '\'' => ReadError::new("texts and characters are no integers", text, span).with_help("write the number"),
        '{' | '}' => ReadError::new("a block has no meaning as an index expression", text, span)
            .with_help("write the statements without braces"),
        '#' | '\\' => ReadError::new("lines of the preprocessor are not read", text, span)
            .with_help("write what the macro stands for"),
        _ => ReadError::new(format!("`{c}` is part of no operator, name or number"), text, span),
    })
}

/// Adds an opening bracket to `open`, or removes the one that `span` closes.
fn bracket(text: &str, span: &Range<usize>, open: &mut Vec<Range<usize>>) -> Result<(), ReadError> {
    let opens = match &text[span.clone()] {
        "(" | "[" => {
            open.push(span.clone());
            return Ok(());
        }
        ")" => "(",
        "]" => "[",
        _ => return Ok(()),
    };
    let sign = &text[span.clone()];
    match open.pop() {
        None => Err(ReadError::new(format!("`{sign}` closes nothing"), text, span.clone())),
        Some(last) if text[last.clone()] == *opens => Ok(()),
        Some(last) => {
            let message = format!("`{sign}` closes `{}`", &text[last]);
            Err(ReadError::new(message, text, span.clone()))
        }
    }
}
