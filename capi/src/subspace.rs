//! Maps divided by their inputs.

use crate::call::{ask, needed};
use crate::domain::quaff_domain;
use crate::failure::quaff_error;
use crate::handle::{exprs_of, made_all, quaff_expr};
use crate::place::quaff_status;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::{quaff_expr_span, quaff_str_span};
use quaff_ask::{Divided, Division};
use std::mem::MaybeUninit;

/// A map divided into an outer and an inner one, or the part that does not come apart. It is freed by `quaff_subspace_free`.
#[derive(Default)]
pub struct quaff_subspace {
    outputs: Vec<[quaff_expr; 5]>,
    outer_conditions: Vec<quaff_expr>,
    inner_conditions: Vec<quaff_expr>,
    mixed: Option<quaff_expr>,
}

/// An output as `outer * stride + inner`. All pointers are borrowed from the handle of the map.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_division<'a> {
    /// Without inner inputs; in `0..outer_extent`.
    pub outer: Option<&'a quaff_expr>,
    /// The number of values of the outer part at most.
    pub outer_extent: Option<&'a quaff_expr>,
    /// No less than the number of values of the inner part, where the outer part has several values.
    pub stride: Option<&'a quaff_expr>,
    /// Of the inner inputs alone, with the base of the output.
    pub inner: Option<&'a quaff_expr>,
    /// The number of values from the least to the greatest one of the inner part at most.
    pub inner_extent: Option<&'a quaff_expr>,
}

/// Divides a map of the variables `inputs` into one of the inputs `inner` and one of all others. Each output is `outer * stride + inner`.
///
/// `*subspace` is the caller's, NULL after an error. With `QUAFF_STATUS_NOT_PROVED` it has no outputs, and `quaff_subspace_mixed` is the part at fault.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_subspace(
    simplifier: Option<&quaff_simplifier>,
    outputs: quaff_expr_span<'_>,
    inputs: quaff_str_span<'_>,
    inner: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    subspace: Option<&mut MaybeUninit<Option<Box<quaff_subspace>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(subspace, error, || {
        let (outputs, inputs) = (outputs.handles("outputs")?, inputs.texts("inputs")?);
        let (inner, domain) = (inner.texts("inner")?, &needed(domain, "domain")?.domain);
        let of = exprs_of(&outputs);
        let found = quaff_ask::subspace_divide(&or_default(simplifier), &of, &inputs, &inner, domain);
        let found = match found.map_err(|e| quaff_error::ask(&e, &outputs))? {
            Divided::Map(found) => found,
            Divided::Not { part } => {
                let none = quaff_subspace { mixed: Some(quaff_expr::made(part)), ..quaff_subspace::default() };
                return Ok((quaff_status::NotProved, Some(Box::new(none))));
            }
        };
        let division = |one: Division| {
            let Division { outer, outer_extent, stride, inner, inner_extent } = one;
            [outer, outer_extent, stride, inner, inner_extent].map(quaff_expr::made)
        };
        let found = quaff_subspace {
            outputs: found.outputs.into_iter().map(division).collect(),
            outer_conditions: made_all(found.outer_conditions),
            inner_conditions: made_all(found.inner_conditions),
            mixed: None,
        };
        Ok((quaff_status::Ok, Some(Box::new(found))))
    })
}

/// The number of outputs. 0 for NULL and where the map does not come apart.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_count(subspace: Option<&quaff_subspace>) -> usize {
    subspace.map_or(0, |subspace| subspace.outputs.len())
}

/// The output of number `at`. All pointers are NULL where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_division(subspace: Option<&quaff_subspace>, at: usize) -> quaff_division<'_> {
    let found = subspace.and_then(|subspace| subspace.outputs.get(at));
    let part = |number: usize| found.and_then(|all| all.get(number));
    quaff_division { outer: part(0), outer_extent: part(1), stride: part(2), inner: part(3), inner_extent: part(4) }
}

/// The number of conditions of the outer inputs. 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_outer_condition_count(subspace: Option<&quaff_subspace>) -> usize {
    subspace.map_or(0, |subspace| subspace.outer_conditions.len())
}

/// What is assumed of the outer inputs. It is borrowed from `subspace`, and NULL where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_outer_condition(subspace: Option<&quaff_subspace>, at: usize) -> Option<&quaff_expr> {
    subspace?.outer_conditions.get(at)
}

/// The number of conditions of the inner inputs. 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_inner_condition_count(subspace: Option<&quaff_subspace>) -> usize {
    subspace.map_or(0, |subspace| subspace.inner_conditions.len())
}

/// What is assumed of the inner inputs. It is borrowed from `subspace`, and NULL where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_inner_condition(subspace: Option<&quaff_subspace>, at: usize) -> Option<&quaff_expr> {
    subspace?.inner_conditions.get(at)
}

/// An output or a condition, or a part of it, that does not come apart. It is borrowed from `subspace`, and NULL where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_mixed(subspace: Option<&quaff_subspace>) -> Option<&quaff_expr> {
    subspace?.mixed.as_ref()
}

/// Frees a divided map. NULL is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_free(subspace: Option<Box<quaff_subspace>>) {
    drop(subspace);
}
