//! What a call is made with: rules, cost model, limits, and who observes it.

use super::observer::Observer;
use super::own_rules::OwnRules;
use super::stage::{LeftOut, Stage};
use crate::cost::{CostModel, Gpu};
use crate::egraph::Limits;
use crate::egraph::normal::budget::Budget;
use crate::egraph::normal::graph::warm_up;
use crate::lower::Target;
use crate::rules::RuleSet;
use std::sync::{Arc, OnceLock};

/// Simplifies index expressions. Built once, shared between threads, cheap to call.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, expr::Expr};
///
/// let address: Expr = "(row*512 + col) // 512 * 600 + (row*512 + col) % 512".parse()?;
/// let domain = Domain::new().with("row", 0..1024).with("col", 0..512);
/// let out = Simplifier::default().simplify(&address, &domain)?;
/// assert_eq!(out.expr().to_string(), "row*600 + col");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Simplifier {
    pub(super) rules: Arc<RuleSet>,
    /// Those of them that are not shipped, where there are any.
    pub(crate) own: Option<Arc<OwnRules>>,
    pub(super) trusts_rules: bool,
    pub(super) model: Arc<dyn CostModel>,
    pub(crate) target: Target,
    pub(super) limits: Limits,
    /// What bounds the proofs of the call that this simplifier is made for. Before a call there is none.
    pub(super) budget: Option<Budget>,
    traced: bool,
    left_out: LeftOut,
    pub(super) observer: Option<Arc<dyn Observer>>,
}

static SHIPPED: OnceLock<Arc<RuleSet>> = OnceLock::new();

impl Default for Simplifier {
    /// The shipped rules, the GPU cost model and the default limits.
    fn default() -> Simplifier {
        warm_up();
        Simplifier {
            rules: SHIPPED.get_or_init(|| Arc::new(RuleSet::shipped().clone())).clone(),
            own: None,
            trusts_rules: false,
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

impl Simplifier {
    /// With other rules. Answers under rules that are not shipped are compared with their questions, unless the rules are
    /// [trusted](Self::trusting_rules).
    pub fn with_rules(mut self, rules: RuleSet) -> Simplifier {
        self.own = OwnRules::of(&rules).map(Arc::new);
        self.rules = Arc::new(rules);
        self
    }

    /// With another cost model.
    pub fn with_cost_model(mut self, model: impl CostModel + 'static) -> Simplifier {
        self.model = Arc::new(model);
        self
    }

    /// For another machine than [`Target::SM_90`]: its prices are the cost model from here on, and texts are spelled for it.
    pub fn for_target(self, target: Target) -> Simplifier {
        Simplifier { target, ..self.with_cost_model(target.prices) }
    }

    /// With other limits.
    pub fn with_limits(mut self, limits: Limits) -> Simplifier {
        self.limits = limits;
        self
    }

    /// Whether answers keep the list of rules that fired ([`Simplified::trace`](super::Simplified::trace)); costs time, off by
    /// default.
    pub fn with_trace(mut self, traced: bool) -> Simplifier {
        self.traced = traced;
        self
    }

    /// Without a stage of its calls.
    pub fn without_stage(mut self, stage: Stage) -> Simplifier {
        self.left_out = self.left_out.and(stage);
        self
    }

    /// Whether calls take this stage.
    pub(crate) fn takes(&self, stage: Stage) -> bool {
        !self.left_out.has(stage)
    }

    /// For a call with this budget.
    pub(super) fn with_budget(mut self, budget: Budget) -> Simplifier {
        self.budget = Some(budget);
        self
    }

    /// Whether the call that this simplifier is made for has no budget left.
    pub(crate) fn is_out_of_budget(&self) -> bool {
        self.budget.as_ref().is_some_and(Budget::is_spent)
    }

    /// With an observer of all e-graphs of a call.
    pub(crate) fn with_observer(mut self, observer: Arc<dyn Observer>) -> Simplifier {
        self.observer = Some(observer);
        self
    }

    /// The rules in use.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The limits of a call.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// The cost model, which prices the operations of answers.
    pub fn model(&self) -> &dyn CostModel {
        &*self.model
    }

    pub(super) fn is_traced(&self) -> bool {
        self.traced
    }

    /// Whether anyone is going to ask what fired.
    pub(super) fn records_firings(&self) -> bool {
        self.traced || self.observer.is_some()
    }
}
