//! Comments: their ends, and whether a comment is a floor division of another language.

use super::token::Token;
use crate::error::ReadError;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The end of the comment that begins at `start`.
pub(super) fn end(text: &str, start: usize) -> Result<usize, ReadError> {
    let rest = &text[start..];
    if rest.starts_with("//") {
        return Ok(start + rest.find('\n').unwrap_or(rest.len()));
    }
    match rest[2..].find("*/") {
        Some(length) => Ok(start + 2 + length + 2),
        None => Err(ReadError::new("the comment is never closed", text, start..start + 2)),
    }
}

/// Refuses `//` between two expressions: `x // 4` is a division in Python, and `x` in C.
pub(super) fn check(text: &str, span: Range<usize>, last: &Token, names: &FxHashSet<&str>) -> Result<(), ReadError> {
    let Some(words) = text[span.clone()].strip_prefix("//") else { return Ok(()) };
    // a comment on a separate line belongs to no expression
    let is_alone = text[last.span.end..span.start].contains('\n');
    if is_alone || !looks_like_an_expression(words, names) {
        return Ok(());
    }
    let error = ReadError::new("`//` begins a comment in C", text, span);
    Err(error.with_help("the language `python` reads it as a floor division; a comment may be on a line of its own"))
}

/// Whether `words` consists of names, numbers and operators, with no two words or numbers side by side. A single word
/// is a comment, unless it is one letter or a name of the text.
fn looks_like_an_expression(words: &str, names: &FxHashSet<&str>) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
    let bytes = words.as_bytes();
    let word = words.trim();
    let begins = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '(' | '-' | '+' | '~' | '!');
    // a text with `..` is a range such as `0..31`, and no expression
    if !word.starts_with(begins) || word.contains("..") {
        return false;
    }
    let (mut at, mut after_word, mut others) = (0, false, false);
    while let Some(&b) = bytes.get(at) {
        if is_word(b) {
            if after_word {
                return false;
            }
            after_word = true;
            others |= b.is_ascii_digit();
            at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
            continue;
        }
        if !b.is_ascii_whitespace() {
            if !b"+-*/%<>=!&|^~?:()[],;".contains(&b) {
                return false;
            }
            (after_word, others) = (false, true);
        }
        at += 1;
    }
    others || word.len() == 1 || names.contains(word)
}
