//! Handles of expressions.

use crate::ended::Ended;
use crate::node::quaff_nodes;
use crate::place::{quaff_place, quaff_place_kind};
use quaff::expr::{Expr, Parsed};
use std::sync::{Arc, OnceLock};

/// An expression. It never changes, so any number of threads may use it at once. It is freed by `quaff_expr_free`, where the pointer to it is not
/// `const`.
pub struct quaff_expr {
    pub(crate) expr: Expr,
    pub(crate) origin: Origin,
    pub(crate) text: OnceLock<Result<Ended, String>>,
    pub(crate) nodes: OnceLock<quaff_nodes>,
}

/// What an expression was made of, where errors have places.
#[derive(Clone)]
pub(crate) enum Origin {
    Text(Parsed),
    /// The expressions of all nodes.
    Nodes(Arc<[Expr]>),
    Quaff,
}

impl quaff_expr {
    pub(crate) fn new(expr: Expr, origin: Origin) -> quaff_expr {
        quaff_expr { expr, origin, text: OnceLock::new(), nodes: OnceLock::new() }
    }

    /// An expression that quaff made.
    pub(crate) fn made(expr: Expr) -> quaff_expr {
        quaff_expr::new(expr, Origin::Quaff)
    }

    /// One expression of nodes.
    pub(crate) fn of_nodes(expr: Expr, all: Arc<[Expr]>) -> quaff_expr {
        quaff_expr::new(expr, Origin::Nodes(all))
    }

    /// Where a part of the expression is in what the expression was made of.
    pub(crate) fn place_of(&self, part: &Expr) -> Option<quaff_place> {
        let (kind, begin, end) = match &self.origin {
            Origin::Text(parsed) => parsed.span_of(part).map(|span| (quaff_place_kind::Text, span.start, span.end))?,
            Origin::Nodes(all) => {
                let node = all.iter().position(|node| node.address() == part.address());
                node.map(|node| (quaff_place_kind::Node, node, node + 1))?
            }
            Origin::Quaff => return None,
        };
        Some(quaff_place { kind, input: 0, begin, end })
    }
}

/// Handles of expressions.
pub(crate) fn made_all(exprs: impl IntoIterator<Item = Expr>) -> Vec<quaff_expr> {
    exprs.into_iter().map(quaff_expr::made).collect()
}

/// A handle of an expression that is the caller's.
pub(crate) fn given(expr: Expr) -> Option<Box<quaff_expr>> {
    Some(Box::new(quaff_expr::made(expr)))
}

/// The expressions without their handles.
pub(crate) fn exprs_of(handles: &[&quaff_expr]) -> Vec<Expr> {
    handles.iter().map(|handle| handle.expr.clone()).collect()
}
