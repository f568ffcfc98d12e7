//! Handles of expressions.

use crate::ended::Ended;
use crate::node::quaff_nodes;
use crate::place::{quaff_place, quaff_place_kind};
use quaff::expr::{Expr, Parsed};
use std::sync::{Arc, OnceLock};

/// An expression. It never changes, so any number of threads may use it at once. If the pointer to it is not `const`,
/// it must be freed by `quaff_expr_free`.
pub struct quaff_expr {
    pub(crate) expr: Expr,
    pub(crate) origin: Origin,
    pub(crate) text: OnceLock<Result<Ended, String>>,
    pub(crate) nodes: OnceLock<quaff_nodes>,
}

/// The source that an expression was made from, if errors have places in it.
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

    /// A handle of an expression that quaff made.
    pub(crate) fn made(expr: Expr) -> quaff_expr {
        quaff_expr::new(expr, Origin::Quaff)
    }

    /// A handle of an expression that was made from nodes.
    pub(crate) fn of_nodes(expr: Expr, all: Arc<[Expr]>) -> quaff_expr {
        quaff_expr::new(expr, Origin::Nodes(all))
    }

    /// The place of `part` in the source of the expression.
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

/// A handle that is given to the caller, who owns it.
pub(crate) fn given(expr: Expr) -> Option<Box<quaff_expr>> {
    Some(Box::new(quaff_expr::made(expr)))
}

/// The expressions without their handles.
pub(crate) fn exprs_of(handles: &[&quaff_expr]) -> Vec<Expr> {
    handles.iter().map(|handle| handle.expr.clone()).collect()
}
