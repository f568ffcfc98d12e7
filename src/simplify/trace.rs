//! What rules did, written as expressions.

use super::search::Search;
use super::settings::Settings;
use super::step::Step;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::AndOrGraph;
use crate::egraph::extract::rebuild::rebuild;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::firing::{Cause, Firing};
use crate::expr::Expr;

impl Settings {
    /// What fired in `search`.
    pub(super) fn trace(&self, search: &Search) -> Vec<Step> {
        self.steps(&search.graph.e, &search.fired, &search.names)
    }

    /// Writes firings with their operands in cheapest form, the variables of `e` as `names`.
    pub(super) fn steps(&self, e: &EGraph, fired: &[Firing], names: &[Expr]) -> Vec<Step> {
        fired.iter().filter_map(|firing| self.step(e, firing, names)).collect()
    }

    fn step(&self, e: &EGraph, firing: &Firing, names: &[Expr]) -> Option<Step> {
        let problem = AndOrGraph::step(e, self.model(), &firing.from, &firing.to);
        let selection = Selection::cheapest(&problem);
        let mut sides = rebuild(e, &problem, &selection, names)?.roots;
        let (after, before) = (sides.pop()?, sides.pop()?);
        let rule = match firing.cause {
            Cause::Rule(at, _) => self.rules().rules()[at].name(),
            Cause::Builtin(step) => step.name(),
            Cause::NormalForm(form, _) => form.name(),
        };
        // what the engine concludes may differ in operands that are written alike by now
        let news = !matches!(firing.cause, Cause::Builtin(_)) || before != after;
        news.then(|| Step { rule: rule.to_string(), conditions: Vec::new(), before, after })
    }
}
