//! The shipped rules, each on instances of its own.

use quaff::check::{Options, RuleReport, Status, check};
use quaff::rules::RuleSet;

/// What these say, the facts about ranges and bits have said before any rule is looked at.
const IMPLIED: [&str; 3] = ["div-one-bucket", "mod-in-range", "cancel-divmod"];

#[test]
fn shipped_rules_are_sound() {
    let mut options = Options::default();
    options.fired = 60;
    let reports = check(RuleSet::shipped(), &options);
    let as_expected = |r: &RuleReport| match IMPLIED.contains(&r.name.as_str()) {
        true => r.status == Status::NoChange,
        false => r.passed(),
    };
    let bad: Vec<String> = reports.iter().filter(|r| !as_expected(r)).map(|r| r.to_string()).collect();
    assert!(bad.is_empty(), "{} rules fail:\n{}", bad.len(), bad.join("\n"));
}
