//! The shipped rules, each on instances of its own.

use quaff::check::{Options, Status, check};
use quaff::rules::RuleSet;

/// What these say, the facts about ranges and bits have said before any rule is looked at.
const IMPLIED: [&str; 4] = ["div-one-bucket", "mod-in-range", "cancel-divmod", "and-disjoint"];

#[test]
fn shipped_rules_are_sound() {
    let mut options = Options::default();
    options.fired = 60;
    let reports = check(RuleSet::shipped(), &options);
    let implied = |name: &str| IMPLIED.contains(&name);
    let bad: Vec<String> = reports
        .iter()
        .filter(|r| !r.passed() && !(implied(&r.name) && matches!(r.status, Status::NeverFired | Status::NoChange)))
        .map(|r| r.to_string())
        .collect();
    assert!(bad.is_empty(), "{} rules fail:\n{}", bad.len(), bad.join("\n"));
}
