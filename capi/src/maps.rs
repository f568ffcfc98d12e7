//! Maps from variables to indices: injective, surjective, inverse, disjoint.

use crate::call::{Asked, ask, needed};
use crate::domain::quaff_domain;
use crate::ended::Ended;
use crate::failure::{Failure, quaff_error};
use crate::handle::{exprs_of, made_all, quaff_expr};
use crate::place::quaff_status;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::{quaff_expr_span, quaff_str, quaff_str_span};
use quaff_ask::{Answer, AskError, Values};
use std::mem::MaybeUninit;

/// Points that disprove a claim. They are freed by `quaff_witness_free`.
pub struct quaff_witness {
    points: Vec<Vec<(Ended, i64)>>,
}

/// The inverse of a map. It is freed by `quaff_inverse_free`.
pub struct quaff_inverse {
    inputs: Vec<quaff_expr>,
    inside: Option<quaff_expr>,
}

/// The status and the witness for an answer.
fn answered<W>(
    found: Result<Answer<W>, AskError>,
    asked: &[&quaff_expr],
    points: impl FnOnce(W) -> Vec<Vec<(Ended, i64)>>,
) -> Asked<quaff_witness> {
    Ok(match found.map_err(|e| quaff_error::ask(&e, asked))? {
        Answer::Yes => (quaff_status::Ok, None),
        Answer::No(witness) => (quaff_status::Ok, Some(Box::new(quaff_witness { points: points(witness) }))),
        Answer::NotProved => (quaff_status::NotProved, None),
    })
}

fn two_points(points: [Values; 2]) -> Vec<Vec<(Ended, i64)>> {
    let named = |point: Values| point.into_iter().map(|(name, value)| (Ended::new(&*name), value)).collect();
    points.map(named).into()
}

/// Decides whether different values of the variables `inputs` always have different outputs, for all values of the
/// other variables.
///
/// With `QUAFF_STATUS_OK` and a `*witness` of NULL, the outputs always differ. Otherwise the caller owns `*witness`,
/// which has two points with the same outputs. The status is `QUAFF_STATUS_NOT_PROVED` if neither is proved.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_injective(
    simplifier: Option<&quaff_simplifier>,
    outputs: quaff_expr_span<'_>,
    inputs: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    witness: Option<&mut MaybeUninit<Option<Box<quaff_witness>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(witness, error, || {
        let (outputs, inputs) = (outputs.handles("outputs")?, inputs.texts("inputs")?);
        let domain = &needed(domain, "domain")?.domain;
        let found = quaff_ask::injective(&or_default(simplifier), &exprs_of(&outputs), &inputs, domain);
        answered(found, &outputs, two_points)
    })
}

/// Decides whether all places of `0..extent` are outputs, for all values of the variables that are no inputs. Each
/// output has an extent.
///
/// With `QUAFF_STATUS_OK` and a `*witness` of NULL, every place is an output. Otherwise the caller owns `*witness`,
/// which has one point without names. This point is a place that is no output. The status is `QUAFF_STATUS_NOT_PROVED`
/// if neither is proved.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_surjective(
    simplifier: Option<&quaff_simplifier>,
    outputs: quaff_expr_span<'_>,
    extents: quaff_expr_span<'_>,
    inputs: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    witness: Option<&mut MaybeUninit<Option<Box<quaff_witness>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(witness, error, || {
        let (outputs, extents) = (outputs.handles("outputs")?, extents.handles("extents")?);
        let (inputs, domain) = (inputs.texts("inputs")?, &needed(domain, "domain")?.domain);
        let (simplifier, of) = (or_default(simplifier), exprs_of(&outputs));
        let found = quaff_ask::surjective(&simplifier, &of, &exprs_of(&extents), &inputs, domain);
        let asked: Vec<&quaff_expr> = outputs.iter().chain(&extents).copied().collect();
        answered(found, &asked, |place| vec![place.into_iter().map(|value| (Ended::new(""), value)).collect()])
    })
}

/// Decides whether two accesses never have a common address. The two accesses may have different values of the
/// variables `inputs`.
///
/// With `QUAFF_STATUS_OK` and a `*witness` of NULL, they have no common address. Otherwise the caller owns `*witness`,
/// which has a point of `a` and a point of `b` with the same address. The status is `QUAFF_STATUS_NOT_PROVED` if
/// neither is proved.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_disjoint(
    simplifier: Option<&quaff_simplifier>,
    a: Option<&quaff_expr>,
    b: Option<&quaff_expr>,
    inputs: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    witness: Option<&mut MaybeUninit<Option<Box<quaff_witness>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(witness, error, || {
        let (a, b, inputs) = (needed(a, "a")?, needed(b, "b")?, inputs.texts("inputs")?);
        let domain = &needed(domain, "domain")?.domain;
        let found = quaff_ask::disjoint(&or_default(simplifier), &a.expr, &b.expr, &inputs, domain);
        answered(found, &[a, b], two_points)
    })
}

/// The number of points. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_witness_count(witness: Option<&quaff_witness>) -> usize {
    witness.map_or(0, |witness| witness.points.len())
}

/// The number of values of a point. The result is 0 if there is no such point.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_witness_size(witness: Option<&quaff_witness>, point: usize) -> usize {
    witness.and_then(|witness| witness.points.get(point)).map_or(0, Vec::len)
}

/// The variable of a value. The result is borrowed from `witness`. The result is empty for an output, and if there is
/// no such value.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_witness_name(witness: Option<&quaff_witness>, point: usize, at: usize) -> quaff_str<'_> {
    let found = witness.and_then(|witness| witness.points.get(point)?.get(at));
    found.map_or(quaff_str::empty(), |(name, _)| name.view())
}

/// A value of a point. The result is 0 if there is no such value.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_witness_value(witness: Option<&quaff_witness>, point: usize, at: usize) -> i64 {
    witness.and_then(|witness| witness.points.get(point)?.get(at)).map_or(0, |(_, value)| *value)
}

/// Frees a witness. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_witness_free(witness: Option<Box<quaff_witness>>) {
    drop(witness);
}

/// The inverse of a map: each input as an expression in the outputs. The outputs are variables called `names`, each in
/// `0..extent`.
///
/// The caller owns `*inverse`, which is NULL after an error. If no inverse is proved, `*inverse` is NULL and the status
/// is `QUAFF_STATUS_NOT_PROVED`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_inverse(
    simplifier: Option<&quaff_simplifier>,
    outputs: quaff_expr_span<'_>,
    names: quaff_str_span<'_>,
    extents: quaff_expr_span<'_>,
    inputs: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    inverse: Option<&mut MaybeUninit<Option<Box<quaff_inverse>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(inverse, error, || {
        let (outputs, extents) = (outputs.handles("outputs")?, extents.handles("extents")?);
        let (names, inputs) = (names.texts("names")?, inputs.texts("inputs")?);
        let domain = &needed(domain, "domain")?.domain;
        if names.len() != extents.len() {
            return Err(Failure::Argument(format!("{} names, but {} extents", names.len(), extents.len())).into());
        }
        let places: Vec<_> = names.into_iter().zip(exprs_of(&extents)).collect();
        let found = quaff_ask::inverse(&or_default(simplifier), &exprs_of(&outputs), &places, &inputs, domain);
        let asked: Vec<&quaff_expr> = outputs.iter().chain(&extents).copied().collect();
        Ok(match found.map_err(|e| quaff_error::ask(&e, &asked))? {
            None => (quaff_status::NotProved, None),
            Some(found) => {
                let inside = found.inside.map(quaff_expr::made);
                (quaff_status::Ok, Some(Box::new(quaff_inverse { inputs: made_all(found.inputs), inside })))
            }
        })
    })
}

/// The number of inputs. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_inverse_count(inverse: Option<&quaff_inverse>) -> usize {
    inverse.map_or(0, |inverse| inverse.inputs.len())
}

/// Input number `at` as an expression in the outputs. The result is borrowed from `inverse`, and NULL if there is no
/// such input.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_inverse_input(inverse: Option<&quaff_inverse>, at: usize) -> Option<&quaff_expr> {
    inverse?.inputs.get(at)
}

/// The condition that a place is an output. The result is borrowed from `inverse`, and NULL if each place is an output.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_inverse_inside(inverse: Option<&quaff_inverse>) -> Option<&quaff_expr> {
    inverse?.inside.as_ref()
}

/// Frees an inverse. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_inverse_free(inverse: Option<Box<quaff_inverse>>) {
    drop(inverse);
}
