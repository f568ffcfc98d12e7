//! Searches for a small rule set by greedy backward elimination, which leaves out one rule after another.

use super::compare::{Experiment, Progress, Variant};
use super::outcome::{Elimination, Report, Row, Trial};
use super::run::Run;
use super::store::Results;
use quaff::cost::Cost;
use std::io;

/// The effect that the removal of rules must not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// A higher total cost of the answers, over all corpora, than with all rules.
    Total,
    /// A higher cost of any answer than with all rules.
    EveryCase,
}

impl Experiment {
    /// Removes one rule after another while `keep` allows it. First each rule is removed alone. Then the rules are
    /// tried in the order of the total cost after this removal, the lowest cost first. If costs are equal, the later
    /// rule of the set comes first. Rules in `needed` stay. The search ends when no further rule can be removed. With
    /// [`Keep::EveryCase`], a rule is not tried if its removal alone makes a case costlier. With [`Keep::Total`], it is
    /// not tried if its removal alone costs more than the removals before it have saved. A smaller set may exist that
    /// the greedy search does not find.
    ///
    /// The report compares the base with the rule sets without a single rule, and with the set that was found, which is
    /// called `minimal`.
    ///
    /// # Errors
    /// Fails if results cannot be stored.
    pub fn minimal(&self, keep: Keep, needed: &[String], results: &Results, progress: Progress) -> io::Result<Report> {
        let base = self.base_runs(results, &|_| {})?;
        let rules = self.base().rules().rules().iter().map(|r| r.name());
        let mut each: Vec<Variant> =
            rules.filter(|r| !needed.iter().any(|n| n == r)).map(|r| self.base().without(r)).collect();
        let alone = self.compare(&each, results, progress)?;
        let mut order: Vec<(&Row, &str)> = Vec::new();
        for (row, v) in alone.rows.iter().zip(&each).rev() {
            order.push((row, v.name().trim_start_matches("without ")));
        }
        order.sort_by_key(|(row, _)| row.cost);

        let mut found = Elimination { cost: alone.base.cost, ..Elimination::default() };
        let mut cost_now = found.cost;
        let mut kept = Variant::new("minimal", self.base().rules().clone());
        let mut again = true;
        while again {
            again = false;
            for (alone, rule) in &order {
                let hopeless = match keep {
                    Keep::Total => alone.cost + cost_now > found.cost + found.cost,
                    Keep::EveryCase => alone.costlier > 0,
                };
                if hopeless || found.left_out.iter().any(|l| l == rule) {
                    continue;
                }
                let fewer = Variant::new("minimal", kept.rules().retain(|r| r != *rule));
                let (cost, costlier) = sums(&self.runs(&fewer, Some(&base), results, progress)?, &base);
                let left_out = match keep {
                    Keep::Total => cost <= found.cost,
                    Keep::EveryCase => costlier == 0,
                };
                found.trials.push(Trial { rule: rule.to_string(), cost, costlier, left_out });
                if left_out {
                    found.left_out.push(rule.to_string());
                    cost_now = cost;
                    (kept, again) = (fewer, true);
                }
            }
        }
        found.kept = kept.rules().rules().iter().map(|r| r.name().to_string()).collect();
        each.push(kept);
        let mut report = self.compare(&each, results, &|_| {})?;
        report.elimination = Some(found);
        Ok(report)
    }
}

/// The total cost of the answers in `runs`, and the number of cases that cost more than in `base`.
fn sums(runs: &[Run], base: &[Run]) -> (Cost, usize) {
    let (mut cost, mut costlier) = (Cost::ZERO, 0);
    for (run, base) in runs.iter().zip(base) {
        for (after, before) in run.answers.iter().zip(&base.answers) {
            let (Ok(after), Ok(before)) = (after, before) else { continue };
            cost += after.cost;
            costlier += usize::from(after.cost > before.cost);
        }
    }
    (cost, costlier)
}
