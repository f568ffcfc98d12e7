//! Splits the text of a chain into calls separated by dots, and arguments separated by commas. Calls and arguments are
//! places in the text.
//!
//! This module returns places only. The module [`super`] interprets the arguments.

use super::error::{ChainError, ChainErrorKind};
use std::ops::Range;

/// One call of a chain: a name and its arguments. A layout `(sizes):(strides)` is a call with an empty name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The place from the name to the closing parenthesis.
    pub(super) span: Range<usize>,
    pub(super) name: Range<usize>,
    /// The places between the parentheses, without surrounding white space. Empty for `()`.
    pub(super) arguments: Vec<Range<usize>>,
}

/// Splits a chain into its calls. The time is linear in the length of the text.
pub(super) fn calls(text: &str) -> Result<Vec<Call>, ChainError> {
    let mut calls = Vec::new();
    for part in split(text, 0..text.len(), '.')? {
        calls.push(call(text, part)?);
    }
    Ok(calls)
}

/// The parts of `text[within]` between occurrences of `separator` outside of all parentheses, trimmed.
///
/// # Errors
/// [`ChainError`] when parentheses do not match.
pub(super) fn split(text: &str, within: Range<usize>, separator: char) -> Result<Vec<Range<usize>>, ChainError> {
    let (mut parts, mut start, mut open) = (Vec::new(), within.start, Vec::new());
    for (i, c) in text[within.clone()].char_indices() {
        let at = within.start + i;
        match c {
            '(' => open.push(at),
            ')' if open.pop().is_none() => {
                return Err(ChainError::new(ChainErrorKind::Unopened, text, at..at + 1));
            }
            c if c == separator && open.is_empty() => {
                parts.push(trim(text, start..at));
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if let Some(&at) = open.last() {
        return Err(ChainError::new(ChainErrorKind::Unclosed, text, at..at + 1));
    }
    parts.push(trim(text, start..within.end));
    Ok(parts)
}

/// `part` without surrounding white space.
fn trim(text: &str, part: Range<usize>) -> Range<usize> {
    let inner = &text[part.clone()];
    let start = part.start + (inner.len() - inner.trim_start().len());
    start..start.max(part.start + inner.trim_end().len())
}

fn call(text: &str, part: Range<usize>) -> Result<Call, ChainError> {
    let inner = &text[part.clone()];
    let expected = |at: Range<usize>| Err(ChainError::new(ChainErrorKind::ExpectedCall, text, at));
    let Some(open) = inner.find('(').map(|i| part.start + i) else { return expected(part) };
    let name = trim(text, part.start..open);
    if name.is_empty() {
        // the only argument of a layout `(8, 12):(12, 1)` is the layout itself
        return Ok(Call { span: part.clone(), name, arguments: vec![part] });
    }
    if !inner.ends_with(')') || closing(text, open) != Some(part.end - 1) {
        let after = closing(text, open).map_or(part.start, |at| at + 1);
        return expected(trim(text, after..part.end));
    }
    let inside = trim(text, open + 1..part.end - 1);
    let arguments = if inside.is_empty() { vec![] } else { split(text, inside, ',')? };
    Ok(Call { span: part, name, arguments })
}

/// The position of the parenthesis that closes the parenthesis at `open`.
pub(super) fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in text[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(open + i),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The place within the parentheses of `part`, if they enclose the whole part.
pub(super) fn group(text: &str, part: &Range<usize>) -> Option<Range<usize>> {
    let grouped = text[part.clone()].starts_with('(') && closing(text, part.start) == Some(part.end - 1);
    grouped.then(|| part.start + 1..part.end - 1)
}

/// The two parts of `(a, b)`, if `part` has this form.
pub(super) fn pair(text: &str, part: Range<usize>) -> Result<Option<[Range<usize>; 2]>, ChainError> {
    let Some(inside) = group(text, &part) else { return Ok(None) };
    Ok(<[Range<usize>; 2]>::try_from(split(text, inside, ',')?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> Vec<(&str, Vec<&str>)> {
        let words = |c: &Call| (&text[c.name.clone()], c.arguments.iter().map(|a| &text[a.clone()]).collect());
        calls(text).unwrap().iter().map(words).collect()
    }

    #[test]
    fn calls_and_arguments() {
        let text = " shape(8, 4*(n + 1)) .pad((0, 1), (max(a, b), 0)).flip()";
        let expected = [("shape", vec!["8", "4*(n + 1)"]), ("pad", vec!["(0, 1)", "(max(a, b), 0)"]), ("flip", vec![])];
        assert_eq!(outline(text), expected);
        assert_eq!(outline("(8, 12):(12, 1).permute(1, 0)")[0], ("", vec!["(8, 12):(12, 1)"]));
    }

    #[test]
    fn pairs() {
        let two = |text: &str| pair(text, 0..text.len()).unwrap().map(|p| p.map(|r| text[r].to_string()));
        assert_eq!(two("(1, f(2, 3))"), Some(["1".into(), "f(2, 3)".into()]));
        assert_eq!(two("(1 + 2)*(3, 4)"), None);
        assert_eq!(two("(1, 2, 3)"), None);
    }

    #[test]
    fn what_does_not_match() {
        for (text, at) in [("shape(8", 5), ("shape(8))", 8), ("shape(8).7", 9), ("shape(8) x.flip(0)", 9)] {
            assert_eq!(calls(text).unwrap_err().span().start, at, "{text}");
        }
    }
}
