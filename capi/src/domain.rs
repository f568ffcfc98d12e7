//! `quaff_domain`: facts about variables.

use crate::call::{call, change, look, needed};
use crate::ended::Ended;
use crate::failure::quaff_error;
use crate::handle::quaff_expr;
use crate::place::quaff_status;
use crate::span::{quaff_str, quaff_str_span};
use quaff::domain::{Bounds, Domain, Interval};
use quaff::expr::int;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// Facts about variables. A function that takes a pointer without `const` changes the domain. During such a call,
/// nothing else may use the domain. Otherwise any number of threads may use it at once. It is freed by
/// `quaff_domain_free`.
#[derive(Default)]
pub struct quaff_domain {
    pub(crate) domain: Domain,
    /// The text of the domain. Every change discards this text.
    text: OnceLock<Ended>,
}

impl quaff_domain {
    pub(crate) fn of(domain: Domain) -> quaff_domain {
        quaff_domain { domain, text: OnceLock::new() }
    }
}

/// Changes the domain, and discards its text.
fn add(
    domain: Option<&mut quaff_domain>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
    added: impl FnOnce(Domain) -> Result<Domain, quaff_error>,
) -> quaff_status {
    change(error, || {
        let held = needed(domain, "domain")?;
        *held = quaff_domain::of(added(held.domain.clone())?);
        Ok(())
    })
}

/// Makes a domain without variables. The caller owns it.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_new() -> Option<Box<quaff_domain>> {
    look(None, || Some(Box::default()))
}

/// Reads a domain: declarations, separated by commas, such as `n=1..64, i=0..n - 1, x=0..999 step 4, assume i < x`. Both ends of a range are inclusive.
///
/// The caller owns `*domain`, which is NULL after an error. A text that cannot be read gives `QUAFF_STATUS_DOMAIN`,
/// with the place.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_parse(
    text: quaff_str<'_>,
    domain: Option<&mut MaybeUninit<Option<Box<quaff_domain>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(domain, error, || {
        let domain = text.text("text", 0)?.parse().map_err(|e| quaff_error::of(quaff_status::Domain, &e))?;
        Ok(Some(Box::new(quaff_domain::of(domain))))
    })
}

/// Adds the declarations of a text in the syntax of `quaff_domain_parse`. After an error nothing has changed.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_add(
    domain: Option<&mut quaff_domain>,
    text: quaff_str<'_>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| {
        let text = text.text("text", 0)?;
        let more: Domain = text.parse().map_err(|e| quaff_error::of(quaff_status::Domain, &e))?;
        Ok(held.and(&more))
    })
}

/// Declares that a variable is in `lower..upper`, both inclusive. `INT64_MIN` and `INT64_MAX` are open ends.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_range(
    domain: Option<&mut quaff_domain>,
    name: quaff_str<'_>,
    lower: i64,
    upper: i64,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| {
        let end = |end: i64| Interval::ENDS.contains(&end).then(|| int(end));
        Ok(held.with(name.text("name", 0)?, Bounds::new(end(lower), end(upper))))
    })
}

/// Declares that a variable is between two expressions, both inclusive. NULL is an open end. The caller still owns the
/// expressions.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_bounds(
    domain: Option<&mut quaff_domain>,
    name: quaff_str<'_>,
    lower: Option<&quaff_expr>,
    upper: Option<&quaff_expr>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| {
        let end = |end: Option<&quaff_expr>| end.map(|end| end.expr.clone());
        Ok(held.with(name.text("name", 0)?, Bounds::new(end(lower), end(upper))))
    })
}

/// Declares that a variable is `residue` modulo `modulus`, which is at least 1.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_step(
    domain: Option<&mut quaff_domain>,
    name: quaff_str<'_>,
    modulus: i64,
    residue: i64,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| Ok(held.stride(name.text("name", 0)?, modulus, residue)))
}

/// Declares that a condition holds at every point. The caller still owns the condition.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_assume(
    domain: Option<&mut quaff_domain>,
    condition: Option<&quaff_expr>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| Ok(held.assume(needed(condition, "condition")?.expr.clone())))
}

/// Declares that a variable is fixed for a launch, so that the host can prepare a division by it.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_uniform(
    domain: Option<&mut quaff_domain>,
    name: quaff_str<'_>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| Ok(held.launch_invariant(name.text("name", 0)?)))
}

/// Declares that a variable has the text `text` in CUDA, such as `rows[i]`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_opaque(
    domain: Option<&mut quaff_domain>,
    name: quaff_str<'_>,
    text: quaff_str<'_>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| Ok(held.opaque(name.text("name", 0)?, text.text("text", 0)?, ..)))
}

/// Declares that the range of a variable is never empty, for all values of the variables in its ends.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_nonempty(
    domain: Option<&mut quaff_domain>,
    name: quaff_str<'_>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| Ok(held.nonempty(name.text("name", 0)?)))
}

/// Declares that the variables count nested loops, the outermost first.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_loop(
    domain: Option<&mut quaff_domain>,
    names: quaff_str_span<'_>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| Ok(held.loop_nest(names.texts("names")?)))
}

/// Declares that no expression divides by 0 in the domain. The caller guarantees this.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_defined(
    domain: Option<&mut quaff_domain>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    add(domain, error, |held| Ok(held.defined()))
}

/// Checks that the declarations do not contradict each other. A contradiction gives `QUAFF_STATUS_DOMAIN`, in this call
/// and in calls with this domain.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_check(
    domain: Option<&quaff_domain>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    change(error, || {
        let known = needed(domain, "domain")?.domain.resolve();
        known.map(drop).map_err(|e| quaff_error::of(quaff_status::Domain, &e))
    })
}

/// The text of a domain. `quaff_domain_parse` reads it back if all names are words. The result is borrowed from
/// `domain` until the next change, and empty for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_text(domain: Option<&quaff_domain>) -> quaff_str<'_> {
    look(quaff_str::empty(), || {
        let text = |held: &quaff_domain| Ended::new(held.domain.to_string());
        domain.map_or(quaff_str::empty(), |held| held.text.get_or_init(|| text(held)).view())
    })
}

/// Copies a domain. The caller owns the copy, which is NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_clone(domain: Option<&quaff_domain>) -> Option<Box<quaff_domain>> {
    look(None, || domain.map(|held| Box::new(quaff_domain::of(held.domain.clone()))))
}

/// Frees a domain. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_domain_free(domain: Option<Box<quaff_domain>>) {
    drop(domain);
}
