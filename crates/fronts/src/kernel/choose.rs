//! The choice between several forms of the indices of a kernel.
//!
//! All roots (indices and conditions) are simplified together, in several ways. The printed form has the least cost of
//! the operations that a thread executes.

use super::KernelError;
use super::executed::{addresses, cost, in_loops};
use super::record::Recorder;
use crate::index_type::copies_apart;
use quaff::cost::Cost;
use quaff::domain::{Domain, VarFacts};
use quaff::expr::Expr;
use quaff::expr::offset::{plus_offset, split_offset};
use quaff::internals::{confirm, search_once, with_exprs};
use quaff::{Simplified, Simplifier, Step};
use std::sync::Arc;

/// The form that is printed.
pub(super) struct Chosen {
    pub(super) answer: Simplified,
    pub(super) domain: Domain,
    /// The facts about the variables, with the loops in which their values change.
    pub(super) vars: Vec<VarFacts>,
    /// The cost of the roots as they were built, with each operation counted once.
    pub(super) input_cost: Cost,
    /// The cost of the operations that a thread executes.
    pub(super) executed: Cost,
    /// The cost of the operations that a thread executes for the roots as they were built.
    pub(super) input_executed: Cost,
    /// The rules that fired in all searches.
    pub(super) trace: Vec<Step>,
}

/// The cheapest of these forms of the roots, which are simplified together:
/// - the roots as they were built;
/// - the roots simplified under their masks, which may hide subexpressions that they share with others;
/// - the roots with the common part of unrolled copies separated;
/// - the cheapest of these forms, simplified again with addresses without their constant offsets.
///
/// Of forms that cost the same, the first one is chosen. If the roots cost less without simplification than in every
/// form, they are printed as they were built.
pub(super) fn chosen(rec: &Recorder, simplifier: &Simplifier) -> Result<Chosen, KernelError> {
    let domain = rec.domain();
    let vars = in_loops(rec, domain.clone()).resolve().map_err(quaff::SimplifyError::from)?;
    let built: Vec<Expr> = rec.roots.iter().map(|r| r.raw.clone()).collect();
    let answer = simplifier.simplify_all(&built, &domain)?;
    let scoped = |answer: Simplified| in_scope(rec, answer, &domain, simplifier);
    let answer = scoped(answer)?;
    let input_cost = answer.input_cost();
    let as_built = with_exprs(answer.clone(), built);
    let mut trace = answer.trace().to_vec();
    let mut best = (cost(rec, &answer, simplifier, &vars), answer);
    let mut offer = |best: &mut (Cost, Simplified), answer: Simplified| {
        trace.extend_from_slice(answer.trace());
        let executed = cost(rec, &answer, simplifier, &vars);
        if executed < best.0 {
            *best = (executed, answer);
        }
    };
    if rec.roots.iter().any(|r| r.raw != r.value) {
        let values: Vec<Expr> = rec.roots.iter().map(|r| r.value.clone()).collect();
        offer(&mut best, scoped(simplifier.simplify_all(&values, &domain)?)?);
    }
    let unrolled = rec.blocks.iter().filter_map(|b| b.looped.as_ref()).filter(|head| head.is_unrolled());
    let unrolled: Vec<(Arc<str>, i64)> =
        unrolled.filter_map(|head| Some((head.variable.clone(), head.trips.as_const()?))).collect();
    let values: Vec<Expr> = rec.roots.iter().map(|r| r.value.clone()).collect();
    if let Some(answer) = copies_apart(&values, &unrolled, &domain, simplifier) {
        offer(&mut best, scoped(answer)?);
    }
    if let Some(answer) = without_offsets(rec, &best.1, &domain, simplifier) {
        offer(&mut best, scoped(answer)?);
    }
    let input_executed = cost(rec, &as_built, simplifier, &vars);
    let (executed, answer) = if input_executed < best.0 { (input_executed, as_built) } else { best };
    Ok(Chosen { answer, domain, vars, input_cost, executed, input_executed, trace })
}

/// `answer` without variables that have no value at the place of a root. Sharing can introduce such a variable. For
/// example, let `n` be even: then `i*2 + j < n` equals `i*2 + k < n` for all `j` and `k` in `0..2`. A root with a
/// variable of this kind is simplified alone.
fn in_scope(
    rec: &Recorder,
    answer: Simplified,
    domain: &Domain,
    simplifier: &Simplifier,
) -> Result<Simplified, KernelError> {
    let mut exprs = answer.exprs().to_vec();
    let mut is_changed = false;
    for (root, e) in rec.roots.iter().zip(&mut exprs) {
        let own = root.value.variables();
        let is_known = |name: &Arc<str>| own.contains(name) || rec.named(name).is_none_or(|v| v.parameter);
        if !e.variables().iter().all(is_known) {
            *e = simplifier.simplify(&root.value, domain)?.expr().clone();
            is_changed = true;
        }
    }
    Ok(if is_changed { with_exprs(answer, exprs) } else { answer })
}

/// The roots of `answer` simplified again in one search, with addresses without their constant offsets. An address may
/// then be the same sum as an operand of a condition.
fn without_offsets(
    rec: &Recorder,
    answer: &Simplified,
    domain: &Domain,
    simplifier: &Simplifier,
) -> Option<Simplified> {
    let split = |(e, is_address): (&Expr, bool)| if is_address { split_offset(e) } else { (e.clone(), 0) };
    let parts: Vec<(Expr, i64)> = answer.exprs().iter().zip(addresses(rec)).map(split).collect();
    if parts.iter().all(|(_, offset)| *offset == 0) {
        return None;
    }
    let roots: Vec<Expr> = parts.iter().map(|(e, _)| e.clone()).collect();
    let found = search_once(simplifier, &roots, domain).ok()?;
    let sums = found.exprs().iter().zip(&parts).map(|(e, (_, offset))| plus_offset(e.clone(), *offset));
    let exprs: Vec<Expr> = sums.collect();
    answer
        .exprs()
        .iter()
        .zip(&exprs)
        .try_for_each(|(before, after)| confirm(simplifier, before, after, domain))
        .ok()?;
    Some(with_exprs(found, exprs))
}
