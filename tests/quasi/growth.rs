//! The size of the input bounds the work of the exact procedure and of explanations. The work is counted, and not
//! timed.

use crate::hostile;
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use quaff::quasi::{Decision, Method, Options, Verdict, Why, decide};
use quaff::{Shortened, Simplifier};
use std::time::Duration;

/// The small size. The large size is four times the small size.
const SMALL: usize = 500;
/// The maximum factor of the work if the size grows by four: 4 log 4n / log n, rounded up.
const GROWTH: u64 = 6;

fn options() -> Options {
    Options { smt_timeout: Duration::ZERO, ..Options::default() }
}

fn without_solver((a, b, domain): &hostile::Pair, options: &Options) -> Decision {
    decide(a, b, domain, &Options { smt_timeout: Duration::ZERO, ..options.clone() })
}

#[test]
fn steps_grow_about_as_the_input() {
    for (name, make) in hostile::CLASSES {
        let [small, large] = [SMALL, 4 * SMALL].map(|n| without_solver(&make(n), &options()));
        for d in [&small, &large] {
            assert_eq!((&d.verdict, d.method), (&Verdict::Equal, Method::Exact), "{name}");
        }
        // operands of a small expression may become longer than the expression, so a quarter of the default limit is
        // always allowed
        let least = Options::default().max_steps / 4;
        let bound = small.steps.saturating_mul(GROWTH).max(least);
        assert!(large.steps <= bound, "{name}: {} steps, then {}", small.steps, large.steps);
    }
}

#[test]
#[ignore = "a campaign"]
fn a_limit_on_steps_is_named() {
    let few = Options { max_steps: 1 << 14, max_evaluations: 1 << 20, ..options() };
    for (name, make) in hostile::CLASSES.into_iter().chain(hostile::LIMITED) {
        let decision = without_solver(&make(20_000), &few);
        assert!(decision.steps <= 3 * few.max_steps, "{name}: {} steps", decision.steps);
        match (decision.verdict, decision.method) {
            (Verdict::Undecided { why: Why::TooManySteps { limit } }, _) => assert_eq!(limit, few.max_steps, "{name}"),
            // the enumeration of points needs no algebra
            (Verdict::Equal, Method::Enumeration) => {}
            (other, _) => panic!("{name}: {other}"),
        }
    }
}

#[test]
fn a_limit_on_evaluations_is_named() {
    let few = Options { max_evaluations: 1 << 12, ..options() };
    let (a, b) = ("(x ^ y) + (x & y)*2 + (x & 3)*y".parse::<Expr>(), "x + y + (3 & x)*(y | 0)".parse::<Expr>());
    let (a, b) = (a.expect("an expression"), b.expect("an expression"));
    let domain = Domain::new().with("x", 0..256).with("y", 0..256);
    assert_eq!(decide(&a, &b, &domain, &options()).verdict, Verdict::Equal);
    let why = Why::TooManyEvaluations { limit: 1 << 12 };
    let decision = decide(&a, &b, &domain, &few);
    assert_eq!(decision.verdict, Verdict::Undecided { why });
}

/// The enumeration of a block of points needs a register for each operator. So large expressions are evaluated point by
/// point.
#[test]
fn large_expressions_are_enumerated() {
    let bits = |k: i64| (var("x") * var("x")) ^ k;
    let forth = (0..20_000).map(bits).reduce(|a, b| a.max(b)).expect("not empty");
    let back = (0..20_000).rev().map(bits).reduce(|a, b| a.max(b)).expect("not empty");
    let domain = Domain::new().with("x", 0..3);
    // with few steps of algebra, only enumeration can decide
    let plain = Options { max_steps: 40_000, ..options() };
    let decision = decide(&forth, &back, &domain, &plain);
    assert_eq!((&decision.verdict, decision.method), (&Verdict::Equal, Method::Enumeration));
    assert!(matches!(decide(&forth, &(back + 1), &domain, &plain).verdict, Verdict::Differs { .. }));
}

#[test]
#[ignore = "a campaign"]
fn what_is_equal_as_written_is_equal() {
    let texts = ["x//y", "x << y", "where(x > y, x*y*z, y//x)", "x*y*(x > y)", "not not not x", "x ^ y*z"];
    let none = Options { max_points: 0, max_steps: 0, max_evaluations: 0, samples: 0, ..options() };
    for text in texts {
        let [a, b] = [text, text].map(|t| t.parse::<Expr>().expect(text));
        for domain in [
            Domain::new().with("x", ..).with("y", ..).with("z", ..),
            Domain::new().with("x", 0..).with("y", (0, var("x"))).with("z", ..).stride("z", 4, 1),
            Domain::new().with("x", 0..9).with("y", ..).with("z", ..).assume(var("x").lt(var("y") * var("z"))),
        ] {
            assert_eq!(decide(&a, &b, &domain, &none).verdict, Verdict::Equal, "{text}");
        }
    }
    for (name, make) in hostile::CLASSES.into_iter().chain(hostile::LIMITED) {
        let [(a, _, domain), (b, _, _)] = [make(10_000), make(10_000)];
        assert_eq!(decide(&a, &b, &domain, &none).verdict, Verdict::Equal, "{name}");
    }
    // without a declaration, a variable is not equal to itself
    let x: Expr = var("x");
    assert!(matches!(decide(&x, &x, &Domain::new(), &none).verdict, Verdict::Undecided { why: Why::Unknown(_) }));
}

/// The checks of all steps of an explanation share one limit. The answer is always present, and its check is separate.
#[test]
fn explanations_share_their_limits() {
    // the checks of the steps take many times the work of the check of the answer
    let sum = (0..20_i64).fold(var("x"), |e, k| e + var("x") % (k * 37 % 101 + 2) % 7);
    let domain = Domain::new().with("x", 0..1_000_000_000);
    let all = Simplifier::default().explain(&sum, &domain, &options()).expect("an answer");
    assert!(all.is_checked() && all.shortened().is_empty() && all.steps().len() > 4);
    let answer = all.check().steps;
    let few = Options { max_steps: answer, ..options() };
    let some = Simplifier::default().explain(&sum, &domain, &few).expect("an answer");
    assert_eq!(some.answer().expr(), all.answer().expr());
    assert_eq!(some.check().verdict, Verdict::Equal);
    assert!(!some.is_checked() && !some.is_wrong() && some.steps().len() == all.steps().len());
    let unchecked = some.steps().iter().filter(|s| matches!(s.check.verdict, Verdict::Undecided { .. })).count();
    assert!(unchecked > 0);
    let said = some.shortened().iter().any(|s| matches!(s, Shortened::Checks { left_out } if *left_out <= unchecked));
    assert!(said, "{:?}", some.shortened());
    assert!(some.to_string().contains("not checked: "), "{some}");
}

#[test]
fn explanations_of_large_inputs_are_short() {
    // in this class, each step writes the products again, in sums of all products
    let products = hostile::CLASSES.into_iter().find(|(name, _)| *name == "products").expect("a class");
    let (sum, _, domain) = products.1(900);
    let large = Simplifier::default().explain(&sum, &domain, &options()).expect("an answer");
    assert!(large.steps().len() <= 1_100, "{} steps", large.steps().len());
    assert!(large.shortened().iter().any(|s| matches!(s, Shortened::Steps { .. })), "{:?}", large.shortened());
    let simple = Simplifier::default().simplify(&sum, &domain).expect("an answer");
    assert_eq!(large.answer().expr(), simple.expr());
    let negations = (0..20_000).fold(var("x"), |e, _| e.not());
    let domain = Domain::new().with("x", 0..9);
    let explained = Simplifier::default().explain(&negations, &domain, &options()).expect("an answer");
    assert!(explained.is_checked());
}
