//! The values of variables under conditions, and variables that are counted in steps.

use crate::call::{call, needed};
use crate::domain::quaff_domain;
use crate::ended::Ended;
use crate::facts::quaff_congruence;
use crate::failure::quaff_error;
use crate::handle::{exprs_of, made_all, quaff_expr};
use crate::place::quaff_status;
use crate::range::quaff_range;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::{quaff_expr_span, quaff_str, quaff_str_span};
use quaff_ask::Counted;
use std::mem::MaybeUninit;

/// The ranges of variables. It is freed by `quaff_ranges_free`.
pub struct quaff_ranges {
    variables: Vec<(Ended, quaff_variable_range<'static>)>,
}

/// The values of one variable.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct quaff_variable_range<'a> {
    /// The variable.
    pub name: quaff_str<'a>,
    /// A range that contains all values. An end is open if no bound is found.
    pub range: quaff_range,
    /// A congruence that all values satisfy. The modulus is 0 if there is only one value.
    pub congruence: quaff_congruence,
    /// Whether both ends of the range are proved to be values.
    pub has_ends: bool,
}

/// Computes the range of each variable under the conditions of the domain. The ranges are a box around all points. Each
/// variable also has a congruence.
///
/// The caller owns `*ranges`, which is NULL after an error. It has a range for each variable in `variables`, in the
/// same order.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_ranges(
    simplifier: Option<&quaff_simplifier>,
    variables: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    ranges: Option<&mut MaybeUninit<Option<Box<quaff_ranges>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(ranges, error, || {
        let (variables, domain) = (variables.texts("variables")?, &needed(domain, "domain")?.domain);
        let found = quaff_ask::ranges(&or_default(simplifier), &variables, domain);
        let found = found.map_err(|e| quaff_error::ask(&e, &[]))?.into_iter().map(|one| {
            let (residue, modulus) = (one.congruence.residue(), one.congruence.modulus());
            let known = quaff_variable_range {
                name: quaff_str::empty(),
                range: quaff_range::of(one.range),
                congruence: quaff_congruence { residue, modulus },
                has_ends: one.has_ends,
            };
            (Ended::new(&*one.name), known)
        });
        Ok(Some(Box::new(quaff_ranges { variables: found.collect() })))
    })
}

/// The number of variables. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ranges_count(ranges: Option<&quaff_ranges>) -> usize {
    ranges.map_or(0, |ranges| ranges.variables.len())
}

/// The range of variable number `at`. The name is borrowed from `ranges`. The name is empty if there is no such
/// variable.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ranges_variable(ranges: Option<&quaff_ranges>, at: usize) -> quaff_variable_range<'_> {
    let found = ranges.and_then(|ranges| ranges.variables.get(at));
    found.map_or(quaff_variable_range::default(), |(name, known)| quaff_variable_range { name: name.view(), ..*known })
}

/// Frees ranges. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ranges_free(ranges: Option<Box<quaff_ranges>>) {
    drop(ranges);
}

/// Expressions over counted variables. It is freed by `quaff_rescaled_free`.
pub struct quaff_rescaled {
    exprs: Vec<quaff_expr>,
    domain: quaff_domain,
    counted: Vec<CountedVariable>,
}

/// A counted variable, with handles of its expressions.
struct CountedVariable {
    name: Ended,
    counter: Ended,
    value: quaff_expr,
    count: quaff_expr,
}

/// A variable counted in steps. All pointers are borrowed from the handle of the rescaled expressions.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_counted<'a> {
    /// The variable.
    pub name: quaff_str<'a>,
    /// The variable that counts the steps. It is empty if the variable has only one value.
    pub counter: quaff_str<'a>,
    /// The variable as an expression in its counter: `counter*step + first`.
    pub value: Option<&'a quaff_expr>,
    /// The counter as an expression in the variable: `(name - first)//step`.
    pub count: Option<&'a quaff_expr>,
}

/// Replaces each of the variables `variables` that changes in steps by a counter of its steps. A counter begins at 0 if
/// the least value is known.
///
/// The caller owns `*rescaled`, which is NULL after an error. The domain in it has the ranges of the counters and of
/// all other variables.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_rescale(
    simplifier: Option<&quaff_simplifier>,
    exprs: quaff_expr_span<'_>,
    variables: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    rescaled: Option<&mut MaybeUninit<Option<Box<quaff_rescaled>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(rescaled, error, || {
        let (asked, variables) = (exprs.handles("exprs")?, variables.texts("variables")?);
        let domain = &needed(domain, "domain")?.domain;
        let found = quaff_ask::rescale(&or_default(simplifier), &exprs_of(&asked), &variables, domain);
        let found = found.map_err(|e| quaff_error::ask(&e, &asked))?;
        let counted = |one: Counted| CountedVariable {
            name: Ended::new(&*one.name),
            counter: Ended::new(one.counter.as_deref().unwrap_or("")),
            value: quaff_expr::made(one.value),
            count: quaff_expr::made(one.count),
        };
        let (exprs, domain) = (made_all(found.exprs), quaff_domain::of(found.domain));
        Ok(Some(Box::new(quaff_rescaled { exprs, domain, counted: found.counted.into_iter().map(counted).collect() })))
    })
}

/// The number of expressions, which equals the number of expressions of the call. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_rescaled_count(rescaled: Option<&quaff_rescaled>) -> usize {
    rescaled.map_or(0, |rescaled| rescaled.exprs.len())
}

/// Expression number `at` in its simplest form. The result is borrowed from `rescaled`, and NULL if there is no such
/// expression.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_rescaled_expr(rescaled: Option<&quaff_rescaled>, at: usize) -> Option<&quaff_expr> {
    rescaled?.exprs.get(at)
}

/// The domain of the counters and of all other variables. The result is borrowed from `rescaled`, and NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_rescaled_domain(rescaled: Option<&quaff_rescaled>) -> Option<&quaff_domain> {
    rescaled.map(|rescaled| &rescaled.domain)
}

/// The number of counted variables. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_rescaled_counted_count(rescaled: Option<&quaff_rescaled>) -> usize {
    rescaled.map_or(0, |rescaled| rescaled.counted.len())
}

/// Counted variable number `at`. If there is no such variable, all texts are empty and all pointers are NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_rescaled_counted(rescaled: Option<&quaff_rescaled>, at: usize) -> quaff_counted<'_> {
    let found = rescaled.and_then(|rescaled| rescaled.counted.get(at));
    quaff_counted {
        name: found.map_or(quaff_str::empty(), |one| one.name.view()),
        counter: found.map_or(quaff_str::empty(), |one| one.counter.view()),
        value: found.map(|one| &one.value),
        count: found.map(|one| &one.count),
    }
}

/// Frees rescaled expressions. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_rescaled_free(rescaled: Option<Box<quaff_rescaled>>) {
    drop(rescaled);
}
