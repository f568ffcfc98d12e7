//! Checks on a rule that is not wrong: whether it makes expressions costlier, and whether other rules find the same
//! results.

use super::instance::Instance;
use crate::cost::{Cost, Gpu, price};
use crate::domain::{Interval, VarFacts, intervals_of};
use crate::expr::{Dag, Expr};
use crate::rules::{Rule, RuleSet};
use crate::simplify::{Settings, Step, finds_equal, simplify_all};

/// The maximum number of steps of one instance that are compared.
const STEPS: usize = 3;

/// Whether the results of `steps` together cost more than the matched expressions.
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

/// A set of rules with and without one of its rules.
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

    /// Whether the other rules make both sides of `steps` equal, and their answer costs no more than the answer of all
    /// rules.
    pub(super) fn find(&self, instance: &Instance, steps: &[&Step]) -> bool {
        let domain = &instance.domain;
        let equal = |s: &&Step| finds_equal(&self.others, &s.before, &s.after, domain).unwrap_or(false);
        let cost = |engine: &Settings| simplify_all(engine, &instance.exprs, domain).map(|s| s.cost());
        steps.iter().take(STEPS).all(equal)
            && matches!((cost(&self.others), cost(&self.all)), (Ok(others), Ok(all)) if others <= all)
    }
}
