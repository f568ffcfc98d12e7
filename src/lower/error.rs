//! [`LowerError`]: why an expression cannot be lowered.

use crate::expr::Expr;
use miette::Diagnostic;
use std::sync::Arc;

/// Why an expression has no machine text. There is never wrong text instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum LowerError {
    /// A value that must be known exactly (a result, a dividend, an operand of a comparison) may leave `long long`.
    #[error("`{expr}` may need more than 64 bits")]
    #[diagnostic(code(quaff::lower::width), help("give its variables ranges, or smaller ones"))]
    TooWide {
        /// The sub-expression.
        expr: String,
    },
    /// 0 is among the values of a divisor.
    #[error("the divisor of `{expr}` may be 0")]
    #[diagnostic(code(quaff::lower::zero), help("the range of the divisor must leave out 0"))]
    ZeroDivisor {
        /// The division.
        expr: String,
    },
    /// A shift by a negative amount, or by more than a register has.
    #[error("the shift amount of `{expr}` may be negative or too large")]
    #[diagnostic(code(quaff::lower::shift))]
    Shift {
        /// The shift.
        expr: String,
    },
    /// A variable of which nothing was said, not even that it exists.
    #[error("the variable `{name}` is not declared")]
    #[diagnostic(code(quaff::lower::unknown))]
    Unknown {
        /// The variable.
        name: Arc<str>,
    },
}

/// Text of a sub-expression in messages: a long one says nothing.
const MESSAGE_LIMIT: usize = 200;

pub(crate) fn name_of(e: &Expr) -> String {
    e.to_infix(MESSAGE_LIMIT).unwrap_or_else(|e| format!("an expression of {} nodes", e.nodes))
}
