//! Items of the engine that only the other crates of this workspace need. There are no promises about them: they may
//! change in any version, and they trust their arguments.
//!
//! - `quaff-fronts` prints single values, and decides which of them get a name and where: [`Fragments`].
//! - `quaff-fronts` puts these values into programs: [`Statement`].
//! - `quaff-fronts` combines the lanes of a copy to vectors, such as `float4`: [`vector_widths`].
//! - `quaff-fronts` makes answers from other answers: [`instantiated`], [`with_exprs`], [`search_once`], [`confirm`].
//! - `quaff-lab` proves compiled [`rules`] and the algebraic laws behind a [`NormalForm`], and reads the s-expressions of other systems.

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

/// `answer` with an expression substituted for each variable for which `value_of` returns one. The result uses the
/// variables `vars`. Facts about a part of `answer` also hold for the part that replaces it.
pub fn instantiated(answer: Simplified, value_of: impl Fn(&str) -> Option<Expr>, vars: &[VarFacts]) -> Simplified {
    answer.instantiated(value_of, vars)
}

/// `answer` with `exprs` as its expressions, which must have the same values. The known facts about parts are kept.
pub fn with_exprs(answer: Simplified, exprs: Vec<Expr>) -> Simplified {
    answer.with_exprs(exprs)
}

/// The answer of one search over all of `exprs`. No part is simplified under conditions. Late rules, which run only on
/// the chosen form, are not run.
///
/// # Errors
/// The errors of [`Simplifier::simplify_all`].
pub fn search_once(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
    simplify::search_once(&simplifier.settings, exprs, domain)
}

/// Compares `after` with `before`, if `simplifier` compares its answers.
///
/// # Errors
/// [`SimplifyError::WrongAnswer`] if the values of the two expressions are found to differ.
pub fn confirm(simplifier: &Simplifier, before: &Expr, after: &Expr, domain: &Domain) -> Result<(), SimplifyError> {
    simplify::confirm(&simplifier.settings, before, after, domain)
}

/// The number of lanes that each vector moves, if lanes are copied between the buffers of `sides`.
/// [`Simplifier::vectorised`] uses the same widths for one buffer.
///
/// # Errors
/// The errors of [`Simplifier::simplify`].
pub fn vector_widths(
    simplifier: &Simplifier,
    element: Element,
    sides: &[Side<'_>],
    domain: &Domain,
) -> Result<Vec<u32>, SimplifyError> {
    widths_of(element, sides, &mut simplifier.facts(domain))
}

/// The compiled form of rules, and the reader of their text.
pub mod rules {
    pub use crate::rules::operator::Operator;
    pub use crate::rules::program::{Guard, Instr, IntExpr, Slot, Term};
    pub use crate::rules::read::{Datum, Fail, read};

    use crate::rules::Rule;

    /// The operator of the nodes that the rule matches.
    pub fn operator(rule: &Rule) -> Operator {
        rule.operator
    }

    /// The instructions of the rule, in order.
    pub fn code(rule: &Rule) -> &[Instr] {
        &rule.code
    }
}
