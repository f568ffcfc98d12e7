//! The shipped rules, each checked on its own instances, and the record of the results.

use crate::cores::on_all_cores;
use quaff::check::{Options, Status, check, check_among, check_rule};
use quaff::rules::RuleSet;

#[test]
#[ignore = "a campaign"]
fn no_shipped_rule_is_refuted() {
    let shipped = RuleSet::shipped();
    let (mut short, mut whole) = (Options::default(), Options::default());
    (short.tries, short.fired, whole.fired) = (2_000, 30, 60);
    // most rules pass with few instances. A rule that does not gets as many instances as in `quaff rules check`
    let reports = on_all_cores(shipped.rules(), |rule| {
        let report = check_among(rule, shipped, &short);
        if report.passed() { report } else { check_among(rule, shipped, &whole) }
    });
    let bad: Vec<String> = reports.iter().filter(|r| !r.passed()).map(|r| r.to_string()).collect();
    assert!(bad.is_empty(), "{} rules fail:\n{}", bad.len(), bad.join("\n"));
    let on_numbers = reports.iter().filter(|r| r.fired_on_numbers > 0).count();
    assert!(on_numbers * 3 > reports.len() * 2, "{on_numbers} rules fire on their own and on large numbers");
}

#[test]
fn a_reason_excuses_idleness_but_no_mistake() {
    let text = r#"
        (rule wrong "drops the remainder" (match (// (+ (* #c ?x) ?r...) #n)) (because "I like it")
          (when (> #n 1) (divides #n #c)) (yield (* (/ #c #n) ?x)))
        (rule idle "says what is known" (match (min ?x ?y)) (because "for the catalogue")
          (when (= (lowest ?x) (highest ?x)) (= (lowest ?x) (lowest ?y)) (= (lowest ?y) (highest ?y))) (yield ?x))
        (rule never "no such thing" (match (min ?x ?y)) (because "who knows")
          (when (< (highest ?x) (lowest ?x))) (yield ?x))
        (rule known "the range says it" (match (// ?x #n)) (let #k (bucket ?x #n)) (yield #k))
        (rule known-kept "the range says it" (match (// ?x #n)) (because "for the catalogue")
          (let #k (bucket ?x #n)) (yield #k))"#;
    let rules = RuleSet::parse("reasons.rules", text).unwrap();
    let mut options = Options::default();
    options.tries = 2_000;
    let found: Vec<_> = check(&rules, &options).iter().map(|r| (r.name.clone(), r.status, r.passed())).collect();
    let of = |name: &str| found.iter().find(|r| r.0 == name).map(|r| (r.1, r.2)).unwrap();
    assert_eq!(of("wrong"), (Status::Unsound, false));
    assert_eq!(of("never"), (Status::NeverFired, false));
    assert_eq!(of("known"), (Status::NoChange, false));
    assert_eq!(of("known-kept"), (Status::NoChange, true));
}

/// A rule that adds nothing new passes the check if and only if its text states a reason with `(because "...")`.
#[test]
fn a_rule_that_is_implied_says_why() {
    let text = r#"(rule known "the range says so" (match (// ?x #n)) (let #k (bucket ?x #n)) (yield #k) BECAUSE)"#;
    let passes = |because: &str| {
        let set = RuleSet::parse("one.rules", &text.replace("BECAUSE", because)).expect("a rule");
        let report = check_rule(&set.rules()[0], &Options::default());
        assert_eq!(report.status, Status::NoChange);
        report.passed()
    };
    assert!(!passes(""));
    assert!(passes("(because \"other systems have it\")"));
    for wrong in ["(because)", "(because word)", "(because \"a\") (because \"b\")"] {
        let errors = RuleSet::parse("one.rules", &text.replace("BECAUSE", wrong)).expect_err(wrong);
        assert!(errors.to_string().contains("one text says why"), "{wrong}: {errors}");
    }
}
