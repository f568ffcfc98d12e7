//! Plausible wrong rules: the checker must find a counterexample to each.

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
                // it stands on its own: the values are those of evaluation
                let value = |name: &str| c.witness.get(name).or(Some(0));
                assert_eq!(c.before.eval(value).ok(), Some(c.witness.first()), "{report}");
                assert_ne!(c.after.eval(value).ok(), Some(c.witness.first()), "{report}");
            }
            _ => missed.push(report.to_string()),
        }
    }
    assert!(missed.is_empty(), "{} broken rules are not rejected:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn the_command_line_says_which_and_why() {
    let check = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_quaff"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["rules", "check"]).args(arguments);
        let out = command.output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    let (status, text) = check(&["tests/broken-rules", "--only", "self-division", "--json"]);
    assert_eq!(status, Some(1));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["rule"], &report["status"]), (&"self-division-of-all".into(), &"unsound".into()));
    let counterexample = &report["counterexample"];
    assert_ne!(counterexample["value_before"], counterexample["value_after"]);
    assert!(counterexample["domain"].as_array().is_some_and(|d| !d.is_empty()));

    let (status, text) = check(&["--only", "xor-self"]);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.starts_with("sound\txor-self\t"), "{text}");
}
