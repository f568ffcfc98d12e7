//! Writes the steps of rules as expressions.

use super::search::Search;
use super::settings::Settings;
use super::step::Step;
use crate::egraph::extract::local_search::Selection;
use crate::egraph::extract::operations::AndOrGraph;
use crate::egraph::extract::rebuild::rebuild;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::firing::{Cause, Firing};
use crate::expr::Expr;

impl Search {
    /// The steps that fired.
    pub(super) fn trace(&self, settings: &Settings) -> Vec<Step> {
        steps(settings, &self.graph.e, &self.fired, &self.names)
    }
}

/// Writes firings with their operands in cheapest form. `names` holds the expressions that the variables of `e`
/// represent.
pub(super) fn steps(settings: &Settings, e: &EGraph, fired: &[Firing], names: &[Expr]) -> Vec<Step> {
    fired.iter().filter_map(|firing| step(settings, e, firing, names)).collect()
}

fn step(settings: &Settings, e: &EGraph, firing: &Firing, names: &[Expr]) -> Option<Step> {
    let problem = AndOrGraph::step(e, settings.model(), &firing.from, &firing.to);
    let selection = Selection::cheapest(&problem.choices);
    let mut sides = rebuild(e, &problem, &selection, names)?.roots;
    let (after, before) = (sides.pop()?, sides.pop()?);
    let rule = match firing.cause {
        Cause::Rule(at, _) => settings.rules().rules()[at].name(),
        Cause::Builtin(step) => step.name(),
        Cause::NormalForm(form, _) => form.name(),
    };
    // a built-in step is left out if its two sides are written the same way. Operands that differed when the step
    // happened may have the same cheapest form at the end of the search
    let news = !matches!(firing.cause, Cause::Builtin(_)) || before != after;
    news.then(|| Step { rule: rule.to_string(), conditions: Vec::new(), before, after })
}
