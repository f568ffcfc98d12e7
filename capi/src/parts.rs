//! An index as a sum of parts, and as a base and an immediate operand.

use crate::call::{ask, call, needed};
use crate::domain::quaff_domain;
use crate::failure::{Failure, quaff_error};
use crate::handle::{given, made_all, quaff_expr};
use crate::place::quaff_status;
use crate::simplifier::{or_default, quaff_simplifier};
use crate::span::{quaff_int_span, quaff_str_span};
use quaff::domain::Interval;
use std::mem::MaybeUninit;

/// An index as a sum: one part for each set of variables, one part without any of these variables, and mixed terms. It
/// is freed by `quaff_parts_free`.
pub struct quaff_parts {
    parts: Vec<quaff_expr>,
    shared: quaff_expr,
    mixed: Vec<quaff_expr>,
}

/// Splits an index by sets of variables, such as the variables that are uniform in a warp, and the variables of its
/// lanes. A variable in no set may occur in all parts.
///
/// `names` has the names of all sets one after another, and `sizes` the number of names in each set. The caller owns
/// `*parts`, which is NULL after an error. A variable in two sets gives `QUAFF_STATUS_ASK`. Terms that cannot be split
/// are the mixed terms, with `QUAFF_STATUS_OK`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_parts(
    simplifier: Option<&quaff_simplifier>,
    index: Option<&quaff_expr>,
    names: quaff_str_span<'_>,
    sizes: quaff_int_span<'_>,
    domain: Option<&quaff_domain>,
    parts: Option<&mut MaybeUninit<Option<Box<quaff_parts>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(parts, error, || {
        let (index, domain) = (needed(index, "index")?, &needed(domain, "domain")?.domain);
        let names = names.texts("names")?;
        let sets = sets(&names, sizes.ints().ok_or(Failure::Null("sizes"))?)?;
        let found = quaff_ask::parts(&or_default(simplifier), &index.expr, &sets, domain);
        let found = found.map_err(|e| quaff_error::ask(&e, &[index]))?;
        Ok(Some(Box::new(quaff_parts {
            parts: made_all(found.parts),
            shared: quaff_expr::made(found.shared),
            mixed: made_all(found.mixed),
        })))
    })
}

/// Splits the names into sets with these sizes.
fn sets<'n>(names: &'n [&'n str], sizes: &[i64]) -> Result<Vec<&'n [&'n str]>, quaff_error> {
    let mut rest = names;
    let mut sets = vec![];
    for size in sizes {
        let set = usize::try_from(*size).ok().and_then(|size| rest.split_at_checked(size));
        let (set, others) = set.ok_or_else(|| Failure::Argument(format!("a set cannot have {size} of the names")))?;
        sets.push(set);
        rest = others;
    }
    match rest {
        [] => Ok(sets),
        [name, ..] => Err(Failure::Argument(format!("`{name}` is in no set: the sizes add up to less")).into()),
    }
}

/// The number of parts, which is the number of sets. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_parts_count(parts: Option<&quaff_parts>) -> usize {
    parts.map_or(0, |parts| parts.parts.len())
}

/// The part of set number `at`. The result is borrowed from `parts`, and NULL if there is no such set.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_parts_part(parts: Option<&quaff_parts>, at: usize) -> Option<&quaff_expr> {
    parts?.parts.get(at)
}

/// The sum of the terms without variables of any set. The result is borrowed from `parts`, and NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_parts_shared(parts: Option<&quaff_parts>) -> Option<&quaff_expr> {
    Some(&parts?.shared)
}

/// The number of mixed terms, for which no split was proved. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_parts_mixed_count(parts: Option<&quaff_parts>) -> usize {
    parts.map_or(0, |parts| parts.mixed.len())
}

/// Mixed term number `at`, for which no split was proved. The result is borrowed from `parts`, and NULL if there is no
/// such term.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_parts_mixed(parts: Option<&quaff_parts>, at: usize) -> Option<&quaff_expr> {
    parts?.mixed.get(at)
}

/// Frees parts. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_parts_free(parts: Option<Box<quaff_parts>>) {
    drop(parts);
}

/// Writes an offset as the sum of a base and an immediate operand. The immediate operand is in `lower..upper`, both
/// inclusive.
///
/// The caller owns `*base`. If no base of 64 bits is found, `*base` is NULL and the status is
/// `QUAFF_STATUS_NOT_PROVED`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_ask_base_and_immediate(
    offset: Option<&quaff_expr>,
    lower: i64,
    upper: i64,
    base: Option<&mut MaybeUninit<Option<Box<quaff_expr>>>>,
    immediate: Option<&mut MaybeUninit<i64>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    ask(base, error, || {
        let immediate = needed(immediate, "immediate")?;
        immediate.write(0);
        let offset = needed(offset, "offset")?;
        let empty = || Failure::Argument(format!("the range is empty: {lower} is above {upper}"));
        let range = Interval::new(lower, upper).ok_or_else(empty)?;
        let Some((base, own)) = quaff_ask::base_and_immediate(&offset.expr, range) else {
            return Ok((quaff_status::NotProved, None));
        };
        immediate.write(own);
        Ok((quaff_status::Ok, given(base)))
    })
}
