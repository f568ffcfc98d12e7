//! Limits of the search: with higher limits a call takes more work, and its answer never costs more.

use crate::samples::{Case, load};
use quaff::egraph::{Limits, StopReason};
use quaff::{Simplified, Simplifier};
use std::path::Path;

/// Some lines of the corpora for which a default limit ends the search.
fn unfinished() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut out = Vec::new();
    for (corpus, most) in [("tinygrad_kernels", 25), ("inductor_kernels", 5), ("hard", 5)] {
        let cases = load(&folder.join(corpus).with_extension("jsonl"));
        let is_unfinished = |case: &Case| answer(case, Limits::default()).stop() != StopReason::Saturated;
        out.extend(cases.into_iter().step_by(3).filter(is_unfinished).take(most));
    }
    assert!(out.len() > 20, "{} lines", out.len());
    out
}

fn answer(case: &Case, limits: Limits) -> Simplified {
    Simplifier::default().with_limits(limits).simplify(&case.expr, &case.domain()).expect("an answer")
}

#[test]
fn answers_of_more_effort_never_cost_more() {
    for case in unfinished() {
        let costs = [0, 1, 2].map(|effort| answer(&case, Limits::effort(effort)).cost());
        assert!(costs.is_sorted_by(|less, more| less >= more), "{}: {costs:?}", case.id);
    }
}

#[test]
fn answers_within_higher_limits_never_cost_more() {
    let default = Limits::default();
    let more = [
        Limits { rounds: 12, ..default },
        Limits { rounds: 40, ..default },
        Limits { nodes: 600, ..default },
        Limits { rounds: 12, nodes: 600, ..default },
    ];
    for case in unfinished() {
        let cost = answer(&case, default).cost();
        for limits in more {
            let found = answer(&case, limits).cost();
            assert!(found <= cost, "{} with {limits:?}: {found} in place of {cost}", case.id);
        }
    }
}

/// If the limits allow no pass after the first, no part is simplified under a condition. If they allow no rounds, no
/// rule runs.
#[test]
fn limits_of_0_leave_out_rules_and_conditions() {
    let case = |text: &str, limits: Limits| {
        let domain = "x=0..99, y=0..7".parse().expect("a domain");
        let simplifier = Simplifier::default().with_limits(limits).with_trace(true);
        simplifier.simplify(&text.parse().expect("an expression"), &domain).expect("an answer")
    };
    for text in ["(x*8 + y)//8", "where(x < 4, x//4, y)", "x//4*4 + x%4 + (x*8 + y)%8"] {
        let answer = case(text, Limits { rounds: 0, passes: 0, ..Limits::default() });
        let rules: Vec<&str> = answer.trace().iter().map(|step| step.rule.as_str()).collect();
        let set = quaff::rules::RuleSet::shipped();
        assert!(rules.iter().all(|rule| set.get(rule).is_none()), "{text}: {rules:?}");
    }
    assert_eq!(case("(x*8 + y)//8", Limits::effort(0)).expr().to_string(), "x");
    let under_a_condition = "where(x + y < 4, (x + y)//4 + x*2, y)";
    assert_eq!(case(under_a_condition, Limits::default()).expr().to_string(), "where(x + y < 4, x*2, y)");
    assert_ne!(case(under_a_condition, Limits::effort(0)).expr().to_string(), "where(x + y < 4, x*2, y)");
}
