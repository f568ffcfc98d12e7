//! `quaff_simplifier`: the settings of calls, and the calls that simplify.

use crate::answer::quaff_answer;
use crate::call::{call, change, look, needed};
use crate::domain::quaff_domain;
use crate::failure::{Failure, quaff_error};
use crate::handle::{exprs_of, quaff_expr};
use crate::nodes;
use crate::place::quaff_status;
use crate::span::{quaff_expr_span, quaff_id_span, quaff_node_span, quaff_str, quaff_str_span};
use quaff::Simplifier;
use quaff::cost::{OpCount, Truncating};
use quaff::egraph::Limits;
use quaff::lower::Target;
use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// The settings of calls. If a function takes a `const quaff_simplifier *`, NULL means the default settings, and any
/// number of threads may use the settings at once. They are freed by `quaff_simplifier_free`.
#[derive(Default)]
pub struct quaff_simplifier {
    pub(crate) simplifier: Simplifier,
}

/// The cost by which answers are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_cost_model {
    /// The instructions of the division-free text for the target. This is the default.
    Gpu = 0,
    /// The instructions of a host whose division rounds towards zero. A division with a possibly negative dividend
    /// costs more, because it needs a correction.
    Truncating = 1,
    /// The number of operations.
    Operations = 2,
}

/// The given simplifier, or a simplifier with the defaults for NULL.
pub(crate) fn or_default(simplifier: Option<&quaff_simplifier>) -> Cow<'_, Simplifier> {
    simplifier.map_or_else(|| Cow::Owned(Simplifier::default()), |given| Cow::Borrowed(&given.simplifier))
}

fn set(
    simplifier: Option<&mut quaff_simplifier>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
    changed: impl FnOnce(Simplifier) -> Result<Simplifier, quaff_error>,
) -> quaff_status {
    change(error, || {
        let held = needed(simplifier, "simplifier")?;
        held.simplifier = changed(held.simplifier.clone())?;
        Ok(())
    })
}

/// Makes settings with the defaults. The caller owns them.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_simplifier_new() -> Option<Box<quaff_simplifier>> {
    look(None, || Some(Box::default()))
}

/// The amount of work for an answer. 0 is one short pass, and 1 is the default. 2 searches four times as many forms as
/// 1, and 3 searches sixteen times as many.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_simplifier_effort(
    simplifier: Option<&mut quaff_simplifier>,
    effort: u8,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    set(simplifier, error, |held| {
        if effort > Limits::MAX_EFFORT {
            return Err(Failure::Argument(format!("an effort is a number from 0 to {}", Limits::MAX_EFFORT)).into());
        }
        Ok(held.with_limits(Limits::effort(effort)))
    })
}

/// The machine for which answers are made: `sm_80`, `sm_90` (the default), `sm_100` or `plain`. Changes of prices may
/// follow, such as `sm_90+mulhi=20`. This call also makes the prices of the machine the cost model.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_simplifier_target(
    simplifier: Option<&mut quaff_simplifier>,
    name: quaff_str<'_>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    set(simplifier, error, |held| {
        let name = name.text("name", 0)?;
        let unknown = || Failure::Argument(format!("no target is called `{name}`"));
        Ok(held.for_target(Target::by_name(name).ok_or_else(unknown)?))
    })
}

/// The cost by which answers are chosen: one of `quaff_cost_model`.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_simplifier_cost_model(
    simplifier: Option<&mut quaff_simplifier>,
    model: u32,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    const GPU: u32 = quaff_cost_model::Gpu as u32;
    const TRUNCATING: u32 = quaff_cost_model::Truncating as u32;
    const OPERATIONS: u32 = quaff_cost_model::Operations as u32;
    set(simplifier, error, |held| match model {
        GPU => Ok(held.with_cost_model(quaff::cost::Gpu)),
        TRUNCATING => Ok(held.with_cost_model(Truncating)),
        OPERATIONS => Ok(held.with_cost_model(OpCount)),
        _ => Err(Failure::Argument(format!("no cost model has the number {model}")).into()),
    })
}

/// Frees settings. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_simplifier_free(simplifier: Option<Box<quaff_simplifier>>) {
    drop(simplifier);
}

/// Finds the cheapest expressions with the same values at every point of the domain. Several expressions belong to one
/// kernel, and a part that they share is counted once.
///
/// The caller owns `*answer`, which is NULL after an error. An expression that cannot be simplified gives
/// `QUAFF_STATUS_SIMPLIFY`, with the place in the text or the nodes of the expression.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_simplify(
    simplifier: Option<&quaff_simplifier>,
    exprs: quaff_expr_span<'_>,
    domain: Option<&quaff_domain>,
    answer: Option<&mut MaybeUninit<Option<Box<quaff_answer>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(answer, error, || {
        let asked = exprs.handles("exprs")?;
        let domain = &needed(domain, "domain")?.domain;
        let found = or_default(simplifier).simplify_all(&exprs_of(&asked), domain);
        Ok(Some(Box::new(quaff_answer::new(found.map_err(|e| quaff_error::simplify(&e, &asked))?))))
    })
}

/// Does the same as `quaff_simplify` for the nodes with the numbers `roots`. It needs no handle for each expression.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_simplify_nodes(
    simplifier: Option<&quaff_simplifier>,
    nodes: quaff_node_span<'_>,
    names: quaff_str_span<'_>,
    roots: quaff_id_span<'_>,
    domain: Option<&quaff_domain>,
    answer: Option<&mut MaybeUninit<Option<Box<quaff_answer>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    call(answer, error, || {
        let all = nodes::read(nodes, names)?;
        let exprs = nodes::rooted(&all, roots)?;
        let domain = &needed(domain, "domain")?.domain;
        let found = or_default(simplifier).simplify_all(&exprs, domain);
        let found = found.map_err(|e| {
            let all: Arc<[_]> = all.into();
            let asked: Vec<quaff_expr> = exprs.iter().map(|e| quaff_expr::of_nodes(e.clone(), all.clone())).collect();
            quaff_error::simplify(&e, &asked.iter().collect::<Vec<_>>())
        })?;
        Ok(Some(Box::new(quaff_answer::new(found))))
    })
}
