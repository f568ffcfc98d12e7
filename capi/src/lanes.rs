//! Lanes: contiguity, constancy, divisibility, and the widest vector.

use crate::call::{call, needed};
use crate::domain::quaff_domain;
use crate::failure::{Failure, quaff_error};
use crate::handle::{exprs_of, quaff_expr};
use crate::place::quaff_status;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::quaff_str;
use std::mem::MaybeUninit;

/// Facts about an index along a lane variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct quaff_lanes {
    /// The number of lanes.
    pub count: i64,
    /// The size of groups of lanes in which the index grows by 1 from lane to lane.
    pub contiguity: i64,
    /// The size of groups of lanes in which the index is the same.
    pub constancy: i64,
    /// A number that divides the first value of each contiguous group. It is 0 if that value is always 0.
    pub divisibility: i64,
    /// The size of groups of lanes in which the mask is the same. It is 0 without a mask.
    pub mask_constancy: i64,
    /// The largest number of lanes that one access covers. It is a power of two.
    pub vector: i64,
}

/// Proves facts about `index` along the variable `lane`, whose range begins at 0. Finds the widest vector of up to
/// `most` lanes.
///
/// `mask` is the condition of the access, or NULL. The status is `QUAFF_STATUS_ASK` if `lane` is no such variable.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_lanes(
    simplifier: Option<&quaff_simplifier>,
    index: Option<&quaff_expr>,
    mask: Option<&quaff_expr>,
    lane: quaff_str<'_>,
    most: i64,
    domain: Option<&quaff_domain>,
    lanes: Option<&mut MaybeUninit<quaff_lanes>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(lanes, error, || {
        let asked: Vec<&quaff_expr> = std::iter::once(needed(index, "index")?).chain(mask).collect();
        let (lane, domain) = (lane.text("lane", 0)?, &needed(domain, "domain")?.domain);
        let found = quaff_ask::lanes(&or_default(simplifier), &exprs_of(&asked), lane, domain);
        let found = found.map_err(|e| quaff_error::ask(&e, &asked))?;
        let Some((own, masks)) = found.split_first() else { return Err(Failure::Null("index").into()) };
        Ok(quaff_lanes {
            count: own.count,
            contiguity: own.contiguity,
            constancy: own.constancy,
            divisibility: own.divisibility(),
            mask_constancy: masks.first().map_or(0, |mask| mask.constancy),
            vector: quaff_ask::widest_vector(own, masks.first(), most),
        })
    })
}
