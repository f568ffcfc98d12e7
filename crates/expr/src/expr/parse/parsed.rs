//! A parsed expression with its text.

use crate::expr::Expr;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A parsed expression that keeps its text.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub(super) expr: Expr,
    pub(super) source: Arc<str>,
    pub(super) spans: Arc<Spans>,
}

/// The places of the nodes of one text.
#[derive(Debug)]
pub(super) struct Spans {
    /// The address, start and end of each node, in the order of parsing.
    spans: Vec<(usize, usize, usize)>,
    /// `spans`, sorted by address. The list is made on first use, because only error messages need places.
    by_address: OnceLock<Vec<(usize, usize, usize)>>,
}

impl Spans {
    pub(super) fn new(spans: Vec<(usize, usize, usize)>) -> Spans {
        Spans { spans, by_address: OnceLock::new() }
    }
}

impl Parsed {
    /// The expression.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// The expression, without its text.
    pub fn into_expr(self) -> Expr {
        self.expr
    }

    /// Replaces the expression and keeps the text. Nodes that both expressions share keep their places.
    pub fn with_expr(self, expr: Expr) -> Parsed {
        Parsed { expr, ..self }
    }

    /// The text that was parsed.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The bytes of the text that `e` was read from, without parentheses around them. `e` must be a node of this
    /// expression.
    ///
    /// Equal sub-expressions are one node, whose place is its first occurrence. `None` for a node of another
    /// expression, even an equal one. The first call sorts the places in O(n log n). Later calls take O(log n).
    pub fn span_of(&self, e: &Expr) -> Option<Range<usize>> {
        let sorted = self.spans.by_address.get_or_init(|| {
            let mut spans = self.spans.spans.clone();
            spans.sort_unstable();
            spans
        });
        let at = sorted.partition_point(|s| s.0 < e.address());
        sorted.get(at).filter(|s| s.0 == e.address()).map(|s| s.1..s.2)
    }
}
