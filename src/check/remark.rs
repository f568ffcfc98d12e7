//! Questions about a rule that is right: whether it makes expressions costlier, and whether other rules do the same.

use super::instance::Instance;
use crate::cost::{Cost, Gpu, price};
use crate::domain::{Interval, VarFacts, intervals_of};
use crate::expr::{Dag, Expr};
use crate::rules::{Rule, RuleSet};
use crate::simplify::{Settings, Step, finds_equal, simplify_all};

/// Steps compared of one instance.
const STEPS: usize = 3;

/// Whether what `steps` wrote costs more than what they matched, all of them together.
pub(super) fn costlier(steps: &[&Step], vars: &[VarFacts]) -> bool {
    let (before, after) = steps.iter().fold((Cost::ZERO, Cost::ZERO), |(before, after), s| {
        (before + price_of(&s.before, vars), after + price_of(&s.after, vars))
    });
    after > before
}

fn price_of(e: &Expr, vars: &[VarFacts]) -> Cost {
    let dag = Dag::new(std::slice::from_ref(e));
    let range_of = |name: &str| vars.iter().find(|v| &*v.name == name).map_or(Interval::ALL, |v| v.interval);
    price(&dag, &intervals_of(&dag, range_of), &Gpu)
}

/// A set of rules with and without one of them.
pub(super) struct Others {
    all: Settings,
    others: Settings,
}

impl Others {
    pub(super) fn new(rule: &Rule, rules: &RuleSet, companion: Option<&RuleSet>) -> Others {
        let engine = |rules: RuleSet| {
            Settings::default().with_rules(companion.map_or(rules.clone(), |c| rules.and(c.clone()))).trusting_rules()
        };
        Others { all: engine(rules.clone()), others: engine(rules.retain(|name| name != rule.name())) }
    }

    /// Whether the others take both sides of `steps` for equal, and their answer costs no more than that of all.
    pub(super) fn find(&self, instance: &Instance, steps: &[&Step]) -> bool {
        let domain = &instance.domain;
        let equal = |s: &&Step| finds_equal(&self.others, &s.before, &s.after, domain).unwrap_or(false);
        let cost = |engine: &Settings| simplify_all(engine, &instance.exprs, domain).map(|s| s.cost());
        steps.iter().take(STEPS).all(equal)
            && matches!((cost(&self.others), cost(&self.all)), (Ok(others), Ok(all)) if others <= all)
    }
}
