//! What the other crates of this workspace need of the engine and nobody else does. Nothing is promised about it: it may change in any
//! version, and it trusts its arguments.
//!
//! - `quaff-fronts` prints values one by one, where it decides which of them get a name and where: [`Fragments`].
//! - It puts them into programs: [`Statement`].
//! - It takes lanes together by the vectors of accesses: [`vector_widths`].
//! - It makes answers of answers: [`instantiated`], [`with_exprs`], [`search_once`], [`confirm`].
//! - `quaff-lab` proves compiled [`rules`] and the laws behind a [`NormalForm`], and reads the s-expressions of other systems.

pub use crate::access::vectors::Side;
pub use crate::egraph::trace::normal_form::NormalForm;
pub use crate::emit::fragments::Fragments;
pub use crate::emit::language::Language;
pub use crate::emit::program::{Statement, lines, operand};
pub use crate::lower::build::natural;

use crate::access::vectors::widths_of;
use crate::domain::{Domain, VarFacts};
use crate::emit::Element;
use crate::expr::Expr;
use crate::simplifier::Simplifier;
use crate::simplify::{self, Simplified, SimplifyError};

/// `answer` with the value of each variable that `value_of` knows in its place, over the variables `vars`. What was known of a part
/// is known of what the part becomes.
pub fn instantiated(answer: Simplified, value_of: impl Fn(&str) -> Option<Expr>, vars: &[VarFacts]) -> Simplified {
    answer.instantiated(value_of, vars)
}

/// `answer` with other expressions for its roots, of whose parts the same is known. They have the values of the roots.
pub fn with_exprs(answer: Simplified, exprs: Vec<Expr>) -> Simplified {
    answer.with_exprs(exprs)
}

/// The answer of one search over all of `exprs`; no part of it is looked at under conditions, and late rules are not run.
///
/// # Errors
/// Those of [`Simplifier::simplify_all`].
pub fn search_once(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
    simplify::search_once(&simplifier.settings, exprs, domain)
}

/// Compares `after` with `before` where `simplifier` compares its answers.
///
/// # Errors
/// Where they differ.
pub fn confirm(simplifier: &Simplifier, before: &Expr, after: &Expr, domain: &Domain) -> Result<(), SimplifyError> {
    simplify::confirm(&simplifier.settings, before, after, domain)
}

/// How many lanes each access takes that goes over all `sides`, as [`Simplifier::vectorised`] has it for one buffer.
///
/// # Errors
/// Those of [`Simplifier::simplify`].
pub fn vector_widths(
    simplifier: &Simplifier,
    element: Element,
    sides: &[Side<'_>],
    domain: &Domain,
) -> Result<Vec<u32>, SimplifyError> {
    widths_of(element, sides, &mut simplifier.facts(domain))
}

/// What a rule compiles to, and the reader of its text.
pub mod rules {
    pub use crate::rules::operator::Operator;
    pub use crate::rules::program::{Guard, Instr, IntExpr, Slot, Term};
    pub use crate::rules::read::{Datum, Fail, read};

    use crate::rules::Rule;

    /// The operator of the nodes that the rule is about.
    pub fn operator(rule: &Rule) -> Operator {
        rule.operator
    }

    /// The instructions of the rule, in order.
    pub fn code(rule: &Rule) -> &[Instr] {
        &rule.code
    }
}
