//! Simplifies accesses: first the gates, then the indices under the condition of their gate, then all expressions
//! together.

use super::copies::Patterns;
use super::one_by_one::{Answers, OneByOne, one_by_one};
use super::prices::{Priced, Prices, exchange_parts, without_offsets};
use super::print_prices::{Printed, printed};
use super::scopes::Scopes;
use super::{Access, Gate, SimplifiedAccesses};
use crate::cost::Cost;
use crate::domain::Domain;
use crate::egraph::StopReason;
use crate::expr::offset::{plus_offset, split_offset};
use crate::expr::{Expr, int};
use crate::simplify::{Settings, SimplifyError, Stage, confirm, for_call, search_forms, with_efforts_below};

/// The largest number of rounds of searches. Each round begins with the result of the round before.
const MAX_ROUNDS: usize = 4;
/// The largest number of accesses that are searched together if most of them are copies of a pattern (see `copies`).
const MAX_SEARCHED: usize = 64;

/// Simplifies the accesses of one kernel. See [`Simplifier::simplify_accesses`](crate::Simplifier::simplify_accesses).
pub(crate) fn simplify_accesses(
    settings: &Settings,
    accesses: &[Access],
    domain: &Domain,
) -> Result<SimplifiedAccesses, SimplifyError> {
    let cheaper = |first: SimplifiedAccesses, later: SimplifiedAccesses| {
        if later.cost < first.cost { later } else { first }
    };
    with_efforts_below(settings, |within| accesses_within(within, accesses, domain), cheaper)
}

/// The cost of accesses as they are written. See [`Simplifier::cost_of_accesses`](crate::Simplifier::cost_of_accesses).
pub(crate) fn cost_of_accesses(
    settings: &Settings,
    accesses: &[Access],
    domain: &Domain,
) -> Result<Cost, SimplifyError> {
    let call = for_call(settings, &exprs(accesses));
    let scopes = Scopes::new(&call, accesses, domain)?;
    let vars = if scopes.len() == 1 { scopes.domain(0).resolve()? } else { domain.resolve()? };
    Ok(Prices::new(&call, &scopes, &vars).priced(accesses.to_vec())?.cost)
}

/// Like [`simplify_accesses`], but only within the limits of `settings`.
fn accesses_within(
    settings: &Settings,
    accesses: &[Access],
    domain: &Domain,
) -> Result<SimplifiedAccesses, SimplifyError> {
    let given = accesses;
    let call = for_call(settings, &exprs(accesses));
    let scopes = Scopes::new(&call, accesses, domain)?;
    let vars = if scopes.len() == 1 { scopes.domain(0).resolve()? } else { domain.resolve()? };
    let mut prices = Prices::new(&call, &scopes, &vars);
    let written = prices.priced(accesses.to_vec())?;
    let input_cost = written.cost;
    let (Priced { cost, accesses }, stop) = if scopes.len() == 1 {
        cheapest_of_group(&call, written, &mut prices)?
    } else {
        cheapest_of_groups(&call, written, &scopes, &mut prices)?
    };
    if settings.compares() {
        let questions = given.iter().zip(&accesses).flat_map(|(a, b)| a.compared_with(b, domain));
        for (before, after, inside) in questions {
            confirm(settings, &before, &after, &inside)?;
        }
    }
    let Printed { shape, offsets, facts } = printed(&call, &accesses, accesses.len(), &scopes)?;
    let stop = if call.is_out_of_budget() { StopReason::WorkLimit } else { stop };
    let (target, trace) = (settings.target, prices.trace);
    Ok(SimplifiedAccesses { accesses, vars, scopes, shape, offsets, facts, cost, input_cost, stop, target, trace })
}

/// The cheapest form found for accesses of one group. Also returns why the first search that did not saturate ended.
fn cheapest_of_group(
    settings: &Settings,
    written: Priced,
    prices: &mut Prices<'_>,
) -> Result<(Priced, StopReason), SimplifyError> {
    let (mut best, stop) = with_copies(settings, written, prices)?;
    for access in best.accesses.iter_mut().filter(|a| a.gate == Gate::Never) {
        access.lanes.fill(int(0));
    }
    Ok((best, if prices.are_spent() && stop == StopReason::Saturated { StopReason::WorkLimit } else { stop }))
}

/// The cheapest form found for all accesses. Each group of `scopes` is searched separately. The result is mixed with
/// the accesses as they are `written`, and `prices` prices all of them together.
fn cheapest_of_groups(
    settings: &Settings,
    written: Priced,
    scopes: &Scopes,
    prices: &mut Prices<'_>,
) -> Result<(Priced, StopReason), SimplifyError> {
    let (mut accesses, mut stop) = (written.accesses.clone(), StopReason::Saturated);
    for group in 0..scopes.len() {
        let members = scopes.members(group);
        let one = Scopes::one(scopes.domain(group));
        let vars = one.domain(0).resolve()?;
        let mut own = Prices::new(settings, &one, &vars);
        let written = own.priced(members.iter().map(|&i| written.accesses[i].clone()).collect())?;
        let (found, why) = cheapest_of_group(settings, written, &mut own)?;
        prices.trace.append(&mut own.trace);
        members.iter().zip(found.accesses).for_each(|(&i, access)| accesses[i] = access);
        stop = if stop == StopReason::Saturated { why } else { stop };
    }
    let mut best = prices.priced(accesses)?;
    exchange_parts(&mut best, std::slice::from_ref(&written.accesses), prices)?;
    // if a search found that an access never happens, the written form is not taken even if it costs less, because the
    // written form does not show this
    let is_written = written.cost < best.cost && best.accesses.iter().all(|a| a.gate != Gate::Never);
    Ok((if is_written { written } else { best }, stop))
}

/// The cheapest form found by a search for the accesses and a search for the patterns of copies among them. Also
/// returns why the first search that did not saturate ended.
fn with_copies(
    settings: &Settings,
    written: Priced,
    prices: &mut Prices<'_>,
) -> Result<(Priced, StopReason), SimplifyError> {
    let accesses = written.accesses.clone();
    let patterns = if settings.takes(Stage::Copies) { Patterns::new(&accesses, prices.domain()) } else { None };
    let many = |p: &Patterns| accesses.len() > MAX_SEARCHED && p.accesses().len() * 2 <= accesses.len();
    let (mut best, mut stop) = match &patterns {
        // most accesses are copies, so the search for patterns replaces the search for all accesses
        Some(patterns) if many(patterns) => (written, StopReason::Saturated),
        _ => searched(settings, written, prices)?,
    };
    if let Some(patterns) = &patterns {
        let first = take_copies(settings, patterns, &mut best, &accesses, prices)?;
        stop = if stop == StopReason::Saturated { first } else { stop };
    }
    Ok((best, stop))
}

/// The cheapest form that rounds of searches find. The first round begins with the accesses as they are `written`. Also
/// returns the reason why the first of the searches ended.
fn searched(
    settings: &Settings,
    written: Priced,
    prices: &mut Prices<'_>,
) -> Result<(Priced, StopReason), SimplifyError> {
    let mut answers = Answers::default();
    let (mut best, stop) = search_round(settings, &written.accesses, true, &mut answers, prices)?;
    let mut cost = written.cost;
    // each round begins with the result of the round before
    let rounds = if settings.takes(Stage::Rounds) { MAX_ROUNDS } else { 1 };
    for _ in 1..rounds {
        if best.cost >= cost || prices.are_spent() {
            break;
        }
        cost = best.cost;
        let (found, _) = search_round(settings, &best.accesses, stop != StopReason::Saturated, &mut answers, prices)?;
        if found.cost < cost {
            best = found;
        }
    }
    prices.trace.append(&mut answers.trace);
    Ok((best, stop))
}

/// One round of searches for the accesses as they are `written`. If `is_first`, the accesses are not the result of such
/// a round, and indices under a gate are also searched separately.
fn search_round(
    settings: &Settings,
    written: &[Access],
    is_first: bool,
    answers: &mut Answers,
    prices: &mut Prices<'_>,
) -> Result<(Priced, StopReason), SimplifyError> {
    let domain = prices.domain();
    let OneByOne { alone, apart, stop } = one_by_one(settings, written, is_first, domain, answers)?;
    let together = searched_together(settings, written, &alone, domain, answers);
    let mut forms = vec![alone];
    forms.extend(together);
    forms.push(written.to_vec());
    let mut best: Option<Priced> = None;
    for form in &forms {
        let is_cheaper = |form: &Priced| best.as_ref().is_none_or(|best| form.cost < best.cost);
        if let Some(form) = prices.priced_form(form.clone())?.filter(is_cheaper) {
            best = Some(form);
        }
    }
    let mut best = best.map_or_else(|| prices.priced(written.to_vec()), Ok)?;
    forms.extend(apart);
    if written.len() > 1 && settings.takes(Stage::Mix) {
        exchange_parts(&mut best, &forms, prices)?;
    }
    Ok((best, stop))
}

/// Replaces `best` by copies of patterns if they cost no more. Among forms of equal cost, the form that all copies
/// share is preferred. Returns why the first search for patterns ended.
fn take_copies(
    settings: &Settings,
    patterns: &Patterns,
    best: &mut Priced,
    written: &[Access],
    prices: &mut Prices<'_>,
) -> Result<StopReason, SimplifyError> {
    let (mut forms, mut stop) = (Vec::new(), StopReason::Saturated);
    let scopes = Scopes::one(&patterns.domain(prices.domain()));
    let vars = scopes.domain(0).resolve()?;
    let mut inside = Prices::new(settings, &scopes, &vars);
    // if a pattern is refused, its copies may still be valid
    let pattern = inside.priced(patterns.accesses().to_vec());
    if let Ok((found, why)) = pattern.and_then(|pattern| searched(settings, pattern, &mut inside)) {
        stop = why;
        prices.trace.append(&mut inside.trace);
        forms.push(patterns.copies(written, &found.accesses));
    }
    forms.push(patterns.copies(written, patterns.accesses()));
    let mut is_first = true;
    for lanes in 0..forms.len() {
        for gates in 0..forms.len() {
            let mut accesses = forms[gates].clone();
            let of_lanes = accesses.iter_mut().zip(&forms[lanes]);
            of_lanes.for_each(|(access, other)| access.lanes.clone_from(&other.lanes));
            // the same gates and indices may have been priced before
            if forms[..gates].contains(&forms[gates]) || forms[..lanes].contains(&accesses) {
                continue;
            }
            let Some(copies) = prices.priced_form(accesses)? else { continue };
            if copies.cost < best.cost || copies.cost == best.cost && std::mem::take(&mut is_first) {
                *best = copies;
            }
        }
    }
    Ok(stop)
}

/// Searches all gates and indices in one e-graph, so that each expression may share values of another expression. The
/// e-graph also has the forms as `written`, because a gate that was simplified separately may share less.
fn searched_together(
    settings: &Settings,
    written: &[Access],
    before: &[Access],
    domain: &Domain,
    answers: &mut Answers,
) -> Option<Vec<Access>> {
    if !settings.takes(Stage::Together) {
        return None;
    }
    let exprs = exprs(&without_offsets(before));
    let mut forms = Vec::new();
    let mut position = 0;
    for (access, written) in before.iter().zip(written).filter(|(a, _)| a.gate != Gate::Never) {
        if let (Some(gate), Some(form)) = (access.gate.condition(), written.gate.condition()) {
            if gate != form {
                forms.push((position, form.clone()));
            }
            position += 1;
        }
        for (lane, written) in access.lanes.iter().zip(&written.lanes) {
            let (lane, written) = (split_offset(lane), split_offset(written));
            // the e-graph may contain only forms that are equal at all points, not those that are equal only under the
            // gate
            if access.gate == Gate::Always && lane.1 == written.1 && lane.0 != written.0 {
                forms.push((position, written.0));
            }
            position += 1;
        }
    }
    // an index that is defined only under its gate makes the search fail, and all accesses stay unchanged
    let answer = search_forms(settings, &exprs, &forms, domain).ok()?;
    answers.trace.extend_from_slice(answer.trace());
    let mut new = answer.exprs().iter().cloned();
    let mut accesses = before.to_vec();
    for access in accesses.iter_mut().filter(|a| a.gate != Gate::Never) {
        if access.gate.condition().is_some() {
            access.gate = new.next()?.into();
        }
        for (lane, new) in access.lanes.iter_mut().zip(&mut new) {
            let ((_, offset), (rest, own)) = (split_offset(lane), split_offset(&new));
            *lane = match offset.checked_add(own) {
                Some(sum) => plus_offset(rest, sum),
                None => plus_offset(new, offset),
            };
        }
    }
    (answer.exprs() != exprs).then_some(accesses)
}

/// The gates and the indices of the accesses that happen, in order.
fn exprs(accesses: &[Access]) -> Vec<Expr> {
    let happen = accesses.iter().filter(|a| a.gate != Gate::Never);
    happen.flat_map(|a| a.gate.condition().into_iter().chain(&a.lanes)).cloned().collect()
}
