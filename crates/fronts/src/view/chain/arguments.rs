//! What the arguments of a movement are: expressions, numbers, pairs.

use super::error::{ChainError, ChainErrorKind};
use super::scan::pair;
use quaff::expr::{Expr, parse};
use std::ops::Range;
use std::str::FromStr;

/// One expression.
pub(super) fn size(text: &str, at: &Range<usize>) -> Result<Expr, ChainError> {
    let parsed = parse(&text[at.clone()]).map_err(|e| {
        let e = e.within(text, at.start);
        let span = e.span();
        ChainError::new(ChainErrorKind::Expression(e), text, span)
    })?;
    Ok(parsed.into_expr())
}

/// An expression in each argument.
pub(super) fn sizes(text: &str, arguments: &[Range<usize>]) -> Result<Vec<Expr>, ChainError> {
    arguments.iter().map(|a| size(text, a)).collect()
}

/// Numbers that are written as such.
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

/// A pair of expressions in each argument.
pub(super) fn pairs(
    text: &str,
    arguments: &[Range<usize>],
    expected: &'static str,
) -> Result<Vec<(Expr, Expr)>, ChainError> {
    let one = |a: &Range<usize>| {
        let Some([first, second]) = pair(text, a.clone())? else {
            return Err(ChainError::new(ChainErrorKind::Argument { expected }, text, a.clone()));
        };
        Ok((size(text, &first)?, size(text, &second)?))
    };
    arguments.iter().map(one).collect()
}
