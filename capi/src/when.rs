//! Conditions on sizes.

use crate::call::{ask, needed};
use crate::domain::quaff_domain;
use crate::failure::quaff_error;
use crate::handle::{made_all, quaff_expr};
use crate::place::quaff_status;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::quaff_str_span;
use std::mem::MaybeUninit;

/// Conditions on sizes, in alternatives of which each suffices. It is freed by `quaff_when_free`.
pub struct quaff_when {
    alternatives: Vec<(Vec<quaff_expr>, quaff_necessity)>,
}

/// Whether something holds for certain sizes only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_necessity {
    /// It is not decided.
    #[default]
    Unknown = 0,
    /// It fails for all other sizes.
    Necessary = 1,
    /// It also holds for other sizes.
    Sufficient = 2,
}

/// The weakest simple conditions on the variables `sizes` under which `condition` is proved to hold for all values of the other variables.
///
/// `*when` is the caller's, NULL after an error. One alternative without conditions says that it always holds. `QUAFF_STATUS_NOT_PROVED`, with NULL,
/// where nothing is found.
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
        let found = found.map_err(|e| quaff_error::ask(&e, &[condition]))?;
        if found.is_empty() {
            return Ok((quaff_status::NotProved, None));
        }
        let alternative = |found: quaff_ask::When| {
            let necessity = match found.necessary {
                None => quaff_necessity::Unknown,
                Some(true) => quaff_necessity::Necessary,
                Some(false) => quaff_necessity::Sufficient,
            };
            (made_all(found.conditions), necessity)
        };
        let alternatives = found.into_iter().map(alternative).collect();
        Ok((quaff_status::Ok, Some(Box::new(quaff_when { alternatives }))))
    })
}

/// The number of alternatives. 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_count(when: Option<&quaff_when>) -> usize {
    when.map_or(0, |when| when.alternatives.len())
}

/// The number of conditions of an alternative, which suffice together. 0 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_condition_count(when: Option<&quaff_when>, alternative: usize) -> usize {
    when.and_then(|when| when.alternatives.get(alternative)).map_or(0, |(conditions, _)| conditions.len())
}

/// A condition of an alternative. It is borrowed from `when`, and NULL where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_condition(
    when: Option<&quaff_when>,
    alternative: usize,
    at: usize,
) -> Option<&quaff_expr> {
    when?.alternatives.get(alternative)?.0.get(at)
}

/// Whether the alternative is necessary. Not decided where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_necessity(when: Option<&quaff_when>, alternative: usize) -> quaff_necessity {
    when.and_then(|when| when.alternatives.get(alternative))
        .map_or(quaff_necessity::Unknown, |(_, necessity)| *necessity)
}

/// Frees conditions. NULL is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_when_free(when: Option<Box<quaff_when>>) {
    drop(when);
}
