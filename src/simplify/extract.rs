//! Extracts the cheapest expressions that a search found.

use super::candidate::Candidate;
use super::problem::Problem;
use super::search::Search;
use crate::cost::Cost;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::AndOrGraph;
use crate::egraph::extract::rebuild::{Rebuilt, Written, rebuild};
use egg::Id;

/// The result of extraction from a search.
pub(crate) struct Extracted {
    /// The extracted expressions. The input as written may cost less. It is not compared here, so that the next pass
    /// does not depend on how the input is written.
    pub(super) candidate: Candidate,
    pub(crate) selected: Selected,
}

/// The selection from an e-graph.
pub(crate) struct Selected {
    /// The classes that the candidate consists of.
    pub(crate) classes: Vec<Written>,
    /// The price of the selection. The text may cost more, because it shares less and may need more bits for
    /// intermediate values.
    price: Cost,
}

impl Search {
    /// The cheapest expressions in the e-graph.
    pub(crate) fn extract(&self) -> Extracted {
        let Problem { roots, shared_operations, .. } = &*self.graph;
        if shared_operations.is_empty() {
            return self.extract_roots(roots, Cost::MAX).unwrap_or_else(|| self.nothing_extracted());
        }
        let sharing = self.extract_roots(&[&roots[..], shared_operations].concat(), Cost::MAX);
        // expressions that are chosen to share operations with the assumptions may cost more alone than the input. In
        // that case the expressions are chosen without the operations of the assumptions
        let most = self.input_price().assumed;
        let suffices = |found: &Extracted| found.candidate.price() <= most;
        sharing
            .filter(suffices)
            .or_else(|| self.extract_roots(roots, Cost::MAX))
            .unwrap_or_else(|| self.nothing_extracted())
    }

    /// The cheapest expressions, if their selection costs less than `before`. `before` was extracted before late rules
    /// added spellings. A selection of the same cost is not converted to expressions.
    pub(super) fn extract_cheaper(&self, before: &Selected) -> Option<Candidate> {
        let Problem { roots, shared_operations, .. } = &*self.graph;
        if shared_operations.is_empty() {
            return Some(self.extract_roots(roots, before.price)?.candidate);
        }
        Some(self.extract().candidate)
    }

    /// The cost of the cheapest expressions if each is chosen separately. This is an estimate that takes little time.
    pub(super) fn estimated_price(&self) -> Cost {
        let Problem { e, model, roots, .. } = &*self.graph;
        Selection::trees(&AndOrGraph::new(e, &**model, roots).choices).price()
    }

    /// The cheapest expressions of `roots`, which begin with the roots of the input. `None` if they cannot be
    /// converted to expressions, or if their selection does not cost less than `limit`.
    fn extract_roots(&self, roots: &[Id], limit: Cost) -> Option<Extracted> {
        let Problem { e, vars, model, dag, .. } = &*self.graph;
        let problem = AndOrGraph::new(e, &**model, roots);
        let choices = &problem.choices;
        let selection = if self.takes_dags { Selection::cheapest(choices) } else { Selection::trees(choices) };
        let price = selection.price();
        if limit != Cost::MAX && price >= limit {
            return None;
        }
        let Rebuilt { mut roots, ranges, classes, narrow, is_exact } = rebuild(e, &problem, &selection, &self.names)?;
        roots.truncate(dag.roots().len());
        let mut candidate = Candidate::new(roots, vars.clone(), model.clone()).with_ranges(ranges);
        // if there are roots beyond those of the input, the lower bound would include the costs of these roots
        if problem.choices.roots.len() == dag.roots().len() {
            candidate = candidate.with_least(selection.least());
            // outside of this case, the text may have another price than the selection. In loops, the text may compute
            // a value more often. If the selection is not proved to be cheapest, the text may share more parts
            if is_exact && e.loops().is_empty() && selection.least() == price {
                candidate = candidate.with_price(price);
            }
        }
        if narrow {
            candidate = candidate.known_to_be_narrow();
        }
        Some(Extracted { candidate, selected: Selected { classes, price } })
    }

    fn nothing_extracted(&self) -> Extracted {
        let selected = Selected { classes: Vec::new(), price: Cost::MAX };
        Extracted { candidate: self.input().with_ranges(self.facts_of_input()), selected }
    }
}
