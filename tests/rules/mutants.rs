//! Mutants of the shipped rules, each without one guard. There are three accepted outcomes. The checker rejects the
//! mutant, or the mutant is wrong on an expression that the rule refuses, or the record has a proof of the mutant for
//! all integers. In the last case, the guard only decides when the rule is useful. `tests/golden/guard-mutants.txt`
//! lists all other mutants, each with a reason.

use crate::cores::on_all_cores;
use crate::rule_cases::{Expect, RuleCase, load};
use quaff::Simplifier;
use quaff::check::{Mutant, Options, Status, check_rule, fingerprint, mutants};
use quaff::quasi::{Verdict, equivalent};
use quaff::rules::{Rule, RuleSet};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Whether the mutant changes the value of an expression on which the rule with all guards does not fire.
fn errs_where_refused(mutant: &Rule, cases: &[RuleCase]) -> bool {
    let refused = cases.iter().filter(|c| c.rule == mutant.name() && c.expect == Expect::Refuses);
    refused.into_iter().any(|case| {
        let texts = case.with.iter().filter_map(|w| RuleSet::shipped().get(w)).map(Rule::text);
        let text: String = texts.chain([mutant.text()]).collect();
        let Ok(rules) = RuleSet::parse("mutant.rules", &text) else { return false };
        // the expression occurs twice, because some rules need several expressions that share parts
        let twice = [case.expr(), case.expr()];
        let answer = Simplifier::default().with_rules(rules).trusting_rules().simplify_all(&twice, &case.domain());
        answer.is_ok_and(|a| matches!(equivalent(&case.expr(), a.expr(), &case.domain()), Verdict::Differs { .. }))
    })
}

#[test]
fn what_is_in_the_e_graph_is_no_guard() {
    // `there` and `operands` only decide when a rule is useful. So mutants keep them, and proofs ignore them
    for rule in RuleSet::shipped().rules() {
        for mutant in mutants(rule) {
            for word in ["(there ", "(operands "] {
                let count = |text: &str| text.matches(word).count();
                assert_eq!(
                    count(rule.text()),
                    count(mutant.rule().text()),
                    "{} without {}",
                    rule.name(),
                    mutant.guard()
                );
            }
        }
    }
    let rule = RuleSet::shipped().get("shared-digit").expect("a shipped rule");
    let guards: Vec<String> = mutants(rule).iter().map(|m| m.guard().to_string()).collect();
    assert_eq!(guards, ["(> #m 1)", "(> #k 1)", "(= #n (* #m #k))"]);
}

/// The result for a mutant.
#[derive(PartialEq)]
enum Known {
    Rejected,
    Proved,
    /// The record was written without a solver. `.ci/run` asks a solver if one is installed.
    Unasked,
    Open,
}

/// Tries a mutant. `found` is the result in the record.
fn known(rule: &Rule, mutant: &Mutant, found: &Value, cases: &[RuleCase]) -> Known {
    let mut options = Options::default();
    // a mutant that a solver refuted has a counterexample. All other mutants get fewer instances, to confirm the record
    (options.tries, options.fired) = match found.as_str() {
        Some("wrong") => (3_000, options.fired),
        Some("proved") => (100, 5),
        _ => (500, 25),
    };
    if errs_where_refused(mutant.rule(), cases) {
        assert_ne!(found, "proved", "{} without {}", rule.name(), mutant.guard());
        return Known::Rejected;
    }
    match check_rule(mutant.rule(), &options).status {
        Status::Unsound => {
            assert_eq!(found, "wrong", "{} without {}", rule.name(), mutant.guard());
            Known::Rejected
        }
        _ if found == "proved" => Known::Proved,
        _ if found == "unasked" => Known::Unasked,
        _ => Known::Open,
    }
}

#[test]
#[ignore = "a campaign"]
fn guards_are_needed_or_proved_to_be_of_use_only() {
    let record: Value = serde_json::from_str(&read("rules/proofs.json")).unwrap();
    let (_, cases) = load();
    for rule in RuleSet::shipped().rules() {
        assert_eq!(
            record["rules"][rule.name()]["text"],
            fingerprint(rule),
            "rule {} changed since it was checked: run `quaff rules check rules --record`",
            rule.name()
        );
    }
    let all: Vec<(&Rule, Mutant)> =
        RuleSet::shipped().rules().iter().flat_map(|rule| mutants(rule).into_iter().map(move |m| (rule, m))).collect();
    let results = on_all_cores(&all, |(rule, mutant)| {
        known(rule, mutant, &record["rules"][rule.name()]["guards"][mutant.guard()]["is"], &cases)
    });
    let count = |what: Known| results.iter().filter(|r| **r == what).count();
    let [rejected, proved, unasked] = [Known::Rejected, Known::Proved, Known::Unasked].map(count);
    let is_open = all.iter().zip(&results).filter(|(_, known)| **known == Known::Open);
    let open: BTreeSet<String> =
        is_open.map(|((rule, mutant), _)| format!("{}\t{}", rule.name(), mutant.guard())).collect();
    println!(
        "{rejected} mutants rejected, {proved} proved as right as the rule, {unasked} to be asked, {} open",
        open.len()
    );
    assert!(rejected > 30 && proved > 30, "{rejected} rejected, {proved} proved");
    let listed = read("tests/golden/guard-mutants.txt");
    let listed: Vec<Vec<&str>> = listed.lines().map(|l| l.split('\t').collect()).collect();
    for line in &listed {
        assert!(line.len() == 3 && line[2].len() > 20, "rule, guard and reason: {line:?}");
    }
    let listed: BTreeSet<String> = listed.iter().map(|l| format!("{}\t{}", l[0], l[1])).collect();
    let new: Vec<_> = open.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&open).collect();
    assert!(new.is_empty(), "neither rejected nor proved, and no reason is given: {new:#?}");
    assert!(gone.is_empty(), "listed as open, and are not: {gone:#?}");
}
