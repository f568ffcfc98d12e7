//! The passes of a call.
//!
//! A pass searches one form of the expressions ([`super::pass`]). The first pass begins with the input. A later pass
//! begins with the best answer so far, after its parts were simplified under the conditions under which they are used
//! ([`super::contexts`]). If conditions change nothing and a limit ended the first pass, the second pass begins with
//! the unchanged answer. A call ends with a pass that finds nothing cheaper.
//!
//! If a limit ended the first pass, its answer may hide how conditions simplify the input. The second pass then begins
//! with the input, after branches of its selections were simplified.

use super::budget::{for_roots, with_efforts_below};
use super::candidate::{Candidate, cheaper};
use super::contexts::{Contexts, Parts};
use super::derivation::{Derivation, Start, Subject};
use super::error::SimplifyError;
use super::pass::{Found, first_pass, pass};
use super::safe_divisors::with_guards;
use super::search::search;
use super::settings::Settings;
use super::stage::Stage;
use super::unsearched::as_written;
use crate::cost::Narrow;
use crate::domain::Domain;
use crate::egraph::StopReason;
use crate::expr::Expr;

/// The derivation of the answer to `exprs`. It is the best of several derivations: one with the given limits, and
/// one with the limits of each lower effort from 1 on.
pub(crate) fn derive(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Derivation, SimplifyError> {
    let domain = &*domain.seen_from(exprs);
    with_efforts_below(settings, |within| derive_within(within, exprs, domain), Derivation::or)
}

/// All passes of `exprs`, with [guarded](with_guards) divisors if these are needed.
fn derive_within(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Derivation, SimplifyError> {
    let settings = &*for_roots(settings, exprs);
    let mut derivation = with_guards(settings, exprs, domain, |exprs, domain| passes(settings, exprs, domain))?;
    if settings.is_out_of_budget() {
        derivation.last_mut().effort.stop = StopReason::WorkLimit;
    }
    Ok(derivation)
}

fn passes(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Derivation, SimplifyError> {
    let found = match first_pass(settings, exprs, domain) {
        Err(SimplifyError::TooManyTerms) => return Ok(Derivation::unsearched(as_written(settings, exprs, domain)?)),
        found => found?,
    };
    if settings.limits().passes == 0 {
        let derivation = Derivation::new(found.into_pass(settings, Start::input(exprs)));
        return narrow(settings, derivation, exprs, domain);
    }
    let has_conditions =
        settings.takes(Stage::Contexts) && found.search.graph.dag.nodes().iter().any(|n| n.op.is_lazy());
    let is_cut_short = found.search.outcome.stop != StopReason::Saturated;
    // sorts the operands, so that the passes do not depend on how the input was written
    let input = (has_conditions && is_cut_short && settings.takes(Stage::BranchesOfInput))
        .then(|| found.search.input_in_order(domain));
    let vars = found.search.graph.vars.clone();
    let mut plan = Plan {
        settings,
        domain,
        contexts: has_conditions.then(|| Contexts::new(settings, domain, &vars)),
        begun: vec![exprs.to_vec()],
        plain: found.plain.clone(),
        derivation: Derivation::new(found.into_pass(settings, Start::input(exprs))),
    };
    if let Some(input) = &input {
        plan.go_on_from_parts_of(input, Subject::Input)?;
    }
    for _ in 0..settings.limits().passes {
        if !plan.go_on()? {
            break;
        }
    }
    narrow(settings, plan.derivation, exprs, domain)
}

/// The state of a call between passes.
struct Plan<'a> {
    settings: &'a Settings,
    domain: &'a Domain,
    /// The contexts. `None` if nothing is used under a condition.
    contexts: Option<Contexts<'a>>,
    /// The forms from which passes have started.
    begun: Vec<Vec<Expr>>,
    /// The best answer without late rules, because late rules hide how conditions simplify parts.
    plain: Candidate,
    derivation: Derivation,
}

impl Plan<'_> {
    /// Runs one more pass from the best answer. Returns whether it found anything cheaper.
    fn go_on(&mut self) -> Result<bool, SimplifyError> {
        let plain = self.plain.clone();
        Ok(self.go_on_from_parts_of(&plain, Subject::Answer)? || self.go_on_from_answer()?)
    }

    /// Runs a pass from `form` after its parts were simplified under conditions.
    fn go_on_from_parts_of(&mut self, form: &Candidate, subject: Subject) -> Result<bool, SimplifyError> {
        let Some(contexts) = &mut self.contexts else { return Ok(false) };
        let parts = match subject {
            Subject::Input => Parts::Branches,
            Subject::Answer => Parts::All,
        };
        match contexts.refine(form, parts) {
            Some((exprs, parts)) => self.go_on_from(Start { subject, parts, exprs }),
            None => Ok(false),
        }
    }

    /// Runs a pass from the unchanged best answer, if a limit ended the only pass so far. In that case the rules have
    /// not run on everything that they match. If there are several expressions, as for the accesses of a kernel, they
    /// are searched together elsewhere (`access/simplify.rs`).
    fn go_on_from_answer(&mut self) -> Result<bool, SimplifyError> {
        let [first] = &self.derivation.passes[..] else { return Ok(false) };
        let exprs = &first.answer.chosen.exprs;
        let is_complete = first.answer.effort.stop == StopReason::Saturated;
        if is_complete || exprs.len() > 1 || !self.settings.takes(Stage::Again) {
            return Ok(false);
        }
        let exprs = exprs.clone();
        self.go_on_from(Start { subject: Subject::Answer, parts: Vec::new(), exprs })
    }

    fn go_on_from(&mut self, start: Start) -> Result<bool, SimplifyError> {
        if self.begun.contains(&start.exprs) {
            return Ok(false);
        }
        self.begun.push(start.exprs.clone());
        let best = &self.derivation.last().chosen;
        let Some(found) = pass(self.settings, &start.exprs, best, self.domain)? else { return Ok(false) };
        if !found.best.beats(best) {
            return Ok(false);
        }
        self.plain = found.plain.clone();
        self.derivation.passes.push(found.into_pass(self.settings, start));
        Ok(true)
    }
}

/// If the answer needs more bits than the input `exprs`, replaces the answer by one that needs no more.
fn narrow(
    settings: &Settings,
    derivation: Derivation,
    exprs: &[Expr],
    domain: &Domain,
) -> Result<Derivation, SimplifyError> {
    let best = derivation.last();
    if best.chosen.is_certainly_narrow() || !settings.takes(Stage::Narrow) {
        return Ok(derivation);
    }
    let width = best.chosen.replaced_by(exprs.to_vec()).width();
    if best.chosen.width() <= width {
        return Ok(derivation);
    }
    let narrow = settings.clone().with_cost_model(Narrow(settings.model.clone()));
    let search = search(&narrow, exprs, domain)?;
    let found = search.or_input(search.extract().candidate).under(settings.model.clone());
    let input = search.input_as_known(&settings.model);
    let chosen = if found.width() > width { input } else { cheaper(found, input) };
    let found = Found { plain: chosen.clone(), best: chosen, search };
    let mut pass = found.into_pass(&narrow, Start::input(exprs));
    pass.answer.effort = best.effort.then(pass.answer.effort);
    pass.answer.input_price = derivation.input_price();
    Ok(Derivation::new(pass))
}
