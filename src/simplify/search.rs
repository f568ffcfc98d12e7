//! Runs the rules on the e-graph of an input.

use super::candidate::InputPrice;
use super::error::SimplifyError;
use super::problem::Problem;
use super::settings::Settings;
use super::stage::Stage;
use crate::cost::Cost;
use crate::domain::Domain;
use crate::egraph::StopReason;
use crate::egraph::extract::rebuild::Written;
use crate::egraph::saturate::matcher::Matcher;
use crate::egraph::saturate::saturation::{Outcome, Saturation};
use crate::egraph::trace::firing::Firing;
use crate::expr::{Dag, Expr};
use std::cell::OnceCell;

/// An e-graph on which rules run, and the steps of the rules.
pub(crate) struct Search {
    /// The e-graph. It is boxed, because it is large and moved from stage to stage.
    pub(crate) graph: Box<Problem>,
    /// The expressions that the variables of the e-graph represent.
    pub(crate) names: Vec<Expr>,
    /// The firings in order. Empty unless the settings record them.
    pub(crate) fired: Vec<Firing>,
    pub(super) outcome: Outcome,
    matcher: Matcher,
    /// Whether extraction counts a part that several trees share only once.
    pub(super) takes_dags: bool,
    /// The normal form from which the search began. It is kept only for a trace.
    pub(crate) normal_form: Option<NormalForm>,
    /// The price of the input, computed when first needed.
    pub(super) input_price: OnceCell<InputPrice>,
}

/// The input of a search in normal form.
pub(crate) struct NormalForm {
    pub(crate) exprs: Vec<Expr>,
    pub(crate) cost: Cost,
    /// The number of named normal forms that were applied. They are the first entries of [`fired`](Search::fired).
    pub(crate) applied: usize,
}

/// The e-graph of `exprs` after saturation.
pub(super) fn search(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Search, SimplifyError> {
    search_in(settings, Dag::new(exprs), domain)
}

/// The e-graph of the roots of `dag` after saturation.
pub(super) fn search_in(settings: &Settings, dag: Dag, domain: &Domain) -> Result<Search, SimplifyError> {
    let mut search = Search::begin(settings, dag, domain)?;
    search.saturate(settings);
    Ok(search)
}

impl Search {
    /// A search of the roots of `dag` before any rule runs. Its e-graph is the normal form.
    pub(super) fn begin(settings: &Settings, dag: Dag, domain: &Domain) -> Result<Search, SimplifyError> {
        Ok(Search::of(settings, Problem::new(settings, dag, domain)?))
    }

    /// A search in the e-graph of `problem`, before any rule runs.
    pub(super) fn of(settings: &Settings, problem: Problem) -> Search {
        let mut graph = Box::new(problem);
        let names = graph.names();
        let outcome = Outcome { stop: StopReason::Saturated, rounds: 0 };
        let fired = graph.e.take_applied_forms();
        let matcher = Matcher::new(settings.rules.slots());
        let (takes_dags, input_price) = (settings.takes(Stage::Dags), OnceCell::new());
        let mut search = Search { graph, names, fired, outcome, matcher, takes_dags, normal_form: None, input_price };
        if settings.is_traced() {
            search.graph.e.rebuild();
            let normal = search.extract().candidate;
            let (exprs, cost) = (normal.exprs.clone(), normal.price());
            // the price is computed again later, because the rules may narrow the ranges of the input
            search.input_price.take();
            search.normal_form = Some(NormalForm { exprs, cost, applied: search.fired.len() });
        }
        search
    }

    /// Runs the rules until nothing changes or a limit is reached. After saturation, this function adds forms that share
    /// parts with other forms. It adds none if a limit ended the search. A later search then begins with the answer, and
    /// fewer rules match forms that were added for sharing.
    pub(super) fn saturate(&mut self, settings: &Settings) {
        let shares = settings.takes(Stage::SharedForms);
        self.outcome = self.run_rules(settings, 0, |saturation| {
            let outcome = saturation.run();
            if outcome.stop == StopReason::Saturated && shares {
                saturation.share(0);
            }
            outcome
        });
    }

    /// Runs the rules on the answer of an earlier search of the same call. It adds forms that share parts with other
    /// forms, even if a limit ends the search.
    pub(super) fn saturate_again(&mut self, settings: &Settings) {
        let shares = settings.takes(Stage::SharedForms);
        self.outcome = self.run_rules(settings, 0, |saturation| {
            let outcome = saturation.run();
            if shares {
                saturation.share(0);
            }
            outcome
        });
    }

    /// Runs the late rules on the classes `written`, of which the extracted expressions consist. Returns whether they
    /// found anything.
    pub(super) fn run_late_rules(&mut self, settings: &Settings, written: &[Written]) -> bool {
        let (known, shares) = (self.fired.len(), settings.takes(Stage::SharedForms));
        self.run_rules(settings, known, |saturation| {
            let nodes = saturation.e.graph.nodes().len();
            let news = saturation.run_late_rules(written);
            if news && shares {
                saturation.share(nodes);
            }
            news
        })
    }

    /// Runs rules by `run`. Reports the profile and all firings after the first `known` to the observer.
    fn run_rules<T>(&mut self, settings: &Settings, known: usize, run: impl FnOnce(&mut Saturation<'_>) -> T) -> T {
        let Search { graph, fired, matcher, .. } = self;
        let Problem { e, roots, .. } = &mut **graph;
        let trace = settings.records_firings().then_some(&mut *fired);
        let mut saturation = Saturation::new(e, &settings.rules, settings.limits, roots, matcher, trace);
        let Some(observer) = &settings.observer else { return run(&mut saturation) };
        let (out, profile) = saturation.profiled(run);
        observer.rules_were_run(&fired[known..], &profile);
        out
    }

    /// Adds other forms of roots. Each form is equal to the root at its position everywhere in `domain`.
    pub(super) fn add_forms(&mut self, forms: &[(usize, Expr)], domain: &Domain) -> Result<(), SimplifyError> {
        self.graph.add_forms(forms, domain)?;
        // a form may have parts that have no normal form
        self.names = self.graph.names();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_added_forms_without_a_normal_form_have_names() {
        let (exprs, form) =
            ("9223372036854775807*((x + 2)//5) - 9223372036854775807*(x//5)", "x*2//5%2*9223372036854775807");
        let [expr, form] = [exprs, form].map(|text| text.parse::<Expr>().expect(text));
        let domain = Domain::new().with("x", -99..=99);
        let mut search = Search::begin(&Settings::default(), Dag::new(&[expr]), &domain).expect("a sum in 64 bits");
        let before = search.names.len();
        search.add_forms(&[(0, form)], &domain).expect("the same values");
        assert_eq!(search.names, search.graph.names());
        assert!(search.names.len() > before, "{:?}", search.names);
    }
}
