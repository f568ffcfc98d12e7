//! Maps as sums of iterators, and operations on iterators.

use crate::call::{ask, call, needed};
use crate::domain::quaff_domain;
use crate::failure::{Failure, quaff_error};
use crate::handle::{exprs_of, quaff_expr};
use crate::place::{quaff_decision, quaff_status};
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::{quaff_expr_span, quaff_str_span};
use quaff::expr::Expr;
use quaff_ask::{Detected, IterMap, IterSum, IterTerm, Padding};
use std::mem::MaybeUninit;

/// A map as sums of iterators, or the part that is no sum. It is freed by `quaff_iters_free`.
pub struct quaff_iters {
    outputs: Vec<Sum>,
    padding: Vec<[quaff_expr; 4]>,
    bijective: quaff_decision,
    no_iterator: Option<(usize, quaff_expr)>,
}

/// An output, with handles of its expressions.
struct Sum {
    iterators: Vec<Held>,
    base: quaff_expr,
}

/// The expressions of a [`quaff_iterator`].
struct Held {
    digit: quaff_expr,
    source: quaff_expr,
    lower: quaff_expr,
    modulus: Option<quaff_expr>,
    extent: quaff_expr,
    scale: quaff_expr,
}

/// An iterator with its scale: `scale * digit`. All pointers are borrowed from the handle of the sums.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_iterator<'a> {
    /// `source//lower%modulus`, which is in `0..extent`.
    pub digit: Option<&'a quaff_expr>,
    /// A variable, or a sum of iterators that together form one iterator.
    pub source: Option<&'a quaff_expr>,
    /// The divisor of the source.
    pub lower: Option<&'a quaff_expr>,
    /// The divisor of the remainder. It is NULL if there is no remainder.
    pub modulus: Option<&'a quaff_expr>,
    /// The number of values.
    pub extent: Option<&'a quaff_expr>,
    /// The change of the output when the digit rises by 1.
    pub scale: Option<&'a quaff_expr>,
}

/// Values of the quotient `source//lower` that never occur at the ends of its range. All pointers are borrowed from the
/// handle of the sums.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_padding<'a> {
    /// The numerator of the quotient.
    pub source: Option<&'a quaff_expr>,
    /// The divisor of the quotient.
    pub lower: Option<&'a quaff_expr>,
    /// The number of missing values before the first value.
    pub left: Option<&'a quaff_expr>,
    /// The number of missing values after the last value.
    pub right: Option<&'a quaff_expr>,
}

impl quaff_iters {
    fn new(found: Detected) -> (quaff_status, quaff_iters) {
        let made = quaff_expr::made;
        let IterMap { outputs, padding, is_bijective } = match found {
            Detected::Map(found) => found,
            Detected::Not { output, part } => {
                let (no_iterator, bijective) = (Some((output, made(part))), quaff_decision::Unknown);
                let none = quaff_iters { outputs: vec![], padding: vec![], bijective, no_iterator };
                return (quaff_status::NotProved, none);
            }
        };
        let iterator = |one: IterTerm| Held {
            digit: made(one.digit()),
            source: made(one.source),
            lower: made(one.lower),
            modulus: one.modulus.map(made),
            extent: made(one.extent),
            scale: made(one.scale),
        };
        let sum = |IterSum { iterators, base }: IterSum| Sum {
            iterators: iterators.into_iter().map(iterator).collect(),
            base: made(base),
        };
        let padded = |Padding { source, lower, left, right }: Padding| [source, lower, left, right].map(made);
        let found = quaff_iters {
            outputs: outputs.into_iter().map(sum).collect(),
            padding: padding.into_iter().map(padded).collect(),
            bijective: quaff_decision::of(is_bijective),
            no_iterator: None,
        };
        (quaff_status::Ok, found)
    }
}

/// Writes each output as a base and a sum of iterators of the variables `inputs`, whose ranges begin at 0.
///
/// The caller owns `*iters`, which is NULL after an error. With `QUAFF_STATUS_NOT_PROVED`, `*iters` has no outputs, and
/// `quaff_iters_no_iterator` returns the part at fault.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_iters(
    simplifier: Option<&quaff_simplifier>,
    outputs: quaff_expr_span<'_>,
    inputs: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    iters: Option<&mut MaybeUninit<Option<Box<quaff_iters>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(iters, error, || {
        let (outputs, inputs) = (outputs.handles("outputs")?, inputs.texts("inputs")?);
        let domain = &needed(domain, "domain")?.domain;
        let found = quaff_ask::detect(&or_default(simplifier), &exprs_of(&outputs), &inputs, domain);
        let (status, found) = quaff_iters::new(found.map_err(|e| quaff_error::ask(&e, &outputs))?);
        Ok((status, Some(Box::new(found))))
    })
}

/// The number of outputs. The result is 0 for NULL, and if the outputs are no sums of iterators.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_count(iters: Option<&quaff_iters>) -> usize {
    iters.map_or(0, |iters| iters.outputs.len())
}

/// The number of iterators of an output. The result is 0 if there is no such output.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_iterator_count(iters: Option<&quaff_iters>, output: usize) -> usize {
    iters.and_then(|iters| iters.outputs.get(output)).map_or(0, |sum| sum.iterators.len())
}

/// Iterator number `at` of an output, the slowest iterator first. All pointers are NULL if there is no such iterator.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_iterator(iters: Option<&quaff_iters>, output: usize, at: usize) -> quaff_iterator<'_> {
    let found = iters.and_then(|iters| iters.outputs.get(output)?.iterators.get(at));
    quaff_iterator {
        digit: found.map(|one| &one.digit),
        source: found.map(|one| &one.source),
        lower: found.map(|one| &one.lower),
        modulus: found.and_then(|one| one.modulus.as_ref()),
        extent: found.map(|one| &one.extent),
        scale: found.map(|one| &one.scale),
    }
}

/// The base of an output, which is added to its iterators. The result is borrowed from `iters`, and NULL if there is no
/// such output.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_base(iters: Option<&quaff_iters>, output: usize) -> Option<&quaff_expr> {
    iters?.outputs.get(output).map(|sum| &sum.base)
}

/// The number of quotients with padding. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_padding_count(iters: Option<&quaff_iters>) -> usize {
    iters.map_or(0, |iters| iters.padding.len())
}

/// Padding number `at`. All pointers are NULL if there is no such padding.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_padding(iters: Option<&quaff_iters>, at: usize) -> quaff_padding<'_> {
    let found = iters.and_then(|iters| iters.padding.get(at));
    let part = |number: usize| found.and_then(|all| all.get(number));
    quaff_padding { source: part(0), lower: part(1), left: part(2), right: part(3) }
}

/// Whether inputs and digits determine each other, and all combinations of digits occur. The result for NULL is
/// `QUAFF_DECISION_UNKNOWN`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_bijective(iters: Option<&quaff_iters>) -> quaff_decision {
    iters.map_or(quaff_decision::Unknown, |iters| iters.bijective)
}

/// The part of an output that is no iterator, or that depends on another part. The result is borrowed from `iters`, and
/// NULL if there is no such part.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_no_iterator(iters: Option<&quaff_iters>) -> Option<&quaff_expr> {
    Some(&iters?.no_iterator.as_ref()?.1)
}

/// The number of the first output that is no sum of iterators. The result is 0 if all outputs are sums of iterators.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_no_iterator_output(iters: Option<&quaff_iters>) -> usize {
    iters.and_then(|iters| iters.no_iterator.as_ref()).map_or(0, |(output, _)| *output)
}

/// Frees sums of iterators. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_iters_free(iters: Option<Box<quaff_iters>>) {
    drop(iters);
}

/// Iterators with their extents, the slowest iterator first. They are freed by `quaff_axes_free`.
pub struct quaff_axes {
    axes: Vec<[quaff_expr; 2]>,
}

/// An iterator with its extent. Both pointers are borrowed from the handle of the iterators.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_axis<'a> {
    /// The iterator, whose values are in `0..extent`.
    pub iterator: Option<&'a quaff_expr>,
    /// The number of values of the iterator.
    pub extent: Option<&'a quaff_expr>,
}

fn axes<const N: usize>(all: [(Expr, Expr); N]) -> Option<Box<quaff_axes>> {
    let axes = all.map(|(iterator, extent)| [iterator, extent].map(quaff_expr::made));
    Some(Box::new(quaff_axes { axes: axes.into() }))
}

/// Fuses iterators into one iterator. The first of them is the slowest. `i` and `j` with extents `m` and `n` become
/// `i*n + j` with extent `m*n`.
///
/// The caller owns `*axes`, which is NULL after an error. It holds one iterator.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_fuse(
    iterators: quaff_expr_span<'_>,
    extents: quaff_expr_span<'_>,
    fused: Option<&mut MaybeUninit<Option<Box<quaff_axes>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(fused, error, || {
        let (iterators, extents) = (iterators.handles("iterators")?, extents.handles("extents")?);
        if iterators.len() != extents.len() {
            let message = format!("{} iterators, but {} extents", iterators.len(), extents.len());
            return Err(Failure::Argument(message).into());
        }
        let all: Vec<(Expr, Expr)> = exprs_of(&iterators).into_iter().zip(exprs_of(&extents)).collect();
        Ok(axes([quaff_ask::fuse(&all)]))
    })
}

/// Splits an iterator into `iterator//factor` and `iterator%factor`. The second iterator is the faster one, and has
/// `factor` values. The extent of the first iterator is rounded up.
///
/// The caller owns `*axes`, which is NULL after an error. It holds two iterators. The factor must be positive.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_split(
    iterator: Option<&quaff_expr>,
    extent: Option<&quaff_expr>,
    factor: Option<&quaff_expr>,
    parts: Option<&mut MaybeUninit<Option<Box<quaff_axes>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(parts, error, || {
        let (iterator, extent) = (needed(iterator, "iterator")?, needed(extent, "extent")?);
        let factor = needed(factor, "factor")?;
        if let Some(number @ ..=0) = factor.expr.as_const() {
            return Err(Failure::Argument(format!("an iterator cannot be split by {number}")).into());
        }
        Ok(axes(quaff_ask::split(&iterator.expr, &extent.expr, &factor.expr)))
    })
}

/// The number of iterators. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_axes_count(axes: Option<&quaff_axes>) -> usize {
    axes.map_or(0, |axes| axes.axes.len())
}

/// Iterator number `at`. Both pointers are NULL if there is no such iterator.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_axes_axis(axes: Option<&quaff_axes>, at: usize) -> quaff_axis<'_> {
    let found = axes.and_then(|axes| axes.axes.get(at));
    quaff_axis { iterator: found.map(|[iterator, _]| iterator), extent: found.map(|[_, extent]| extent) }
}

/// Frees iterators. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_axes_free(axes: Option<Box<quaff_axes>>) {
    drop(axes);
}
