//! The stages of a call. Each is a function that yields a candidate, or none; the candidate takes the place of the best one so far
//! where it costs less ([`Candidate::beats`]).
//!
//! 1. [`first_search`](Simplifier::first_search): one search of the whole.
//! 2. [`revise_input`](Simplifier::revise_input): the branches of the input under their conditions, then the whole again; only
//!    where a limit ended the first search, whose answer may hide then what the conditions say of the input.
//! 3. [`revise_answer`](Simplifier::revise_answer): all parts of the best answer that are used under conditions, then the whole
//!    again.
//! 4. [`late_rules`](Simplifier::late_rules): late rules in the search of the best answer.
//! 5. [`repeat`](Progress::repeat): a search of the answer so far as if it were the input, after a search that made many e-nodes.
//! 6. [`narrow`](Simplifier::narrow): an answer in 32 bits to an input in 32 bits.

use super::answer::Simplified;
use super::candidate::{Candidate, cheaper};
use super::derivation::{Derivation, Revision, Subject};
use super::error::SimplifyError;
use super::extract::{Extracted, Selected};
use super::refine::{Parts, Refined, is_conditional, refine};
use super::search::Search;
use super::simplifier::Simplifier;
use super::task::Task;
use crate::cost::Narrow;
use crate::domain::{Domain, Scope};
use crate::egraph::StopReason;
use crate::expr::{Dag, Expr};
use std::time::Instant;

/// E-nodes from which on a call's answer is searched once more: one in three calls on kernels makes as many. A smaller search hardly ever
/// leaves anything to be found, and the median call has no more to do.
const MIN_NODES_TO_REPEAT: usize = 22;

/// Repeated searches of one call: each begins with an answer that is cheaper than the one before.
const MAX_REPEATS: usize = 4;

/// A candidate and where it comes from.
struct Found {
    candidate: Candidate,
    search: Search,
    selected: Selected,
}

/// What a revision found, and the parts that it began with.
struct Proposal {
    parts: Refined,
    subject: Subject,
    found: Found,
}

/// How far a call has come.
struct Progress<'a> {
    simplifier: &'a Simplifier,
    derivation: Derivation,
    /// The search of the derivation's last answer.
    search: Search,
    /// What that answer is made of.
    selected: Selected,
}

impl Simplifier {
    /// The cheapest found expression with the values of `expr` at every point of `domain`; never dearer than `expr`.
    ///
    /// # Errors
    /// When the domain contradicts itself, a variable is not declared, or a divisor can be 0; when the answer is wrong because of a rule
    /// that is not shipped.
    pub fn simplify(&self, expr: &Expr, domain: &Domain) -> Result<Simplified, SimplifyError> {
        self.simplify_all(std::slice::from_ref(expr), domain)
    }

    /// Several expressions of one kernel together: what they share is counted once. Each keeps its values at all its own points: where its
    /// own variables have values.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn simplify_all(&self, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
        let began = Instant::now();
        if exprs.len() > 1 && !domain.is_settled() {
            let call = self.for_call(exprs);
            let scopes: Vec<Scope> = exprs.iter().map(|e| domain.scope_of(std::slice::from_ref(e))).collect();
            let groups = call.groups(&scopes, domain)?;
            if groups.len() > 1 {
                let answer = call.simplify_groups(exprs, &groups, domain)?;
                return Ok(Simplified { elapsed: began.elapsed(), ..answer });
            }
        }
        let derivation = self.derive(exprs, domain)?;
        let trace = if self.is_traced() { derivation.trace() } else { Vec::new() };
        let answer = Simplified { trace, elapsed: began.elapsed(), ..derivation.into_answer() };
        for (before, after) in exprs.iter().zip(answer.exprs()) {
            self.confirm(before, after, domain)?;
        }
        Ok(answer)
    }

    /// All stages in their order, of `exprs` with [guarded](Simplifier::guarded) divisors where these are needed.
    pub(crate) fn derive(&self, exprs: &[Expr], domain: &Domain) -> Result<Derivation, SimplifyError> {
        let domain = &*domain.seen_from(exprs);
        let simplifier = self.for_roots(exprs);
        let mut derivation = simplifier.with_guards(exprs, domain, |exprs| simplifier.all_stages(exprs, domain))?;
        if simplifier.is_out_of_budget() {
            derivation.last_mut().effort.stop = StopReason::WorkLimit;
        }
        Ok(derivation)
    }

    /// All stages of `exprs`.
    fn all_stages(&self, exprs: &[Expr], domain: &Domain) -> Result<Derivation, SimplifyError> {
        let Found { candidate, search, selected } = match self.first_search(exprs, domain) {
            Err(SimplifyError::TooManyTerms) => return Ok(Derivation::new(self.as_written(exprs, domain)?)),
            found => found?,
        };
        let conditional = search.graph.dag.nodes().iter().any(|n| is_conditional(&n.op));
        let is_cut_short = search.outcome.stop != StopReason::Saturated;
        // revisions begin with an order of operands that does not depend on how the input was written
        let in_order = (conditional && is_cut_short).then(|| search.input_in_order(domain));
        let first = search.or_input(candidate);
        let derivation = Derivation::new(self.answer(&search, first));
        let mut progress = Progress { simplifier: self, derivation, search, selected };
        if let Some(in_order) = &in_order {
            let proposal = self.revise_input(in_order, progress.best(), domain)?;
            progress.offer(proposal);
        }
        if conditional {
            let proposal = self.revise_answer(progress.best(), domain)?;
            progress.offer(proposal);
        }
        let late = self.late_rules(&mut progress.search, &progress.selected);
        progress.offer_late(late);
        progress.repeat(domain)?;
        let derivation = progress.derivation;
        if let Some(narrow) = self.narrow(derivation.last(), exprs, domain)? {
            return Ok(Derivation::new(Simplified { input_price: derivation.first.input_price, ..narrow }));
        }
        Ok(derivation)
    }

    /// Adds what a revision found to `derivation`, where that beats its last answer; answers the search and what was selected from it then.
    fn revise(&self, derivation: &mut Derivation, proposal: Option<Proposal>) -> Option<(Search, Selected)> {
        let Proposal { parts, subject, found: Found { candidate, search, selected } } = proposal?;
        if !candidate.beats(&derivation.last().chosen) {
            return None;
        }
        let answer = self.answer(&search, candidate);
        derivation.revisions.push(Revision { parts, subject, answer });
        Some((search, selected))
    }

    /// One search of the whole, with its share of the limits; what it finds may be dearer than the input.
    fn first_search(&self, exprs: &[Expr], domain: &Domain) -> Result<Found, SimplifyError> {
        let dag = Dag::new(exprs);
        let search = self.for_task(Task::first(&dag)).search_in(dag, domain)?;
        let Extracted { candidate, selected } = search.extract();
        Ok(Found { candidate, search, selected })
    }

    /// The whole again after branches of `input` were simplified under conditions.
    fn revise_input(
        &self,
        input: &Candidate,
        best: &Candidate,
        domain: &Domain,
    ) -> Result<Option<Proposal>, SimplifyError> {
        let Some(parts) = refine(self, input, domain, Parts::Branches) else { return Ok(None) };
        let found = self.search_again(&parts, best, domain)?;
        Ok(found.map(|found| Proposal { parts, subject: Subject::Input, found }))
    }

    /// The whole again after parts of the best answer so far were simplified under conditions.
    fn revise_answer(&self, best: &Candidate, domain: &Domain) -> Result<Option<Proposal>, SimplifyError> {
        let Some(parts) = refine(self, best, domain, Parts::All) else { return Ok(None) };
        let found = self.search_again(&parts, best, domain)?;
        Ok(found.map(|found| Proposal { parts, subject: Subject::Answer, found }))
    }

    /// The best answer so far once more, late rules included: a form that the first search found last, or only wrote, is what the rules
    /// begin with now.
    fn answer_again(&self, best: &Candidate, domain: &Domain) -> Result<Option<Proposal>, SimplifyError> {
        let parts = Refined { exprs: best.exprs.clone(), steps: Vec::new() };
        let for_whole = self.for_task(Task::WholeAgain);
        let Some(search) = unless_refused(for_whole.begin(Dag::with_origins(&parts.exprs), domain))? else {
            return Ok(None);
        };
        let mut found = for_whole.found_in(search, domain);
        if let Some(late) = self.late_rules(&mut found.search, &found.selected) {
            found.candidate = cheaper(found.candidate, late);
        }
        Ok(Some(Proposal { parts, subject: Subject::Answer, found }))
    }

    /// One search of the whole with `parts` in place; none where it can hardly find anything cheaper than `best`.
    fn search_again(&self, parts: &Refined, best: &Candidate, domain: &Domain) -> Result<Option<Found>, SimplifyError> {
        let for_whole = self.for_task(Task::WholeAgain);
        let search = for_whole.begin(Dag::with_origins(&parts.exprs), domain);
        let Some(search) = unless_refused(search)? else { return Ok(None) };
        // the rules hardly ever make up for a normal form that is half as dear again
        if search.estimated_price().tenths().saturating_mul(2) > best.price().tenths().saturating_mul(3) {
            return Ok(None);
        }
        Ok(Some(for_whole.found_in(search, domain)))
    }

    /// What the rules find in `search`, or its input.
    fn found_in(&self, mut search: Search, domain: &Domain) -> Found {
        self.saturate_again(&mut search);
        let Extracted { candidate, selected } = search.extract();
        let candidate = cheaper(candidate, search.input_in_order(domain));
        Found { candidate, search, selected }
    }

    /// What `search` extracts after late rules were run on what was `selected`; none where they found nothing that costs less.
    pub(super) fn late_rules(&self, search: &mut Search, selected: &Selected) -> Option<Candidate> {
        let written = &selected.classes;
        let operators = written.iter().fold(0, |operators, w| operators | search.graph.e.facts(w.class).operators);
        let several = search.graph.roots.len() > 1;
        let concerned = operators & self.rules.trees(search.graph.e.has_symbols()).late(several).term_operators != 0;
        if concerned && self.run_late_rules(search, written) { search.extract_cheaper(selected) } else { None }
    }

    /// For an answer that needs 64 bits, or more, while `exprs`, which it is about, do not: one that does not either.
    fn narrow(&self, best: &Simplified, exprs: &[Expr], domain: &Domain) -> Result<Option<Simplified>, SimplifyError> {
        if best.chosen.is_certainly_narrow() {
            return Ok(None);
        }
        let width = best.chosen.replaced_by(exprs.to_vec()).width();
        if best.chosen.width() <= width {
            return Ok(None);
        }
        let narrow = self.clone().with_cost_model(Narrow(self.model.clone()));
        let search = narrow.search(exprs, domain)?;
        let found = search.or_input(search.extract().candidate).under(self.model.clone());
        let input = search.input_as_known(&self.model);
        let chosen = if found.width() > width { input } else { cheaper(found, input) };
        let answer = narrow.answer(&search, chosen);
        Ok(Some(Simplified { effort: best.effort.then(answer.effort), ..answer }))
    }
}

/// None where an expression in the place of another one is refused: a divisor, or the count of a shift, that was replaced under a condition
/// may be one that is in range there only.
fn unless_refused<T>(search: Result<T, SimplifyError>) -> Result<Option<T>, SimplifyError> {
    match search {
        Err(
            SimplifyError::TooManyTerms
            | SimplifyError::DivisorMayBeZero { .. }
            | SimplifyError::ShiftOutOfRange { .. },
        ) => Ok(None),
        search => search.map(Some),
    }
}

impl Progress<'_> {
    fn best(&self) -> &Candidate {
        &self.derivation.last().chosen
    }

    /// Goes on with what a revision found, where that beats the best candidate; answers whether it does.
    fn offer(&mut self, proposal: Option<Proposal>) -> bool {
        let Some(found) = self.simplifier.revise(&mut self.derivation, proposal) else { return false };
        (self.search, self.selected) = found;
        true
    }

    /// Searches the best answer to a single expression as if it were the input, until that finds nothing cheaper. The accesses of a kernel
    /// are searched again all together (`access/simplify.rs`).
    fn repeat(&mut self, domain: &Domain) -> Result<(), SimplifyError> {
        if self.best().exprs.len() > 1 || self.derivation.effort().nodes < MIN_NODES_TO_REPEAT {
            return Ok(());
        }
        for _ in 0..MAX_REPEATS {
            if self.best().is_sum_of_variables() {
                break;
            }
            let proposal = self.simplifier.answer_again(self.best(), domain)?;
            if !self.offer(proposal) {
                break;
            }
        }
        Ok(())
    }

    /// Goes on with what late rules found in the same search, where that beats the best candidate.
    fn offer_late(&mut self, candidate: Option<Candidate>) {
        let best = self.derivation.last_mut();
        if let Some(candidate) = candidate.filter(|candidate| candidate.beats(&best.chosen)) {
            *best = self.simplifier.answer(&self.search, candidate);
        } else if self.simplifier.is_traced() {
            // a trace has what fired in vain, too
            best.trace = self.simplifier.trace(&self.search);
        }
    }
}
