//! Tokens of MLIR and XLA texts.

use quaff_expr::expr::name::is_word;
use std::ops::Range;

/// The kind of a token. The text of a token is found by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name: words with single dots between them, such as `d0`, `floordiv` or `affine.apply`.
    Name,
    /// A value such as `%i`.
    Value,
    /// An attribute such as `#map`.
    Attribute,
    /// A token that begins with a digit, whether or not it is a number.
    Number,
    /// An operator or a bracket of these languages.
    Sign,
    /// A token that these languages do not have.
    Foreign,
    /// The end of the text.
    End,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

/// The signs. Longer ones come first.
const SIGNS: [&str; 19] =
    ["->", ">=", "<=", "==", "+", "-", "*", "(", ")", "[", "]", "{", "}", "<", ">", ",", ":", "=", ";"];

/// Signs of other languages. Any other unknown character is a token by itself.
const FOREIGN: [&str; 10] = ["//", "<<", ">>", "&&", "||", "**", "!=", "<-", "/*", "::"];

/// The tokens of `text`, followed by a token for its end. This never fails, because a token of another language becomes
/// `Foreign`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at = skip(text, at);
        let (kind, length) = token(&text[at..]);
        tokens.push(Token { kind, span: at..at + length });
        if kind == Kind::End {
            return tokens;
        }
        at += length;
    }
}

/// The position of the next token. A line that begins with `//` is a comment. At any other place, `//` is a division of
/// another language.
fn skip(text: &str, mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        let space = rest.len() - rest.trim_start().len();
        let begins_line = at == 0 || rest[..space].contains('\n');
        at += space;
        if !(begins_line && text[at..].starts_with("//")) {
            return at;
        }
        at = text[at..].find('\n').map_or(text.len(), |end| at + end);
    }
}

fn token(rest: &str) -> (Kind, usize) {
    let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
    let bytes = rest.as_bytes();
    match first {
        'a'..='z' | 'A'..='Z' | '_' => return (Kind::Name, name(bytes)),
        '0'..='9' => {
            let more = |i: usize| bytes.get(i).is_some_and(|&b| is_word(b) || b == b'.');
            return (Kind::Number, (1..).find(|&i| !more(i)).unwrap_or(1));
        }
        '%' | '#' => {
            let length = name(&bytes[1..]);
            let kind = if first == '%' { Kind::Value } else { Kind::Attribute };
            return if length == 0 { (Kind::Foreign, 1) } else { (kind, 1 + length) };
        }
        _ => {}
    }
    let starts = |signs: &[&str]| signs.iter().find(|s| rest.starts_with(**s)).map(|s| s.len());
    if let Some(length) = starts(&FOREIGN) {
        return (Kind::Foreign, length);
    }
    starts(&SIGNS).map_or((Kind::Foreign, first.len_utf8()), |length| (Kind::Sign, length))
}

/// The length of the name at the beginning of `text`: words with single dots between them.
fn name(text: &[u8]) -> usize {
    let is = |i: usize| text.get(i).is_some_and(|&b| is_word(b));
    let mut end = 0;
    while is(end) || end > 0 && text.get(end) == Some(&b'.') && is(end + 1) {
        end += 1;
    }
    end
}
