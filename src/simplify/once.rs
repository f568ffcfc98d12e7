//! One search and its answer.

use super::answer::{Effort, Simplified};
use super::candidate::{Candidate, cheaper};
use super::error::SimplifyError;
use super::extract::Extracted;
use super::search::Search;
use super::simplifier::Simplifier;
use crate::domain::Domain;
use crate::expr::{Dag, Expr};
use std::time::Duration;

impl Simplifier {
    /// The answer of one search over all of `exprs`; no part of it is looked at under conditions, and late rules are not run.
    pub(crate) fn search_once(&self, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
        let search = self.search(exprs, &domain.seen_from(exprs))?;
        Ok(self.answer(&search, search.or_input(search.extract().candidate)))
    }

    /// The same where other forms of some expressions are known: pairs of a place in `exprs` and an expression that equals it
    /// everywhere in `domain`.
    pub(crate) fn search_forms(
        &self,
        exprs: &[Expr],
        forms: &[(usize, Expr)],
        domain: &Domain,
    ) -> Result<Simplified, SimplifyError> {
        let domain = &*domain.seen_from(exprs);
        let simplifier = self.for_roots(exprs);
        let mut search = simplifier.begin(Dag::new(exprs), domain)?;
        search.add_forms(forms, domain)?;
        simplifier.saturate(&mut search);
        let Extracted { candidate, selected } = search.extract();
        let found = search.or_input(candidate);
        let found = match simplifier.late_rules(&mut search, &selected) {
            Some(late) => cheaper(found, late),
            None => found,
        };
        Ok(self.answer(&search, found))
    }

    /// `chosen` as the answer of `search`.
    pub(super) fn answer(&self, search: &Search, chosen: Candidate) -> Simplified {
        let nodes = search.graph.e.graph.nodes().len();
        let effort = Effort { stop: search.outcome.stop, rounds: search.outcome.rounds, nodes };
        let trace = if self.is_traced() { self.trace(search) } else { Vec::new() };
        Simplified {
            chosen,
            input_price: search.input_price(),
            effort,
            trace,
            target: self.target,
            elapsed: Duration::ZERO,
        }
    }
}
