//! The settings of a call: rules, cost model, limits and observer.

use super::observer::Observer;
use super::own_rules::{Culprit, OwnRules};
use super::stage::{LeftOut, Stage};
use crate::cost::{CostModel, Gpu};
use crate::domain::Domain;
use crate::egraph::Limits;
use crate::egraph::normal::budget::Budget;
use crate::egraph::normal::graph::warm_up;
use crate::expr::Expr;
use crate::lower::Target;
use crate::quasi::Options;
use crate::rules::RuleSet;
use std::sync::{Arc, OnceLock};

/// Finds the rules at fault for a wrong answer. The arguments are the settings, the input, its domain, a point at which
/// the answer is wrong (empty if none is known), and the limits of comparisons.
pub(crate) type Blame = fn(&Settings, &Expr, &Domain, &[(Arc<str>, i64)], &Options) -> Vec<Culprit>;

/// The settings of a call. [`Simplifier`](crate::Simplifier) is the public wrapper.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(super) rules: Arc<RuleSet>,
    /// The rules that are not shipped, if there are any.
    pub(crate) own: Option<Arc<OwnRules>>,
    trusts_rules: bool,
    /// Finds the rules at fault for a wrong answer. Without this function, no rules are named.
    pub(super) blame: Option<Blame>,
    pub(super) model: Arc<dyn CostModel>,
    pub(crate) target: Target,
    pub(super) limits: Limits,
    /// The budget for the proofs of the current call. `None` outside of a call.
    pub(super) budget: Option<Budget>,
    traced: bool,
    left_out: LeftOut,
    pub(super) observer: Option<Arc<dyn Observer>>,
}

static SHIPPED: OnceLock<Arc<RuleSet>> = OnceLock::new();

impl Default for Settings {
    /// The shipped rules, the GPU cost model and the default limits.
    fn default() -> Settings {
        warm_up();
        Settings {
            rules: SHIPPED.get_or_init(|| Arc::new(RuleSet::shipped().clone())).clone(),
            own: None,
            trusts_rules: false,
            blame: None,
            model: Arc::new(Gpu),
            target: Target::default(),
            limits: Limits::default(),
            budget: None,
            traced: false,
            left_out: LeftOut::default(),
            observer: None,
        }
    }
}

impl Settings {
    pub(crate) fn with_rules(mut self, rules: RuleSet) -> Settings {
        self.own = OwnRules::of(&rules).map(Arc::new);
        self.rules = Arc::new(rules);
        self
    }

    /// The settings in which rules that are not shipped are trusted.
    pub(crate) fn trusting_rules(mut self) -> Settings {
        self.trusts_rules = true;
        self
    }

    /// The settings with a function that finds the rules at fault for a wrong answer.
    pub(crate) fn with_blame(mut self, blame: Blame) -> Settings {
        self.blame = Some(blame);
        self
    }

    pub(crate) fn with_cost_model(mut self, model: impl CostModel + 'static) -> Settings {
        self.model = Arc::new(model);
        self
    }

    /// The settings for another machine, with its prices.
    pub(crate) fn for_target(self, target: Target) -> Settings {
        Settings { target, ..self.with_cost_model(target.prices) }
    }

    pub(crate) fn with_limits(mut self, limits: Limits) -> Settings {
        self.limits = limits;
        self
    }

    /// The settings with or without a trace of the fired rules in answers.
    pub(crate) fn with_trace(mut self, traced: bool) -> Settings {
        self.traced = traced;
        self
    }

    pub(crate) fn without_stage(mut self, stage: Stage) -> Settings {
        self.left_out = self.left_out.and(stage);
        self
    }

    /// The settings of a call with this budget.
    pub(super) fn with_budget(mut self, budget: Budget) -> Settings {
        self.budget = Some(budget);
        self
    }

    /// The settings with an observer of all e-graphs of a call.
    pub(crate) fn with_observer(mut self, observer: Arc<dyn Observer>) -> Settings {
        self.observer = Some(observer);
        self
    }

    pub(crate) fn rules(&self) -> &RuleSet {
        &self.rules
    }

    pub(crate) fn model(&self) -> &dyn CostModel {
        &*self.model
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether calls run this stage.
    pub(crate) fn takes(&self, stage: Stage) -> bool {
        !self.left_out.has(stage)
    }

    /// Whether answers are compared with their inputs.
    pub(crate) fn compares(&self) -> bool {
        self.own.is_some() && !self.trusts_rules
    }

    /// Whether the budget of the current call is used up.
    pub(crate) fn is_out_of_budget(&self) -> bool {
        self.budget.as_ref().is_some_and(Budget::is_spent)
    }

    pub(super) fn is_traced(&self) -> bool {
        self.traced
    }

    /// Whether a trace or an observer needs the firings.
    pub(super) fn records_firings(&self) -> bool {
        self.traced || self.observer.is_some()
    }
}
