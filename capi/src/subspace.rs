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

/// A map divided into an outer and an inner map, or the part that cannot be divided. It is freed by
/// `quaff_subspace_free`.
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
    /// The outer part, an expression without inner inputs. Its values are in `0..outer_extent`.
    pub outer: Option<&'a quaff_expr>,
    /// An upper bound on the number of values of the outer part.
    pub outer_extent: Option<&'a quaff_expr>,
    /// The factor of the outer part. It is at least the number of values of the inner part, if the outer part has
    /// several values.
    pub stride: Option<&'a quaff_expr>,
    /// The inner part, an expression in the inner inputs alone. It includes the base of the output.
    pub inner: Option<&'a quaff_expr>,
    /// An upper bound on the number of integers from the least to the greatest value of the inner part.
    pub inner_extent: Option<&'a quaff_expr>,
}

/// Divides a map of the variables `inputs` into a map of the inputs `inner` and a map of all other inputs. Each output
/// is `outer * stride + inner`.
///
/// The caller owns `*subspace`, which is NULL after an error. With `QUAFF_STATUS_NOT_PROVED`, `*subspace` has no
/// outputs, and `quaff_subspace_mixed` returns the part at fault.
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

/// The number of outputs. The result is 0 for NULL, and if the map cannot be divided.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_count(subspace: Option<&quaff_subspace>) -> usize {
    subspace.map_or(0, |subspace| subspace.outputs.len())
}

/// Output number `at`. All pointers are NULL if there is no such output.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_division(subspace: Option<&quaff_subspace>, at: usize) -> quaff_division<'_> {
    let found = subspace.and_then(|subspace| subspace.outputs.get(at));
    let part = |number: usize| found.and_then(|all| all.get(number));
    quaff_division { outer: part(0), outer_extent: part(1), stride: part(2), inner: part(3), inner_extent: part(4) }
}

/// The number of conditions on the outer inputs. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_outer_condition_count(subspace: Option<&quaff_subspace>) -> usize {
    subspace.map_or(0, |subspace| subspace.outer_conditions.len())
}

/// Condition number `at` on the outer inputs. The result is borrowed from `subspace`, and NULL if there is no such
/// condition.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_outer_condition(subspace: Option<&quaff_subspace>, at: usize) -> Option<&quaff_expr> {
    subspace?.outer_conditions.get(at)
}

/// The number of conditions on the inner inputs. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_inner_condition_count(subspace: Option<&quaff_subspace>) -> usize {
    subspace.map_or(0, |subspace| subspace.inner_conditions.len())
}

/// Condition number `at` on the inner inputs. The result is borrowed from `subspace`, and NULL if there is no such
/// condition.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_inner_condition(subspace: Option<&quaff_subspace>, at: usize) -> Option<&quaff_expr> {
    subspace?.inner_conditions.get(at)
}

/// An output or a condition, or a part of it, that cannot be divided. The result is borrowed from `subspace`, and NULL
/// if the map is divided.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_mixed(subspace: Option<&quaff_subspace>) -> Option<&quaff_expr> {
    subspace?.mixed.as_ref()
}

/// Frees a divided map. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_subspace_free(subspace: Option<Box<quaff_subspace>>) {
    drop(subspace);
}
