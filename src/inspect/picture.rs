//! Shows the e-graph of a call as data and as text for Graphviz.

use super::dot::graphviz;
use super::view::{Picture, view};
use crate::domain::Domain;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::AndOrGraph;
use crate::expr::Expr;
use crate::simplifier::Simplifier;
use crate::simplify::{Search, SimplifyError, search_with_answer};

/// The e-graph after saturation as text for Graphviz: every class with its range, congruence and members. Members that
/// the answer uses are bold. If a later stage found the answer, and not the first search, the answer is added to the
/// e-graph as one more form.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, inspect};
///
/// let domain = Domain::new().with("x", 0..100);
/// let text = inspect::dot(&Simplifier::default(), &["x//7".parse()?, "x%7".parse()?], &domain)?;
/// assert!(text.starts_with("digraph"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SimplifyError`], for the same reasons as in [`Simplifier::simplify`].
pub fn dot(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
    let search = search_with_answer(&simplifier.settings, exprs, domain)?;
    Ok(graphviz(&drawn(simplifier, &search)))
}

/// The e-graph after saturation as data: its classes with their facts and members, and a cheap expression of each
/// class. Members of the answer are marked, as by [`dot()`].
///
/// # Errors
/// [`SimplifyError`], for the same reasons as in [`Simplifier::simplify`].
pub fn picture(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<Picture, SimplifyError> {
    let search = search_with_answer(&simplifier.settings, exprs, domain)?;
    Ok(drawn(simplifier, &search).with_written(&search.graph.e, simplifier.model(), &search.names))
}

fn drawn(simplifier: &Simplifier, search: &Search) -> Picture {
    let (e, roots) = (&search.graph.e, &search.graph.roots);
    let problem = AndOrGraph::new(e, simplifier.model(), roots);
    let selection = Selection::cheapest(&problem.choices);
    view(e, roots, &problem, &selection, &search.names)
}
