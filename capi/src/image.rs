//! The values of an index.

use crate::call::{call, needed};
use crate::domain::quaff_domain;
use crate::failure::quaff_error;
use crate::handle::quaff_expr;
use crate::place::{quaff_decision, quaff_status};
use crate::range::quaff_range;
use crate::simplifier::{or_default, quaff_simplifier};
use quaff_ask::Answer;
use std::mem::MaybeUninit;

/// The set of values of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_image {
    /// A range that contains all values. An end is open if no bound is found.
    pub range: quaff_range,
    /// Whether both ends of the range are values.
    pub has_ends: bool,
    /// A number that divides the differences of all values. It is 0 if there is only one value.
    pub stride: i64,
    /// Whether all numbers from the least to the greatest value, in steps of the stride, are values.
    pub dense: quaff_decision,
    /// A number that is missing from the values, if they are not dense. Otherwise 0.
    pub hole: i64,
    /// The number of different values. It is 0 if this number is not found.
    pub count: i64,
}

impl Default for quaff_image {
    /// The description of all integers.
    fn default() -> quaff_image {
        let (range, dense) = (quaff_range::default(), quaff_decision::Unknown);
        quaff_image { range, has_ends: false, stride: 1, dense, hole: 0, count: 0 }
    }
}

/// The values of an index over all points of the domain: their ends, their stride and holes.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_image(
    simplifier: Option<&quaff_simplifier>,
    index: Option<&quaff_expr>,
    domain: Option<&quaff_domain>,
    image: Option<&mut MaybeUninit<quaff_image>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(image, error, || {
        let (index, domain) = (needed(index, "index")?, &needed(domain, "domain")?.domain);
        let found = quaff_ask::image(&or_default(simplifier), &index.expr, domain);
        let found = found.map_err(|e| quaff_error::ask(&e, &[index]))?;
        let (dense, hole) = match found.is_dense {
            Answer::Yes => (quaff_decision::Yes, 0),
            Answer::No(hole) => (quaff_decision::No, hole),
            Answer::NotProved => (quaff_decision::Unknown, 0),
        };
        Ok(quaff_image {
            range: quaff_range::of(found.range),
            has_ends: found.has_ends,
            stride: found.stride,
            dense,
            hole,
            count: found.count.unwrap_or(0),
        })
    })
}
