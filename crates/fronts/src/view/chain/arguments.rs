//! Parses the arguments of a movement: expressions, numbers and pairs.

use super::error::{ChainError, ChainErrorKind};
use super::scan::pair;
use quaff::expr::Expr;
use quaff_dialects::{Dialect, read};
use std::ops::Range;
use std::str::FromStr;

/// The text of a chain, and the dialect of its expressions.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) text: &'t str,
    pub(super) from: Dialect,
}

/// Parses one expression.
pub(super) fn size(source: Source<'_>, at: &Range<usize>) -> Result<Expr, ChainError> {
    let Source { text, from } = source;
    let mut found = read(&text[at.clone()], from).map_err(|e| {
        let span = at.start + e.span().start..at.start + e.span().end;
        ChainError::new(ChainErrorKind::Expression(e), text, span)
    })?;
    match (found.results.pop(), found.results.len(), found.requirements.len()) {
        (Some(one), 0, 0) => Ok(one.into_expr()),
        _ => {
            let expected = "one expression, whose meaning depends on no range";
            Err(ChainError::new(ChainErrorKind::Argument { expected }, text, at.clone()))
        }
    }
}

/// Parses each argument as an expression.
pub(super) fn sizes(source: Source<'_>, arguments: &[Range<usize>]) -> Result<Vec<Expr>, ChainError> {
    arguments.iter().map(|a| size(source, a)).collect()
}

/// Parses each argument as a number.
pub(super) fn numbers<N: FromStr>(
    text: &str,
    arguments: &[Range<usize>],
    expected: &'static str,
) -> Result<Vec<N>, ChainError> {
    let number = |a: &Range<usize>| {
        let refused = |_| ChainError::new(ChainErrorKind::Argument { expected }, text, a.clone());
        text[a.clone()].parse().map_err(refused)
    };
    arguments.iter().map(number).collect()
}

/// Parses each argument as a pair of expressions.
pub(super) fn pairs(
    source: Source<'_>,
    arguments: &[Range<usize>],
    expected: &'static str,
) -> Result<Vec<(Expr, Expr)>, ChainError> {
    let one = |a: &Range<usize>| {
        let Some([first, second]) = pair(source.text, a.clone())? else {
            return Err(ChainError::new(ChainErrorKind::Argument { expected }, source.text, a.clone()));
        };
        Ok((size(source, &first)?, size(source, &second)?))
    };
    arguments.iter().map(one).collect()
}
