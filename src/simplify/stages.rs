//! The stages of a call. Each is a function that yields a candidate, or none; the candidate takes the place of the best one so far
//! where it costs less ([`Candidate::beats`]).
//!
//! 1. [`first_search`](Simplifier::first_search): one search of the whole.
//! 2. [`revise_input`](Simplifier::revise_input): the branches of the input under their conditions, then the whole again; only
//!    where a limit ended the first search, whose answer may hide then what the conditions say of the input.
//! 3. [`revise_answer`](Simplifier::revise_answer): all parts of the best answer that are used under conditions, then the whole
//!    again; the same for what that found.
//! 4. [`revise_quotients`](Simplifier::revise_quotients): the whole again, and with it, in one e-graph, the same with quotients of one
//!    variable as sums of fewer ones.
//! 5. [`late_rules`](Simplifier::late_rules): late rules in the search of the best answer.
//! 6. [`repeat`](Progress::repeat): the answer so far once more, as if it were the input, after a search that made many e-nodes.
//! 7. [`revise_answer`](Simplifier::revise_answer) where one of the two stages before found anything.
//! 8. [`in_own_order`](InputOrders::in_own_order): the input as it was written, where a limit ended the first search.
//! 9. [`narrow`](Simplifier::narrow): an answer in 32 bits to an input in 32 bits.
//!
//! Where a limit ended the first search, all stages are run once more with the answer as their input, if they can find anything new:
//! [`another_form`](Simplifier::another_form).

use super::answer::Simplified;
use super::candidate::{Candidate, cheaper};
use super::derivation::{Derivation, Revision, Subject};
use super::error::SimplifyError;
use super::extract::{Extracted, Selected};
use super::refine::{Parts, Refined, fewer_quotients, is_conditional, refine};
use super::search::Search;
use super::simplifier::Simplifier;
use super::task::Task;
use crate::cost::Narrow;
use crate::domain::decided::decides_operations;
use crate::domain::{Domain, Scope};
use crate::egraph::StopReason;
use crate::egraph::ingest::order::in_order;
use crate::expr::{Dag, Expr};
use std::time::Instant;

/// E-nodes from which on a call's answer is searched once more: one in three calls on kernels makes as many. A smaller search hardly ever
/// leaves anything to be found, and the median call has no more to do.
const MIN_NODES_TO_REPEAT: usize = 22;

/// Repeated searches of one call: each begins with an answer that is cheaper than the one before.
const MAX_REPEATS: usize = 4;

/// Revisions of an answer with conditions, each of what the one before it found.
const MAX_REVISIONS: usize = 2;

/// Nodes of an input without conditions whose answer all stages begin with once more: longer searches of larger ones would be longer still.
const MAX_NODES_FROM_ANSWER: usize = 96;

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

/// The input of a call whose first search a limit ended.
struct InputOrders {
    as_written: Candidate,
    /// With operands in an order that does not depend on how it was written: revisions begin with this one.
    in_order: Candidate,
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

    /// The stages after the first search of `exprs`, and what that `found`.
    fn stages(&self, found: Found, exprs: &[Expr], domain: &Domain) -> Result<Derivation, SimplifyError> {
        let Found { candidate, search, selected } = found;
        let conditional = search.graph.dag.nodes().iter().any(|n| is_conditional(&n.op));
        let is_cut_short = search.outcome.stop != StopReason::Saturated;
        let limited = conditional && is_cut_short;
        let is_small = search.graph.dag.nodes().len() <= MAX_NODES_FROM_ANSWER;
        let orders = limited.then(|| InputOrders::new(&search, domain));
        let first = match &orders {
            Some(orders) => cheaper(candidate, orders.in_order.clone()),
            None => search.or_input(candidate),
        };
        let may_be_input = orders.is_some() || is_same(&first, exprs);
        let has_decided = may_be_input && decides_operations(&search.graph.dag, &search.graph.ranges);
        let derivation = Derivation::new(self.answer(&search, first));
        let mut progress = Progress { simplifier: self, derivation, search, selected };
        if let Some(InputOrders { in_order, .. }) = &orders {
            let proposal = self.revise_input(in_order, progress.best(), domain)?;
            progress.offer(proposal);
        }
        if conditional {
            for _ in 0..MAX_REVISIONS {
                let proposal = self.revise_answer(progress.best(), domain)?;
                if !progress.offer(proposal) {
                    break;
                }
            }
        }
        let proposal = self.revise_quotients(progress.best(), domain)?;
        progress.offer(proposal);
        let late = self.late_rules(&mut progress.search, &progress.selected);
        let by_late_rules = progress.offer_late(late);
        let by_repeating = progress.repeat(domain)?;
        // conditions tell more of a form that these found than they did of the first one
        if (by_late_rules || by_repeating) && conditional {
            let proposal = self.revise_answer(progress.best(), domain)?;
            if progress.offer(proposal) {
                progress.repeat(domain)?;
            }
        }
        let mut derivation = progress.derivation;
        if let Some(chosen) = orders.and_then(|orders| orders.in_own_order(&derivation.last().chosen)) {
            derivation = Derivation::new(Simplified { chosen, ..derivation.first });
        }
        if may_be_input && is_same(&derivation.last().chosen, exprs) {
            self.go_on_from_input(&mut derivation, has_decided, domain)?;
        }
        if let Some(narrow) = self.narrow(derivation.last(), exprs, domain)? {
            return Ok(Derivation::new(Simplified { input_price: derivation.first.input_price, ..narrow }));
        }
        derivation.is_cut_short = is_cut_short && (conditional || is_small);
        Ok(derivation)
    }

    /// All stages, and once more for the answer to a single expression as if it were the input, where a limit ended the first search of it,
    /// and it has conditions or is small.
    fn all_stages(&self, exprs: &[Expr], domain: &Domain) -> Result<Derivation, SimplifyError> {
        let found = match self.first_search(exprs, domain) {
            Err(SimplifyError::TooManyTerms) => return Ok(Derivation::new(self.as_written(exprs, domain)?)),
            found => found?,
        };
        let mut derivation = self.stages(found, exprs, domain)?;
        for _ in 0..MAX_REPEATS {
            if !derivation.is_cut_short || exprs.len() > 1 {
                break;
            }
            let best = &derivation.last().chosen;
            let Some(found) = self.another_form(best, domain)? else { break };
            let Some(from_answer) = unless_refused(self.stages(found, &best.exprs, domain))? else { break };
            if !derivation.go_on(from_answer) {
                break;
            }
        }
        Ok(derivation)
    }

    /// The first search of an answer as if it were the input, with late rules. None where it does not find another form that costs no more:
    /// the other stages would begin with the answer itself, which they have seen.
    fn another_form(&self, best: &Candidate, domain: &Domain) -> Result<Option<Found>, SimplifyError> {
        let Some(mut found) = unless_refused(self.first_search(&best.exprs, domain))? else { return Ok(None) };
        if let Some(late) = self.late_rules(&mut found.search, &found.selected) {
            found.candidate = cheaper(found.candidate, late);
        }
        let is_other = !best.beats(&found.candidate) && found.candidate.exprs != best.exprs;
        Ok(is_other.then_some(found))
    }

    /// For an answer that is the input as it is written: that without the operations that ranges decide, and what a search from there finds
    /// where a limit ended the search before.
    fn go_on_from_input(
        &self,
        derivation: &mut Derivation,
        has_decided: bool,
        domain: &Domain,
    ) -> Result<(), SimplifyError> {
        let last = derivation.last_mut();
        let plain = (has_decided || last.chosen.is_more_known()).then(|| last.chosen.without_decided());
        if let Some(plain) = plain.filter(|plain| plain.exprs != last.chosen.exprs) {
            let position = |name: &str| domain.position(name);
            let in_order = plain.replaced_by(in_order(plain.dag(), &plain.ranges(), &position));
            let plain = cheaper(in_order, plain);
            // a sum in a larger one may need more bits
            if !last.chosen.beats(&plain) {
                last.chosen = plain;
            }
        }
        if last.effort.stop != StopReason::Saturated {
            let proposal = self.answer_again(&last.chosen, domain)?;
            self.revise(derivation, proposal);
        }
        Ok(())
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

    /// The whole again, each expression of the best answer so far in one class with the same in which quotients of one variable are put
    /// together: which is cheaper, and what of both, is for the extraction to say.
    fn revise_quotients(&self, best: &Candidate, domain: &Domain) -> Result<Option<Proposal>, SimplifyError> {
        let Some(parts) = fewer_quotients(best) else { return Ok(None) };
        // a form that costs more as it is written is hardly ever part of a cheaper answer: such a search is in vain
        if best.replaced_by(parts.exprs.clone()).price() > best.price() {
            return Ok(None);
        }
        let changed = parts.exprs.iter().enumerate().filter(|(root, form)| **form != best.exprs[*root]);
        let forms: Vec<(usize, Expr)> = changed.map(|(root, form)| (root, form.clone())).collect();
        let for_whole = self.for_task(Task::WholeAgain);
        let search = for_whole.begin(Dag::with_origins(&best.exprs), domain).and_then(|mut search| {
            search.add_forms(&forms, domain)?;
            Ok(search)
        });
        let Some(search) = unless_refused(search)? else { return Ok(None) };
        let found = for_whole.found_in(search, domain);
        Ok(Some(Proposal { parts, subject: Subject::Answer, found }))
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

/// Whether the expressions of `candidate` are `exprs`, and not other ones that are equal to them.
fn is_same(candidate: &Candidate, exprs: &[Expr]) -> bool {
    candidate.exprs.iter().zip(exprs).all(|(one, other)| one.address() == other.address())
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

    /// Asks for the best answer to a single expression as if it were the input, until that finds nothing cheaper; answers whether it found
    /// anything. The accesses of a kernel are asked for again all together (`access/simplify.rs`).
    fn repeat(&mut self, domain: &Domain) -> Result<bool, SimplifyError> {
        let mut is_better = false;
        if self.best().exprs.len() > 1 || self.derivation.effort().nodes < MIN_NODES_TO_REPEAT {
            return Ok(is_better);
        }
        for _ in 0..MAX_REPEATS {
            if self.best().is_sum_of_variables() {
                break;
            }
            let proposal = self.simplifier.answer_again(self.best(), domain)?;
            if !self.offer(proposal) {
                break;
            }
            is_better = true;
        }
        Ok(is_better)
    }

    /// Goes on with what late rules found in the same search, where that beats the best candidate; answers whether it does.
    fn offer_late(&mut self, candidate: Option<Candidate>) -> bool {
        let best = self.derivation.last_mut();
        if let Some(candidate) = candidate.filter(|candidate| candidate.beats(&best.chosen)) {
            *best = self.simplifier.answer(&self.search, candidate);
            return true;
        }
        if self.simplifier.is_traced() {
            // a trace has what fired in vain, too
            best.trace = self.simplifier.trace(&self.search);
        }
        false
    }
}

impl InputOrders {
    fn new(search: &Search, domain: &Domain) -> InputOrders {
        InputOrders { as_written: search.input_as_known(&search.graph.model), in_order: search.input_in_order(domain) }
    }

    /// The input as it was written, unless `best` costs less. An answer that is the input in another order of operands gives way where
    /// both cost the same, every other one does not.
    fn in_own_order(self, best: &Candidate) -> Option<Candidate> {
        let InputOrders { as_written, in_order } = self;
        let keeps_best = if best.exprs == in_order.exprs { best.beats(&as_written) } else { !as_written.beats(best) };
        (!keeps_best).then_some(as_written)
    }
}
