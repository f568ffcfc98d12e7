//! The state for reading all parts of a text, and the places of its nodes.

use super::syntax::place;
use super::token::{Kind, Token, shown};
use super::types::{self, Named, Type};
use super::value::{Maker, Value};
use crate::error::ReadError;
use rustc_hash::FxHashMap;
use std::ops::Range;
use tree_sitter::Node;

/// The state for reading the expressions of a text.
pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: &'t [Token],
    pub(super) maker: Maker,
    /// The values of names that the text defines.
    pub(super) defined: FxHashMap<String, Value>,
    /// The types of names that the text declares without a value.
    pub(super) declared: FxHashMap<String, Type>,
}

impl<'t> Reader<'t> {
    pub(super) fn place(&self, node: &Node) -> Range<usize> {
        let mut span = place(node, self.text);
        // the masked name of a type may be shorter than the name in the text
        if let Some(last) = self.token_before(span.end) {
            span.end = span.end.max(last.span.end);
        }
        span
    }

    /// The last token that begins before `end`.
    pub(super) fn token_before(&self, end: usize) -> Option<&'t Token> {
        let count = self.tokens.partition_point(|t| t.span.start < end);
        self.tokens.get(count.checked_sub(1)?)
    }

    pub(super) fn of(&self, node: &Node) -> &'t str {
        &self.text[self.place(node)]
    }

    pub(super) fn error(&self, message: impl Into<String>, node: &Node) -> ReadError {
        ReadError::new(message, self.text, self.place(node))
    }

    /// The type that is named by the words of `node`.
    pub(super) fn named(&self, node: &Node) -> Option<Named> {
        self.named_within(self.place(node))
    }

    /// The type that is named by the words within `span`.
    pub(super) fn named_within(&self, span: Range<usize>) -> Option<Named> {
        let first = self.tokens.partition_point(|t| t.span.start < span.start);
        let words = self.tokens[first..].iter().take_while(|t| t.span.start < span.end);
        let words: Vec<&Token> = words.collect();
        let is_named = words.iter().all(|t| t.kind == Kind::Word);
        is_named.then(|| types::named(words.iter().map(|t| &self.text[t.span.clone()])))?
    }

    /// The integer type that `node` names.
    pub(super) fn integer_type(&self, node: &Node) -> Result<Type, ReadError> {
        let text = self.of(node);
        let help = "convert to an integer type, such as `int` or `int64_t`";
        match self.named(node) {
            Some(Named::Integer(ty)) => Ok(ty),
            Some(_) => Err(self.error(format!("values of {} are no integers", shown(text)), node).with_help(help)),
            None if text.contains(['*', '&']) => {
                Err(self.error("pointers are no integers", node).with_help("give the index alone"))
            }
            None => Err(self.error(format!("{} is no type that is known", shown(text)), node).with_help(help)),
        }
    }
}
