//! Conditions on sizes.

use crate::call::{Asked, ask, call, needed};
use crate::domain::quaff_domain;
use crate::ended::Ended;
use crate::failure::{Failure, quaff_error};
use crate::handle::{made_all, quaff_expr};
use crate::place::quaff_status;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::{quaff_str, quaff_str_span};
use quaff::domain::Domain;
use quaff_ask::{AskError, When};
use quaff_dialects::Dialect;
use std::mem::MaybeUninit;

/// Conditions on sizes as alternatives, each of which suffices. They are freed by `quaff_when_free`.
pub struct quaff_when {
    alternatives: Vec<Alternative>,
    domain: Domain,
    text: Ended,
}

/// One alternative, with handles of its conditions.
struct Alternative {
    when: When,
    conditions: Vec<quaff_expr>,
    test: quaff_expr,
}

/// Whether a condition is necessary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_necessity {
    /// It is not decided whether the condition is necessary.
    #[default]
    Unknown = 0,
    /// The condition is necessary: the claim fails for all other sizes.
    Necessary = 1,
    /// The condition is only sufficient: the claim also holds for some other sizes.
    Sufficient = 2,
}

/// The status, and the alternatives that were found.
fn answered(found: Result<Vec<When>, AskError>, asked: &[&quaff_expr], domain: &Domain) -> Asked<quaff_when> {
    let found = found.map_err(|e| quaff_error::ask(&e, asked))?;
    if found.is_empty() {
        return Ok((quaff_status::NotProved, None));
    }
    let alternative = |when: When| {
        let (conditions, test) = (made_all(when.conditions.iter().cloned()), quaff_expr::made(when.test()));
        Alternative { when, conditions, test }
    };
    let alternatives = found.into_iter().map(alternative).collect();
    let found = quaff_when { alternatives, domain: domain.clone(), text: Ended::new("") };
    Ok((quaff_status::Ok, Some(Box::new(found))))
}

/// Finds the weakest simple conditions on the variables `sizes` under which `condition` is proved. The conditions imply
/// `condition` for all values of the other variables.
///
/// The caller owns `*when`, which is NULL after an error. If the condition always holds, there is one alternative
/// without conditions. If nothing is found, `*when` is NULL and the status is `QUAFF_STATUS_NOT_PROVED`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_when(
    simplifier: Option<&quaff_simplifier>,
    condition: Option<&quaff_expr>,
    sizes: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    when: Option<&mut MaybeUninit<Option<Box<quaff_when>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(when, error, || {
        let (condition, domain) = (needed(condition, "condition")?, &needed(domain, "domain")?.domain);
        let found = quaff_ask::when(&or_default(simplifier), &condition.expr, &sizes.texts("sizes")?, domain);
        answered(found, &[condition], domain)
    })
}

/// Finds the weakest simple conditions on the variables `sizes` under which one access covers each group of `width`
/// neighbouring lanes of `index`. The lanes are values of the variable `lane`, whose range begins at 0. `mask` is the
/// condition of the access, or NULL.
///
/// The result has the form of `quaff_ask_when`. A width that does not divide the number of lanes gives
/// `QUAFF_STATUS_ASK`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_when_vector(
    simplifier: Option<&quaff_simplifier>,
    index: Option<&quaff_expr>,
    mask: Option<&quaff_expr>,
    lane: quaff_str<'_>,
    width: i64,
    sizes: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    when: Option<&mut MaybeUninit<Option<Box<quaff_when>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(when, error, || {
        let (index, lane, sizes) = (needed(index, "index")?, lane.text("lane", 0)?, sizes.texts("sizes")?);
        let domain = &needed(domain, "domain")?.domain;
        let asked: Vec<&quaff_expr> = std::iter::once(index).chain(mask).collect();
        let (simplifier, mask) = (or_default(simplifier), mask.map(|mask| &mask.expr));
        let found = quaff_ask::when_vector(&simplifier, &index.expr, mask, (lane, width), &sizes, domain);
        answered(found, &asked, domain)
    })
}

/// Finds the weakest simple conditions on the variables `sizes` under which two accesses have no common address. The
/// two accesses may have different values of the variables `inputs`.
///
/// The result has the form of `quaff_ask_when`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_when_disjoint(
    simplifier: Option<&quaff_simplifier>,
    a: Option<&quaff_expr>,
    b: Option<&quaff_expr>,
    inputs: quaff_str_span<'_>,
    sizes: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    when: Option<&mut MaybeUninit<Option<Box<quaff_when>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(when, error, || {
        let (a, b) = (needed(a, "a")?, needed(b, "b")?);
        let (inputs, sizes) = (inputs.texts("inputs")?, sizes.texts("sizes")?);
        let (simplifier, domain) = (or_default(simplifier), &needed(domain, "domain")?.domain);
        let found = quaff_ask::when_disjoint(&simplifier, &a.expr, &b.expr, &inputs, &sizes, domain);
        answered(found, &[a, b], domain)
    })
}

/// The number of alternatives. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_count(when: Option<&quaff_when>) -> usize {
    when.map_or(0, |when| when.alternatives.len())
}

/// The number of conditions of an alternative, which together suffice. The result is 0 if there is no such alternative.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_condition_count(when: Option<&quaff_when>, alternative: usize) -> usize {
    when.and_then(|when| when.alternatives.get(alternative)).map_or(0, |one| one.conditions.len())
}

/// A condition of an alternative. The result is borrowed from `when`, and NULL if there is no such condition.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_condition(
    when: Option<&quaff_when>,
    alternative: usize,
    at: usize,
) -> Option<&quaff_expr> {
    when?.alternatives.get(alternative)?.conditions.get(at)
}

/// The conjunction of all conditions of an alternative, or 1 if it has none. The result is borrowed from `when`, and
/// NULL if there is no such alternative.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_test(when: Option<&quaff_when>, alternative: usize) -> Option<&quaff_expr> {
    when?.alternatives.get(alternative).map(|one| &one.test)
}

/// The test of the host as code in `language`, the name of a dialect such as `c`, `cuda` or `python`.
///
/// `*text` is borrowed from `when` until the next call of this function. An alternative that does not exist, and a name
/// of no dialect, give `QUAFF_STATUS_ARGUMENT`. A dialect that cannot write the test gives `QUAFF_STATUS_LOWER`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_code<'a>(
    when: Option<&'a mut quaff_when>,
    alternative: usize,
    language: quaff_str<'_>,
    text: Option<&mut MaybeUninit<quaff_str<'a>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(text, error, || {
        let (held, language) = (needed(when, "when")?, language.text("language", 0)?);
        let unknown = |e: quaff_dialects::UnknownDialect| Failure::Argument(e.to_string());
        let dialect: Dialect = language.parse().map_err(unknown)?;
        let none = || Failure::Argument(format!("no alternative has the number {alternative}"));
        let found = held.alternatives.get(alternative).ok_or_else(none)?;
        let written = found.when.code(dialect, &held.domain).map_err(|e| quaff_error::of(quaff_status::Lower, &e))?;
        held.text = Ended::new(written.text);
        Ok(held.text.view())
    })
}

/// Whether the alternative is necessary. The result is `QUAFF_NECESSITY_UNKNOWN` if there is no such alternative.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_necessity(when: Option<&quaff_when>, alternative: usize) -> quaff_necessity {
    match when.and_then(|when| when.alternatives.get(alternative)).and_then(|one| one.when.necessary) {
        None => quaff_necessity::Unknown,
        Some(true) => quaff_necessity::Necessary,
        Some(false) => quaff_necessity::Sufficient,
    }
}

/// Frees conditions. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_free(when: Option<Box<quaff_when>>) {
    drop(when);
}
