//! The tree of a text, by the grammar of tree-sitter, and what is wrong with a text that has none.

use super::token::{Kind, Token, ends_operand};
use crate::error::ReadError;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// What is added before the masked text, so that it is the body of a function.
pub(super) const BEFORE: &str = "{";
/// What is added behind it.
const AFTER: &str = "\n;}";

/// Hundreds of steps of the parser for each token, and some for a short text. Its search for a repair of a wrong text may take more.
const STEPS_PER_TOKEN: usize = 8;
const STEPS: usize = 4096;

/// The tree of a text, whose tokens are spelt as in `masked`.
pub(super) fn tree(text: &str, masked: &str, tokens: &[Token]) -> Result<Tree, ReadError> {
    let whole = [BEFORE, masked, AFTER].concat();
    let mut parser = Parser::new();
    let failed = || ReadError::new("the grammar has no answer for this text", text, 0..text.len());
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).map_err(|_| failed())?;
    let limit = STEPS + STEPS_PER_TOKEN * tokens.len();
    let mut steps = 0;
    let mut progress = |_: &_| {
        steps += 1;
        if steps > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut |at, _| &whole.as_bytes()[at..], None, Some(options));
    match tree {
        Some(tree) if !tree.root_node().has_error() => Ok(tree),
        tree => Err(neighbours(text, tokens)
            .or_else(|| half_choice(text, tokens))
            .or_else(|| tree.and_then(|t| misfit(text, &t)))
            .unwrap_or_else(failed)),
    }
}

/// The bytes of the text that `node` covers.
pub(super) fn place(node: &Node, text: &str) -> Range<usize> {
    let within = |at: usize| at.saturating_sub(BEFORE.len()).min(text.len());
    within(node.start_byte())..within(node.end_byte())
}

/// The first two tokens that cannot be side by side.
fn neighbours(text: &str, tokens: &[Token]) -> Option<ReadError> {
    let of = |t: &Token| &text[t.span.clone()];
    for (i, token) in tokens.iter().enumerate() {
        let next = tokens.get(i + 1);
        let needs_operand = token.kind == Kind::Sign && !ends_operand(text, token) && of(token) != ";";
        let is_step = matches!(of(token), "++" | "--");
        if needs_operand && !is_step {
            match next {
                None => {
                    let message = format!("expected an operand behind `{}`, found the end of the text", of(token));
                    return Some(ReadError::new(message, text, text.len()..text.len()));
                }
                Some(n) if !begins_operand(text, n) && !(of(n) == ")" && opens_call(text, &tokens[..=i])) => {
                    let message = format!("expected an operand behind `{}`, found `{}`", of(token), of(n));
                    return Some(ReadError::new(message, text, n.span.clone()));
                }
                Some(_) => {}
            }
        }
        if let Some(n) = next
            && ends_operand(text, token)
            && n.kind != Kind::Sign
            && !(token.kind == Kind::Word && n.kind == Kind::Word)
            && !matches!(of(token), "return" | "sizeof" | "not" | "and" | "or")
            && !matches!(of(n), "and" | "or")
        {
            let message = format!("expected an operator between `{}` and `{}`", of(token), of(n));
            return Some(missing_operator(ReadError::new(message, text, n.span.clone()), text, tokens, i));
        }
    }
    None
}

/// `(name) x` is a cast where `name` is a type.
fn missing_operator(error: ReadError, text: &str, tokens: &[Token], at: usize) -> ReadError {
    let before = at.checked_sub(2).and_then(|first| tokens.get(first..=at));
    match before {
        Some([open, name, close])
            if name.kind == Kind::Word && &text[open.span.clone()] == "(" && &text[close.span.clone()] == ")" =>
        {
            error.with_help(format!("`{}` is no type that is known; use one such as `int64_t`", &text[name.span.clone()]))
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

/// A `?` without its `:`.
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
    token.kind != Kind::Sign
        || matches!(&text[token.span.clone()], "(" | "+" | "-" | "!" | "~" | "&" | "*" | "++" | "--")
}

/// The first place that the grammar could not read.
fn misfit(text: &str, tree: &Tree) -> Option<ReadError> {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if node.is_missing() {
            let at = place(&node, text);
            return Some(ReadError::new(format!("`{}` is missing here", node.kind()), text, at));
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
