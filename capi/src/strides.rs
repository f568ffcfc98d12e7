//! An index as a strided access.

use crate::call::{ask, needed};
use crate::domain::quaff_domain;
use crate::ended::Ended;
use crate::failure::quaff_error;
use crate::handle::quaff_expr;
use crate::place::quaff_status;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::{quaff_str, quaff_str_span};
use quaff::expr::int;
use quaff_ask::Strides;
use std::mem::MaybeUninit;

/// The shape and the strides of an index. It is freed by `quaff_strides_free`.
pub struct quaff_strides {
    dimensions: Vec<Dimension>,
    offset: quaff_expr,
    not_strided: Option<quaff_expr>,
}

/// One dimension, with handles of its expressions.
struct Dimension {
    axis: Ended,
    below: i64,
    partial: bool,
    extent: Option<quaff_expr>,
    stride: quaff_expr,
    wrap: Option<[quaff_expr; 2]>,
}

/// One dimension of a strided access. All pointers are borrowed from the handle of the strides.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct quaff_dimension<'a> {
    /// The variable of the axis.
    pub axis: quaff_str<'a>,
    /// The divisor of the digit that is the coordinate. The coordinate is `axis//below%extent`, or `axis//below` for
    /// the slowest coordinate of an axis.
    pub below: i64,
    /// Whether the last coordinate has fewer elements than the other coordinates.
    pub partial: bool,
    /// The number of coordinates. It is NULL if the range of the axis is open.
    pub extent: Option<&'a quaff_expr>,
    /// The change of the index when the coordinate rises by 1.
    pub stride: Option<&'a quaff_expr>,
    /// The start of a coordinate `c` that wraps around. The expression `(wrap_origin + c)%wrap_extent` replaces such a
    /// coordinate. It is NULL if the coordinate does not wrap around.
    pub wrap_origin: Option<&'a quaff_expr>,
    /// The end at which the coordinate wraps around to 0. It is NULL if the coordinate does not wrap around.
    pub wrap_extent: Option<&'a quaff_expr>,
}

impl quaff_strides {
    fn new(found: Strides) -> (quaff_status, quaff_strides) {
        let made = quaff_expr::made;
        match found {
            Strides::Not(term) => {
                let not_strided = Some(made(term));
                (quaff_status::NotProved, quaff_strides { dimensions: vec![], offset: made(int(0)), not_strided })
            }
            Strides::Strided(found) => {
                let dimension = |d: quaff_ask::Dimension| Dimension {
                    axis: Ended::new(&*d.axis),
                    below: d.below,
                    partial: d.partial,
                    extent: d.extent.map(made),
                    stride: made(d.stride),
                    wrap: d.wrap.map(|wrap| [wrap.origin, wrap.extent].map(made)),
                };
                let dimensions = found.dimensions.into_iter().map(dimension).collect();
                (quaff_status::Ok, quaff_strides { dimensions, offset: made(found.offset), not_strided: None })
            }
        }
    }
}

/// Writes an index as a strided access along the variables `axes`, whose ranges begin at 0.
///
/// The caller owns `*strides`, which is NULL after an error. With `QUAFF_STATUS_NOT_PROVED`, `*strides` has no
/// dimensions, and `quaff_strides_not_strided` returns the term at fault.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_strides(
    simplifier: Option<&quaff_simplifier>,
    index: Option<&quaff_expr>,
    axes: quaff_str_span<'_>,
    domain: Option<&quaff_domain>,
    strides: Option<&mut MaybeUninit<Option<Box<quaff_strides>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(strides, error, || {
        let (index, domain) = (needed(index, "index")?, &needed(domain, "domain")?.domain);
        let found = quaff_ask::strides(&or_default(simplifier), &index.expr, &axes.texts("axes")?, domain);
        let (status, found) = quaff_strides::new(found.map_err(|e| quaff_error::ask(&e, &[index]))?);
        Ok((status, Some(Box::new(found))))
    })
}

/// The number of dimensions. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_strides_count(strides: Option<&quaff_strides>) -> usize {
    strides.map_or(0, |strides| strides.dimensions.len())
}

/// Dimension number `at`. The axes are in their order, and the slowest dimension of an axis comes first. If there is no
/// such dimension, the name is empty and `stride` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_strides_dimension(strides: Option<&quaff_strides>, at: usize) -> quaff_dimension<'_> {
    let found = strides.and_then(|strides| strides.dimensions.get(at));
    let wrap = found.and_then(|d| d.wrap.as_ref());
    quaff_dimension {
        axis: found.map_or(quaff_str::empty(), |d| d.axis.view()),
        below: found.map_or(0, |d| d.below),
        partial: found.is_some_and(|d| d.partial),
        extent: found.and_then(|d| d.extent.as_ref()),
        stride: found.map(|d| &d.stride),
        wrap_origin: wrap.map(|[origin, _]| origin),
        wrap_extent: wrap.map(|[_, extent]| extent),
    }
}

/// The value of the index when all coordinates are 0. The result is borrowed from `strides`. The result is NULL for
/// NULL, and if no strides are proved.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_strides_offset(strides: Option<&quaff_strides>) -> Option<&quaff_expr> {
    strides.filter(|strides| strides.not_strided.is_none()).map(|strides| &strides.offset)
}

/// The term of the index for which no strides are proved. The result is borrowed from `strides`, and NULL if there is
/// no such term.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_strides_not_strided(strides: Option<&quaff_strides>) -> Option<&quaff_expr> {
    strides?.not_strided.as_ref()
}

/// Frees strides. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_strides_free(strides: Option<Box<quaff_strides>>) {
    drop(strides);
}
