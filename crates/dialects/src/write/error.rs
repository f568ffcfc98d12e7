//! [`WriteError`]: an expression that has no text in a dialect.

use crate::dialect::Dialect;
use miette::Diagnostic;
use quaff_expr::expr::Expr;
use std::fmt;

/// An expression that has no text in a dialect, with the part that causes it and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{dialect}` cannot write this: {message}")]
pub struct WriteError {
    pub(super) dialect: Dialect,
    pub(super) message: String,
    pub(super) help: Option<String>,
    pub(super) expr: Box<Expr>,
}

impl WriteError {
    /// The part of the results that has no text.
    pub fn expr(&self) -> &Expr {
        &self.expr
    }

    /// The dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// A suggestion, if there is one.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl Diagnostic for WriteError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new("quaff::write"))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h.clone()) as Box<dyn fmt::Display>)
    }
}

/// The reason why the current node has no text. The caller, which has the node, turns it into a [`WriteError`].
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Refusal {
    pub(super) fn new(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), help: None }
    }

    pub(super) fn with_help(self, help: impl Into<String>) -> Refusal {
        Refusal { help: Some(help.into()), ..self }
    }

    pub(super) fn about(self, expr: &Expr, dialect: Dialect) -> WriteError {
        WriteError { dialect, message: self.message, help: self.help, expr: Box::new(expr.clone()) }
    }
}
