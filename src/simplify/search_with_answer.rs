//! Makes an e-graph that contains the answer, for pictures of the e-graph.

use super::budget::for_roots;
use super::error::SimplifyError;
use super::plan::derive;
use super::search::{Search, search};
use super::settings::Settings;
use crate::domain::Domain;
use crate::expr::{Dag, Expr};

/// The first search, if its e-graph contains the answer. Otherwise a search that begins with the answer added to the
/// input.
pub(crate) fn search_with_answer(
    settings: &Settings,
    exprs: &[Expr],
    domain: &Domain,
) -> Result<Search, SimplifyError> {
    let settings = &*for_roots(settings, exprs);
    let first = search(settings, exprs, domain)?;
    let answer = derive(settings, exprs, domain)?.into_answer();
    if first.extract().candidate.exprs == answer.exprs() {
        return Ok(first);
    }
    let forms: Vec<(usize, Expr)> = answer.exprs().iter().cloned().enumerate().collect();
    let mut search = Search::begin(settings, Dag::new(exprs), domain)?;
    // a divisor that is valid in the answer may be refused in an input, because it is not proved to be nonzero there
    if search.add_forms(&forms, domain).is_err() {
        return Ok(first);
    }
    search.saturate(settings);
    Ok(search)
}
