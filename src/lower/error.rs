//! [`LowerError`]: the reason why an expression cannot be lowered.

use crate::expr::Expr;
use miette::Diagnostic;
use std::sync::Arc;

/// The reason why an expression has no machine text. Lowering never returns wrong text instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum LowerError {
    /// A value that must be exact may exceed `long long`. Results, dividends and operands of comparisons must be exact,
    /// for example.
    #[error("`{expr}` may need more than 64 bits")]
    #[diagnostic(code(quaff::lower::width), help("give its variables ranges, or smaller ones"))]
    TooWide {
        /// The text of the sub-expression.
        expr: String,
    },
    /// A divisor may be 0.
    #[error("the divisor of `{expr}` may be 0")]
    #[diagnostic(code(quaff::lower::zero), help("the range of the divisor must leave out 0"))]
    ZeroDivisor {
        /// The text of the division.
        expr: String,
    },
    /// A shift count may be negative, or the count of a left shift may exceed 63.
    #[error("the shift amount of `{expr}` may be negative or too large")]
    #[diagnostic(code(quaff::lower::shift))]
    Shift {
        /// The text of the shift.
        expr: String,
    },
    /// A variable is not declared.
    #[error("the variable `{name}` is not declared")]
    #[diagnostic(code(quaff::lower::unknown))]
    Unknown {
        /// The name of the variable.
        name: Arc<str>,
    },
}

/// The greatest length of a sub-expression in a message. A longer text would not help the reader.
const MESSAGE_LIMIT: usize = 200;

pub(crate) fn name_of(e: &Expr) -> String {
    e.to_infix(MESSAGE_LIMIT).unwrap_or_else(|e| format!("an expression of {} nodes", e.nodes))
}
