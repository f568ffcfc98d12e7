//! Every guard of every shipped rule left out, one at a time: the checker rejects the mutant, or the mutant is wrong on an
//! expression that the rule refuses, or the record says that a
//! solver has proved it for all integers (the guard says when the rule is of use, not when it is right). What is neither
//! stands in `tests/golden/guard-mutants.txt`, each with a reason.

use crate::rule_cases::{Expect, RuleCase, load};
use quaff::Simplifier;
use quaff::check::{Options, Status, check_rule, fingerprint, mutants};
use quaff::quasi::{Verdict, equivalent};
use quaff::rules::{Rule, RuleSet};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Whether the mutant is wrong on an expression that the whole rule refuses.
fn errs_where_refused(mutant: &Rule, cases: &[RuleCase]) -> bool {
    let refused = cases.iter().filter(|c| c.rule == mutant.name() && c.expect == Expect::Refuses);
    refused.into_iter().any(|case| {
        let texts = case.with.iter().filter_map(|w| RuleSet::shipped().get(w)).map(Rule::text);
        let text: String = texts.chain([mutant.text()]).collect();
        let Ok(rules) = RuleSet::parse("mutant.rules", &text) else { return false };
        // twice, for rules about what several expressions share
        let twice = [case.expr(), case.expr()];
        let answer = Simplifier::default().with_rules(rules).trusting_rules().simplify_all(&twice, &case.domain());
        answer.is_ok_and(|a| matches!(equivalent(&case.expr(), a.expr(), &case.domain()), Verdict::Differs { .. }))
    })
}

#[test]
fn what_is_in_the_e_graph_is_no_guard() {
    // it says when a rule pays: a mutant keeps it, and the proof is about the values alone
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

#[test]
fn guards_are_needed_or_proved_to_be_of_use_only() {
    let mut options = Options::default();
    options.tries = 3_000;
    let record: Value = serde_json::from_str(&read("rules/proofs.json")).unwrap();
    let (_, cases) = load();
    let (mut rejected, mut proved, mut unasked) = (0, 0, 0);
    let mut open = BTreeSet::new();
    for rule in RuleSet::shipped().rules() {
        let entry = &record["rules"][rule.name()];
        assert_eq!(
            entry["text"],
            fingerprint(rule),
            "rule {} changed since it was checked: run `quaff rules check rules --record`",
            rule.name()
        );
        for mutant in mutants(rule) {
            let found = &entry["guards"][mutant.guard()]["is"];
            if errs_where_refused(mutant.rule(), &cases) {
                assert_ne!(found, "proved", "{} without {}", rule.name(), mutant.guard());
                rejected += 1;
                continue;
            }
            match check_rule(mutant.rule(), &options).status {
                Status::Unsound => {
                    assert_eq!(found, "wrong", "{} without {}", rule.name(), mutant.guard());
                    rejected += 1;
                }
                _ if found == "proved" => proved += 1,
                // recorded where no solver was installed: `.ci/run` asks one where there is one
                _ if found == "unasked" => unasked += 1,
                _ => drop(open.insert(format!("{}\t{}", rule.name(), mutant.guard()))),
            }
        }
    }
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
