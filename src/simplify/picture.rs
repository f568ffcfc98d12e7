//! E-graphs to look at.

use super::error::SimplifyError;
use super::simplifier::Simplifier;
use crate::domain::Domain;
use crate::egraph::extract::and_or_graph::AndOrGraph;
use crate::egraph::extract::selection::Selection;
use crate::expr::Expr;
use crate::inspect::dot::dot;
use crate::inspect::view::view;

impl Simplifier {
    /// The e-graph after saturation as text for Graphviz: every class with its range, congruence and members, those of the
    /// answer in bold.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    pub fn dot(&self, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
        let search = self.search(exprs, domain)?;
        let (e, roots) = (&search.graph.e, &search.graph.roots);
        let problem = AndOrGraph::new(e, self.model(), roots);
        let selection = Selection::cheapest(&problem);
        Ok(dot(&view(e, roots, &problem, &selection, &search.names)))
    }

    /// The e-graph after saturation as a page to look into, which needs no other file: a drawing, and of each class its
    /// facts, its members, what uses it, and a cheap way to write it. Members of the answer are marked. Only with the
    /// feature `experiment`.
    ///
    /// # Errors
    /// Those of [`simplify`](Self::simplify).
    #[cfg(feature = "experiment")]
    pub fn browse(&self, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
        let search = self.search(exprs, domain)?;
        let (e, roots) = (&search.graph.e, &search.graph.roots);
        let problem = AndOrGraph::new(e, self.model(), roots);
        let selection = Selection::cheapest(&problem);
        let view = view(e, roots, &problem, &selection, &search.names);
        Ok(crate::inspect::browse::page(e, &view, exprs, self.model(), &search.names))
    }
}
