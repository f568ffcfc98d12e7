//! A call: it simplifies expressions. If rules other than the shipped ones are used, it compares the answer with the
//! input.

use super::answer::{Effort, Simplified};
use super::budget::{for_call, with_efforts_below};
use super::candidate::{Candidate, InputPrice, cheaper};
use super::confirm::confirm;
use super::error::SimplifyError;
use super::plan::derive;
use super::scopes::groups;
use super::settings::Settings;
use crate::domain::{Domain, Scope};
use crate::expr::Expr;
use std::slice::from_ref;
use web_time::{Duration, Instant};

/// The answer to one expression. See [`Simplifier::simplify`](crate::Simplifier::simplify).
pub(crate) fn simplify(settings: &Settings, expr: &Expr, domain: &Domain) -> Result<Simplified, SimplifyError> {
    simplify_all(settings, from_ref(expr), domain)
}

/// The answer to several expressions together. See [`Simplifier::simplify_all`](crate::Simplifier::simplify_all).
pub(crate) fn simplify_all(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
    let began = Instant::now();
    if exprs.len() > 1 && !domain.is_settled() {
        let choose = |first: Option<Simplified>, later: Option<Simplified>| match (first, later) {
            (Some(first), Some(later)) => Some(first.or(later)),
            (first, later) => first.or(later),
        };
        if let Some(answer) = with_efforts_below(settings, |within| simplify_apart(within, exprs, domain), choose)? {
            return Ok(Simplified { elapsed: began.elapsed(), ..answer });
        }
    }
    let derivation = derive(settings, exprs, domain)?;
    let trace = if settings.is_traced() { derivation.trace(settings) } else { Vec::new() };
    let answer = Simplified { trace, elapsed: began.elapsed(), ..derivation.into_answer() };
    for (before, after) in exprs.iter().zip(answer.exprs()) {
        confirm(settings, before, after, domain)?;
    }
    Ok(answer)
}

/// The answer to `exprs`, if they belong to several [groups]. A group is a set of expressions that are computed at the
/// same points. `None` if all expressions belong to one group.
///
/// # Errors
/// The errors of [`simplify`].
fn simplify_apart(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Option<Simplified>, SimplifyError> {
    let call = for_call(settings, exprs);
    let scopes: Vec<Scope> = exprs.iter().map(|e| domain.scope_of(from_ref(e))).collect();
    let groups = groups(&call, &scopes, domain)?;
    if groups.len() < 2 {
        return Ok(None);
    }
    simplify_groups(&call, exprs, &groups, domain).map(Some)
}

/// Simplifies each of several `groups` of expressions separately, because facts about one group may not hold for
/// another.
///
/// # Errors
/// The errors of [`simplify`].
fn simplify_groups(
    settings: &Settings,
    exprs: &[Expr],
    groups: &[(Scope, Vec<usize>)],
    domain: &Domain,
) -> Result<Simplified, SimplifyError> {
    let mut out = exprs.to_vec();
    let mut trace = Vec::new();
    let mut effort: Option<Effort> = None;
    for (scope, members) in groups {
        let own: Vec<Expr> = members.iter().map(|&i| exprs[i].clone()).collect();
        let answer = simplify_all(settings, &own, &domain.in_scope(scope))?;
        members.iter().zip(answer.exprs()).for_each(|(&i, e)| out[i] = e.clone());
        effort = Some(effort.map_or(answer.effort, |before| before.then(answer.effort)));
        trace.extend(answer.trace);
    }
    // a text computes all expressions at one point, where all their variables have values
    let vars = domain.in_scope(&domain.scope_of(exprs)).resolve().or_else(|_| domain.resolve())?;
    let input = Candidate::new(exprs.to_vec(), vars.into(), settings.model.clone());
    let found = input.replaced_by(out);
    let price = input.price();
    Ok(Simplified {
        chosen: cheaper(input, found),
        input_price: InputPrice { declared: price, assumed: price },
        effort: effort.unwrap_or_else(Effort::none),
        trace,
        target: settings.target,
        elapsed: Duration::ZERO,
    })
}
