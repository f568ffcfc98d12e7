//! Ranges, congruences, and proofs of conditions.

use crate::call::{ask, call, change, needed};
use crate::domain::quaff_domain;
use crate::failure::{Failure, quaff_error};
use crate::handle::quaff_expr;
use crate::place::quaff_status;
use crate::range::quaff_range;
use crate::simplifier::{or_default, quaff_simplifier};
use quaff::{Facts, SimplifyError};
use std::mem::MaybeUninit;

/// A prover of facts in one domain. Questions change its memory, so only one thread may use it at a time. It is freed
/// by `quaff_facts_free`.
pub struct quaff_facts {
    facts: Facts,
}

/// The integers that are `residue` modulo `modulus`. For modulus 1 these are all integers, and for modulus 0 only the
/// residue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_congruence {
    /// The remainder.
    pub residue: i64,
    /// The modulus.
    pub modulus: i64,
}

impl Default for quaff_congruence {
    /// The congruence of all integers.
    fn default() -> quaff_congruence {
        quaff_congruence { residue: 0, modulus: 1 }
    }
}

/// Makes a prover of facts in a domain. Nothing is computed before the first question. `domain` may be changed or freed
/// afterwards.
///
/// The caller owns `*facts`, which is NULL after an error.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_new(
    simplifier: Option<&quaff_simplifier>,
    domain: Option<&quaff_domain>,
    facts: Option<&mut MaybeUninit<Option<Box<quaff_facts>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(facts, error, || {
        let domain = &needed(domain, "domain")?.domain;
        Ok(Some(Box::new(quaff_facts { facts: or_default(simplifier).facts(domain) })))
    })
}

/// The range of all values of an expression. An end is open if no bound is found.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_bounds(
    facts: Option<&mut quaff_facts>,
    expr: Option<&quaff_expr>,
    range: Option<&mut MaybeUninit<quaff_range>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(range, error, || {
        let (held, expr) = (needed(facts, "facts")?, needed(expr, "expr")?);
        let found = held.facts.bounds(&expr.expr);
        found.map(quaff_range::of).map_err(|e| quaff_error::simplify(&e, &[expr]))
    })
}

/// A congruence that all values of an expression satisfy. The modulus is 1 if no other congruence is found.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_congruence(
    facts: Option<&mut quaff_facts>,
    expr: Option<&quaff_expr>,
    congruence: Option<&mut MaybeUninit<quaff_congruence>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(congruence, error, || {
        let (held, expr) = (needed(facts, "facts")?, needed(expr, "expr")?);
        let found = held.facts.congruence(&expr.expr).map_err(|e| quaff_error::simplify(&e, &[expr]))?;
        Ok(quaff_congruence { residue: found.residue(), modulus: found.modulus() })
    })
}

/// Decides whether a condition holds at every point or at no point. `*holds` is true if it holds at every point, and
/// false if it holds at no point. The status is `QUAFF_STATUS_NOT_PROVED` if neither is proved.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_prove(
    facts: Option<&mut quaff_facts>,
    condition: Option<&quaff_expr>,
    holds: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(holds, error, || {
        let (held, condition) = (needed(facts, "facts")?, needed(condition, "condition")?);
        truth(held.facts.prove(&condition.expr), &[condition])
    })
}

/// Decides whether two expressions are equal at every point or at no point. `*holds` is true if they are equal at every
/// point, and false if they are equal at no point. The status is `QUAFF_STATUS_NOT_PROVED` if neither is proved.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_equal(
    facts: Option<&mut quaff_facts>,
    a: Option<&quaff_expr>,
    b: Option<&quaff_expr>,
    holds: Option<&mut MaybeUninit<bool>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(holds, error, || {
        let (held, a, b) = (needed(facts, "facts")?, needed(a, "a")?, needed(b, "b")?);
        truth(held.facts.equal(&a.expr, &b.expr), &[a, b])
    })
}

/// Begins a level. Conditions and variables that are added later hold until `quaff_facts_pop` ends the level.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_push(
    facts: Option<&mut quaff_facts>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    change(error, || {
        needed(facts, "facts")?.facts.push();
        Ok(())
    })
}

/// Ends the innermost level. If no level was begun, the status is `QUAFF_STATUS_ARGUMENT`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_pop(
    facts: Option<&mut quaff_facts>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    change(error, || match needed(facts, "facts")?.facts.pop() {
        true => Ok(()),
        false => Err(Failure::Argument("no level was begun".into()).into()),
    })
}

/// Assumes a condition until the level ends. The caller still owns the condition. If it contradicts earlier conditions,
/// questions about the same variables give an error.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_assume(
    facts: Option<&mut quaff_facts>,
    condition: Option<&quaff_expr>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    change(error, || {
        let condition = needed(condition, "condition")?.expr.clone();
        needed(facts, "facts")?.facts.assume(condition);
        Ok(())
    })
}

/// Adds the variables and conditions of a domain until the level ends. The domain may be changed or freed afterwards.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_add(
    facts: Option<&mut quaff_facts>,
    domain: Option<&quaff_domain>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    change(error, || {
        let domain = &needed(domain, "domain")?.domain;
        needed(facts, "facts")?.facts.add(domain);
        Ok(())
    })
}

fn truth(
    found: Result<Option<bool>, SimplifyError>,
    asked: &[&quaff_expr],
) -> Result<(quaff_status, bool), quaff_error> {
    match found.map_err(|e| quaff_error::simplify(&e, asked))? {
        Some(holds) => Ok((quaff_status::Ok, holds)),
        None => Ok((quaff_status::NotProved, false)),
    }
}

/// Frees a prover of facts. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_facts_free(facts: Option<Box<quaff_facts>>) {
    drop(facts);
}
