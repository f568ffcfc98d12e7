//! E-graphs to look at.

use super::error::SimplifyError;
use super::plan::derive;
use super::search::Search;
use super::simplifier::Simplifier;
use crate::domain::Domain;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::AndOrGraph;
use crate::expr::{Dag, Expr};
use crate::inspect::Picture;
use crate::inspect::dot::dot;
use crate::inspect::view::view;

impl Simplifier {
    /// The e-graph after saturation as text for Graphviz: every class with its range, congruence and members, those of the
    /// answer in bold. An answer that the first search does not find, but a later stage, is in the e-graph as one more form.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn dot(&self, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
        let search = self.search_with_answer(exprs, domain)?;
        Ok(dot(&self.drawn(&search)))
    }

    /// The e-graph after saturation as data: its classes with their facts and members, and a cheap way to write each. Members of the
    /// answer are marked, as by [`dot`](Self::dot).
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn picture(&self, exprs: &[Expr], domain: &Domain) -> Result<Picture, SimplifyError> {
        let search = self.search_with_answer(exprs, domain)?;
        Ok(self.drawn(&search).with_written(&search.graph.e, self.model(), &search.names))
    }

    fn drawn(&self, search: &Search) -> Picture {
        let (e, roots) = (&search.graph.e, &search.graph.roots);
        let problem = AndOrGraph::new(e, self.model(), roots);
        let selection = Selection::cheapest(&problem);
        view(e, roots, &problem, &selection, &search.names)
    }

    /// The first search, and where its e-graph does not hold the answer, one that begins with the answer beside the input.
    fn search_with_answer(&self, exprs: &[Expr], domain: &Domain) -> Result<Search, SimplifyError> {
        let simplifier = self.for_roots(exprs);
        let first = simplifier.search(exprs, domain)?;
        let answer = derive(&simplifier, exprs, domain)?.into_answer();
        if first.extract().candidate.exprs == answer.exprs() {
            return Ok(first);
        }
        let forms: Vec<(usize, Expr)> = answer.exprs().iter().cloned().enumerate().collect();
        let mut search = simplifier.begin(Dag::new(exprs), domain)?;
        // a divisor of the answer may be one that is refused in an input
        if search.add_forms(&forms, domain).is_err() {
            return Ok(first);
        }
        simplifier.saturate(&mut search);
        Ok(search)
    }
}
