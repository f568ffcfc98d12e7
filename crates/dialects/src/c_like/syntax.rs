//! The syntax tree of a text, by the grammar of tree-sitter, and the error of a text that has no tree.

use super::token::{Kind, Token, ends_operand, shown};
use super::types::is_type_word;
use crate::error::ReadError;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// The text that is put before the masked text to make it the body of a function.
pub(super) const BEFORE: &str = "{";
/// The text that is put after the masked text.
const AFTER: &str = "\n;}";

/// The limit of parser steps, in hundreds. For every two tokens, one more hundred is allowed. The repair of an invalid
/// text may need more.
const STEPS: usize = 4096;

/// The tree of a text whose tokens are spelled as in `masked`.
pub(super) fn tree(text: &str, masked: &str, tokens: &[Token]) -> Result<Tree, ReadError> {
    adjacent(text, tokens)?;
    let failed = || ReadError::new("the grammar has no answer for this text", text, 0..text.len());
    match parsed(masked, STEPS + tokens.len() / 2).0 {
        Some(tree) if !tree.root_node().has_error() => Ok(tree),
        tree => Err(half_operation(text, tokens)
            .or_else(|| half_choice(text, tokens))
            .or_else(|| tree.and_then(|t| misfit(text, &t)))
            .unwrap_or_else(failed)),
    }
}

/// The tree of `masked`, if parsing takes at most `limit` hundreds of steps, and the number of hundreds that it took.
fn parsed(masked: &str, limit: usize) -> (Option<Tree>, usize) {
    let whole = [BEFORE, masked, AFTER].concat();
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).is_err() {
        return (None, 0);
    }
    let mut steps = 0;
    let mut progress = |_: &_| {
        steps += 1;
        if steps > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut |at, _| &whole.as_bytes()[at..], None, Some(options));
    (tree, steps)
}

/// The byte range of the text that `node` covers.
pub(super) fn place(node: &Node, text: &str) -> Range<usize> {
    let within = |at: usize| at.saturating_sub(BEFORE.len()).min(text.len());
    within(node.start_byte())..within(node.end_byte())
}

/// The first operator that has no operand after it.
fn half_operation(text: &str, tokens: &[Token]) -> Option<ReadError> {
    let of = |t: &Token| &text[t.span.clone()];
    for (i, token) in tokens.iter().enumerate() {
        let next = tokens.get(i + 1);
        let needs_operand = !ends_operand(text, token) && !matches!(of(token), ";" | "return" | "++" | "--");
        if needs_operand {
            match next {
                None => {
                    let message = format!("expected an operand behind {}, found the end of the text", shown(of(token)));
                    return Some(ReadError::new(message, text, text.len()..text.len()));
                }
                Some(n) if !(begins_operand(text, n) || of(n) == ")" && opens_call(text, &tokens[..=i])) => {
                    let message = format!("expected an operand behind {}, found {}", shown(of(token)), shown(of(n)));
                    return Some(ReadError::new(message, text, n.span.clone()));
                }
                Some(_) => {}
            }
        }
    }
    None
}

/// Reports the first two operands without an operator between them, because the parser would take long to repair them.
fn adjacent(text: &str, tokens: &[Token]) -> Result<(), ReadError> {
    let of = |t: &Token| &text[t.span.clone()];
    for (i, pair) in tokens.windows(2).enumerate() {
        let [token, next] = pair else { continue };
        let words = token.kind == Kind::Word && next.kind == Kind::Word;
        let begins = next.kind != Kind::Sign && !matches!(of(next), "and" | "or");
        if words || !begins || !ends_operand(text, token) || ends_conversion(text, &tokens[..=i]) {
            continue;
        }
        let message = format!("expected an operator between {} and {}", shown(of(token)), shown(of(next)));
        return Err(missing_operator(ReadError::new(message, text, next.span.clone()), text, tokens, i));
    }
    Ok(())
}

/// Whether `tokens` end with `(int)`.
fn ends_conversion(text: &str, tokens: &[Token]) -> bool {
    let is_type = |t: &&Token| is_type_word(&text[t.span.clone()]) || matches!(&text[t.span.clone()], "*" | "&");
    let Some((close, before)) = tokens.split_last() else { return false };
    let types = before.iter().rev().take_while(is_type).count();
    let (before, types) = before.split_at(before.len() - types);
    match before.split_last() {
        Some((open, before)) if &text[close.span.clone()] == ")" && &text[open.span.clone()] == "(" => {
            // after `)`, it may be one of several conversions
            let is_free = |t: &Token| !ends_operand(text, t) || &text[t.span.clone()] == ")";
            !types.is_empty() && before.last().is_none_or(is_free)
        }
        _ => false,
    }
}

/// Adds a suggestion to an error at `(name) x`, which would be a cast if `name` were a type.
fn missing_operator(error: ReadError, text: &str, tokens: &[Token], at: usize) -> ReadError {
    let before = at.checked_sub(2).and_then(|first| tokens.get(first..=at));
    match before {
        Some([open, name, close])
            if name.kind == Kind::Word && &text[open.span.clone()] == "(" && &text[close.span.clone()] == ")" =>
        {
            error.with_help(format!(
                "{} is no type that is known; use one such as `int64_t`",
                shown(&text[name.span.clone()])
            ))
        }
        _ => error,
    }
}

/// Whether the last of `tokens` is the bracket of a call.
fn opens_call(text: &str, tokens: &[Token]) -> bool {
    match tokens {
        [.., function, bracket] => {
            let ends = function.kind == Kind::Word || &text[function.span.clone()] == ">";
            ends && &text[bracket.span.clone()] == "("
        }
        _ => false,
    }
}

/// Finds a `?` without its `:`.
fn half_choice(text: &str, tokens: &[Token]) -> Option<ReadError> {
    let mut open = Vec::new();
    for token in tokens {
        match &text[token.span.clone()] {
            "?" => open.push(token),
            ":" if open.pop().is_none() => {
                return Some(ReadError::new("`:` has no `?` before it", text, token.span.clone()));
            }
            _ => {}
        }
    }
    let last = open.pop()?;
    Some(ReadError::new("`?` has no `:` behind it", text, last.span.clone()).with_help("write `c ? a : b`"))
}

fn begins_operand(text: &str, token: &Token) -> bool {
    (token.kind != Kind::Sign && !matches!(&text[token.span.clone()], "and" | "or"))
        || matches!(&text[token.span.clone()], "(" | "+" | "-" | "!" | "~" | "&" | "*" | "++" | "--")
}

/// Finds the first place that the grammar could not read.
fn misfit(text: &str, tree: &Tree) -> Option<ReadError> {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_missing() {
            let at = place(&node, text);
            return Some(ReadError::new("something is missing here", text, at));
        }
        if node.is_error() {
            let at = place(&node, text);
            let message = "the grammar of C has no place for this";
            return Some(ReadError::new(message, text, at));
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::scan;
    use super::{STEPS, parsed};

    /// Texts of `n` parts.
    fn texts(n: usize) -> Vec<(&'static str, String)> {
        vec![
            ("sum", format!("0{}", " + 0 * 00".repeat(n))),
            ("nested", format!("{}0{}", "(".repeat(n), " + 1)".repeat(n))),
            ("conversions", format!("{}0", "(int)".repeat(n))),
            ("calls", format!("{}0{}", "n<int>(".repeat(n), ", 0)".repeat(n))),
            ("choices", format!("{}0", "0 < 0 ? 0 : ".repeat(n))),
            ("statements", "int n = 0; n_ += 0[0];".repeat(n)),
            ("comparisons", format!("0{}", " < 0 > (0)".repeat(n))),
        ]
    }

    /// The budget of [`tree`](super::tree) is linear in the length of the text. Every text that can be read takes less
    /// than a fifth of the budget.
    #[test]
    fn the_work_of_the_grammar_is_linear() {
        for ((name, short), (_, long)) in texts(2_000).iter().zip(&texts(20_000)) {
            let (tree, few) = parsed(short, usize::MAX);
            assert!(tree.is_some_and(|t| !t.root_node().has_error()), "{name}");
            let (_, many) = parsed(long, usize::MAX);
            assert!(many <= 11 * few + 10, "{name}: {few} steps, and {many} for ten times the text");
            let tokens = scan(long).unwrap().len();
            assert!(many * 5 <= STEPS + tokens / 2, "{name}: {many} steps for {tokens} tokens");
        }
    }
}
