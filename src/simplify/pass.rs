//! A pass: one search of all expressions, and the cheapest form that it found. *Late rules* are rules that run after
//! extraction, only on the form that it chose.

use super::answer::{Effort, Simplified};
use super::budget::{Share, for_roots, for_task};
use super::candidate::{Candidate, cheaper};
use super::derivation::{Pass, Start};
use super::error::SimplifyError;
use super::extract::{Extracted, Selected};
use super::search::{Search, search, search_in};
use super::settings::Settings;
use super::stage::Stage;
use crate::domain::Domain;
use crate::expr::{Dag, Expr};
use std::time::Duration;

/// The result of a pass.
pub(super) struct Found {
    /// The cheapest form without late rules.
    pub(super) plain: Candidate,
    pub(super) best: Candidate,
    pub(super) search: Search,
}

/// The pass that begins with the input, with its share of the limits.
pub(super) fn first_pass(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Found, SimplifyError> {
    let dag = Dag::new(exprs);
    let search = search_in(&for_task(settings, Share::first(&dag)), dag, domain)?;
    let Extracted { candidate, selected } = search.extract();
    let plain = search.or_input(candidate);
    Ok(Found::with_late_rules(settings, search, plain, &selected))
}

/// A pass that begins with `exprs`, a form of the `best` answer so far. `None` if the pass can hardly find anything
/// cheaper, or if the e-graph refuses an expression. For example, a divisor or a shift count that was replaced under a
/// condition may be valid only under that condition.
pub(super) fn pass(
    settings: &Settings,
    exprs: &[Expr],
    best: &Candidate,
    domain: &Domain,
) -> Result<Option<Found>, SimplifyError> {
    let for_whole = for_task(settings, Share::WholeAgain);
    let mut search = match Search::begin(&for_whole, Dag::with_origins(exprs), domain) {
        Err(
            SimplifyError::TooManyTerms
            | SimplifyError::DivisorMayBeZero { .. }
            | SimplifyError::ShiftOutOfRange { .. },
        ) => return Ok(None),
        search => search?,
    };
    // from a normal form that costs more than 1.5 times as much as the best answer, rules hardly ever find a cheaper
    // answer. The best answer itself is an exception
    if exprs != best.exprs
        && search.estimated_price().tenths().saturating_mul(2) > best.price().tenths().saturating_mul(3)
    {
        return Ok(None);
    }
    search.saturate_again(&for_whole);
    let Extracted { candidate, selected } = search.extract();
    let plain = cheaper(candidate, search.input_in_order(domain));
    Ok(Some(Found::with_late_rules(settings, search, plain, &selected)))
}

impl Found {
    /// The forms of `search`, after late rules were run on the `selected` classes.
    fn with_late_rules(settings: &Settings, mut search: Search, plain: Candidate, selected: &Selected) -> Found {
        let best = match late_rules(settings, &mut search, selected) {
            Some(late) => cheaper(plain.clone(), late),
            None => plain.clone(),
        };
        Found { plain, best, search }
    }

    pub(super) fn into_pass(self, settings: &Settings, start: Start) -> Pass {
        let answer = answer(settings, &self.search, self.best);
        Pass { start, answer, search: settings.is_traced().then_some(self.search) }
    }
}

/// The answer of one search over all of `exprs`, without late rules. No part is simplified under conditions.
pub(crate) fn search_once(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
    let Pass { answer, search, .. } = plain_pass(settings, exprs, domain)?;
    let trace = search.map_or_else(Vec::new, |search| search.trace(settings));
    Ok(Simplified { trace, ..answer })
}

/// The first search of a call, after saturation.
pub(crate) fn saturated(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Search, SimplifyError> {
    search(&for_roots(settings, exprs), exprs, &domain.seen_from(exprs))
}

/// The pass whose answer [`search_once`] returns.
pub(super) fn plain_pass(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Pass, SimplifyError> {
    let search = search(settings, exprs, &domain.seen_from(exprs))?;
    let plain = search.or_input(search.extract().candidate);
    Ok(Found { plain: plain.clone(), best: plain, search }.into_pass(settings, Start::input(exprs)))
}

/// One search with known other forms of some expressions. `forms` has pairs of a position in `exprs` and an expression
/// that is equal to it everywhere in `domain`.
pub(crate) fn search_forms(
    settings: &Settings,
    exprs: &[Expr],
    forms: &[(usize, Expr)],
    domain: &Domain,
) -> Result<Simplified, SimplifyError> {
    let domain = &*domain.seen_from(exprs);
    let for_all = for_roots(settings, exprs);
    let mut search = Search::begin(&for_all, Dag::new(exprs), domain)?;
    search.add_forms(forms, domain)?;
    search.saturate(&for_all);
    let Extracted { candidate, selected } = search.extract();
    let plain = search.or_input(candidate);
    let found = Found::with_late_rules(&for_all, search, plain, &selected);
    let trace = if settings.is_traced() { found.search.trace(settings) } else { Vec::new() };
    Ok(Simplified { trace, ..answer(settings, &found.search, found.best) })
}

/// The expressions that `search` extracts after late rules were run on the `selected` classes. `None` if the late rules
/// found nothing cheaper.
fn late_rules(settings: &Settings, search: &mut Search, selected: &Selected) -> Option<Candidate> {
    if settings.limits.rounds == 0 || !settings.takes(Stage::LateRules) {
        return None;
    }
    let written = &selected.classes;
    let operators = written.iter().fold(0, |operators, w| operators | search.graph.e.facts(w.class).operators);
    let several = search.graph.roots.len() > 1;
    let concerned = operators & settings.rules.trees(search.graph.e.has_symbols()).late(several).term_operators != 0;
    if concerned && search.run_late_rules(settings, written) { search.extract_cheaper(selected) } else { None }
}

/// The answer of `search` with the expressions `chosen`.
fn answer(settings: &Settings, search: &Search, chosen: Candidate) -> Simplified {
    let nodes = search.graph.e.graph.nodes().len();
    let effort = Effort { stop: search.outcome.stop, rounds: search.outcome.rounds, nodes };
    Simplified {
        chosen,
        input_price: search.input_price(),
        effort,
        trace: Vec::new(),
        target: settings.target,
        elapsed: Duration::ZERO,
    }
}
