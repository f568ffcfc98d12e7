//! Plausible wrong rules. The checker must find a counterexample to each of them.

use quaff::check::{Options, Status, check};
use quaff::rules::RuleSet;
use std::path::Path;

#[test]
fn every_broken_rule_is_rejected() {
    let rules = RuleSet::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken-rules")).unwrap();
    assert!(rules.rules().len() >= 40);
    let mut missed = Vec::new();
    for report in check(&rules, &Options::default()) {
        match report.counterexample {
            Some(ref c) if report.status == Status::Unsound => {
                // the counterexample is valid without the checker: evaluation gives its values
                let value = |name: &str| c.witness.get(name).or(Some(0));
                assert_eq!(c.before.eval(value).ok(), Some(c.witness.first()), "{report}");
                assert_ne!(c.after.eval(value).ok(), Some(c.witness.first()), "{report}");
            }
            _ => missed.push(report.to_string()),
        }
    }
    assert!(missed.is_empty(), "{} broken rules are not rejected:\n{}", missed.len(), missed.join("\n"));
}
