//! What a call is made with: rules, cost model, limits, and who observes it.

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

/// Names the rules at fault for a wrong answer to an expression over a domain, at a point where it is wrong if one is given. It compares
/// within the options.
pub(crate) type Blame = fn(&Settings, &Expr, &Domain, &[(Arc<str>, i64)], &Options) -> Vec<Culprit>;

/// What a call is made with. A [`Simplifier`](crate::Simplifier) is one of these for its users.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(super) rules: Arc<RuleSet>,
    /// Those of them that are not shipped, where there are any.
    pub(crate) own: Option<Arc<OwnRules>>,
    trusts_rules: bool,
    /// Finds the rules at fault for a wrong answer. Without it, a wrong answer names none.
    pub(super) blame: Option<Blame>,
    pub(super) model: Arc<dyn CostModel>,
    pub(crate) target: Target,
    pub(super) limits: Limits,
    /// What bounds the proofs of the call that these settings are for. Before a call there is none.
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

    /// Rules that are not shipped are taken for right.
    pub(crate) fn trusting_rules(mut self) -> Settings {
        self.trusts_rules = true;
        self
    }

    /// With a function that finds the rules at fault for a wrong answer.
    pub(crate) fn with_blame(mut self, blame: Blame) -> Settings {
        self.blame = Some(blame);
        self
    }

    pub(crate) fn with_cost_model(mut self, model: impl CostModel + 'static) -> Settings {
        self.model = Arc::new(model);
        self
    }

    /// For another machine, with its prices.
    pub(crate) fn for_target(self, target: Target) -> Settings {
        Settings { target, ..self.with_cost_model(target.prices) }
    }

    pub(crate) fn with_limits(mut self, limits: Limits) -> Settings {
        self.limits = limits;
        self
    }

    /// Whether answers keep what fired.
    pub(crate) fn with_trace(mut self, traced: bool) -> Settings {
        self.traced = traced;
        self
    }

    pub(crate) fn without_stage(mut self, stage: Stage) -> Settings {
        self.left_out = self.left_out.and(stage);
        self
    }

    /// For a call with this budget.
    pub(super) fn with_budget(mut self, budget: Budget) -> Settings {
        self.budget = Some(budget);
        self
    }

    /// With an observer of all e-graphs of a call.
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

    /// Whether calls take this stage.
    pub(crate) fn takes(&self, stage: Stage) -> bool {
        !self.left_out.has(stage)
    }

    /// Whether answers are compared with their questions.
    pub(crate) fn compares(&self) -> bool {
        self.own.is_some() && !self.trusts_rules
    }

    /// Whether the call that these settings are for has no budget left.
    pub(crate) fn is_out_of_budget(&self) -> bool {
        self.budget.as_ref().is_some_and(Budget::is_spent)
    }

    pub(super) fn is_traced(&self) -> bool {
        self.traced
    }

    /// Whether anyone is going to ask what fired.
    pub(super) fn records_firings(&self) -> bool {
        self.traced || self.observer.is_some()
    }
}
