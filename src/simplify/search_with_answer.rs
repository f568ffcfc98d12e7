//! An e-graph that holds the answer, to look at.

use super::error::SimplifyError;
use super::plan::derive;
use super::search::Search;
use super::settings::Settings;
use crate::domain::Domain;
use crate::expr::{Dag, Expr};

impl Settings {
    /// The first search, and where its e-graph does not hold the answer, one that begins with the answer beside the input.
    pub(crate) fn search_with_answer(&self, exprs: &[Expr], domain: &Domain) -> Result<Search, SimplifyError> {
        let settings = self.for_roots(exprs);
        let first = settings.search(exprs, domain)?;
        let answer = derive(&settings, exprs, domain)?.into_answer();
        if first.extract().candidate.exprs == answer.exprs() {
            return Ok(first);
        }
        let forms: Vec<(usize, Expr)> = answer.exprs().iter().cloned().enumerate().collect();
        let mut search = settings.begin(Dag::new(exprs), domain)?;
        // a divisor of the answer may be one that is refused in an input
        if search.add_forms(&forms, domain).is_err() {
            return Ok(first);
        }
        settings.saturate(&mut search);
        Ok(search)
    }
}
