//! Functions that several files of reports use.

use quaff::domain::Domain;
use quaff::expr::Expr;

/// The facts about the variables, such as `t=0..31, n=16..64 step 16`.
pub(crate) fn domain(text: &str) -> Domain {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

pub(crate) fn expr(text: &str) -> Expr {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}
