//! Every shipped rule is needed, or states with `(because "...")` why it is kept. A rule is needed if some answer costs
//! more without it, even with all other rules.
//!
//! For most rules, one of their cases in `tests/data/rules/cases.txt` shows this. For other rules,
//! `tests/data/rules/needed.txt` has a case from `quaff rules ablate`, or a made-up case.

use crate::rule_cases::{Expect, domain, load};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::rules::RuleSet;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The lines `RULE: EXPR; VAR=RANGE; ...` of `needed.txt`.
fn needed() -> Vec<(String, Expr, Domain)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/rules/needed.txt");
    let text = std::fs::read_to_string(path).expect("the cases can be read");
    let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with(';'));
    let case = |line: &str| {
        let (rule, question) = line.split_once(": ").unwrap_or_else(|| panic!("no case: {line}"));
        let mut parts = question.split(';').map(|p| p.trim().to_string());
        let expr = parts.next().unwrap_or_default().parse().unwrap_or_else(|e| panic!("{line}: {e}"));
        let vars: Vec<String> = parts.collect();
        (rule.to_string(), expr, domain(&vars).unwrap_or_else(|e| panic!("{line}: {e}")))
    };
    lines.map(case).collect()
}

/// Whether the answer is costlier without the rule than with all rules.
fn needs(rule: &str, expr: &Expr, domain: &Domain) -> bool {
    let cost = |s: &Simplifier| s.simplify(expr, domain).unwrap_or_else(|e| panic!("{expr}: {e}")).cost();
    let without = Simplifier::default().with_rules(RuleSet::shipped().retain(|r| r != rule));
    cost(&Simplifier::default()) < cost(&without)
}

#[test]
fn every_rule_is_needed_or_says_why_it_is_there() {
    let mut needing: HashMap<String, usize> = HashMap::new();
    let (_, cases) = load();
    let own: HashSet<&str> = cases.iter().map(|c| c.rule.as_str()).collect();
    for case in cases.iter().filter(|c| c.expect == Expect::Fires) {
        if needs(&case.rule, &case.expr(), &case.domain()) {
            *needing.entry(case.rule.clone()).or_default() += 1;
        }
    }
    let mut wrong = Vec::new();
    for (rule, expr, domain) in needed() {
        match needs(&rule, &expr, &domain) {
            true => *needing.entry(rule).or_default() += 1,
            false => wrong.push(format!("needed.txt: {expr} does not need {rule}: give another case")),
        }
    }
    // `tests/rules/cases.rs` reports rules without cases
    for rule in RuleSet::shipped().rules().iter().filter(|r| own.contains(r.name())) {
        match (needing.contains_key(rule.name()), rule.because()) {
            (true, Some(why)) if why.contains("cost no more without it") => {
                wrong.push(format!("{} is needed, and says {why:?}", rule.name()));
            }
            // a needed rule may also state why `quaff rules check` finds nothing new in its instances
            (true, _) | (false, Some(_)) => {}
            (false, None) => wrong.push(format!(
                "{}: none of its cases costs more without it; add one that does to tests/data/rules/needed.txt, or say \
                 (because \"...\") in the rule, or remove it",
                rule.name()
            )),
        }
    }
    assert!(wrong.is_empty(), "{} rules or cases:\n{}", wrong.len(), wrong.join("\n"));
}
