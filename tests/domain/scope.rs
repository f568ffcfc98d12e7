//! Ranges that may be empty. Such a range is a fact only for expressions that use the variable of the range.

use proptest::prelude::*;
use quaff::Simplifier;
use quaff::access::{Access, Gate};
use quaff::domain::{Connected, Domain, Repeats, UNKNOWN_TRIPS};
use quaff::expr::{Expr, int, var};
use quaff::quasi::{Verdict, equivalent};

fn expr(text: &str) -> Expr {
    text.parse().expect(text)
}

fn domain(text: &str) -> Domain {
    text.parse().expect(text)
}

const LOOP: &str = "n=0..9, t=0..31, x=0..n-1";

#[test]
fn an_unused_range_says_nothing() {
    let (domain, simplifier) = (domain(LOOP), Simplifier::default());
    let answer = |e: &str| simplifier.simplify(&expr(e), &domain).expect("an answer").expr().to_string();
    assert_eq!(answer("where(n > 0, 5, 7)"), "where(n >= 1, 5, 7)");
    assert_eq!(answer("where(n > 0, 5, 7) + x"), "x + 5");
    assert_eq!(simplifier.facts(&domain).prove(&expr("n > 0")).expect("asked"), None);
    assert_eq!(simplifier.facts(&domain).prove(&expr("n > x*0")).expect("asked"), Some(true));
    assert_eq!(simplifier.facts(&domain).bounds(&expr("n")).expect("asked").bounded(), Some((0, 9)));
    assert_eq!(simplifier.facts(&domain).equal(&expr("max(n, 1)"), &expr("n")).expect("asked"), None);
    assert!(simplifier.simplify(&expr("t//n"), &domain).is_err(), "n may be 0");
    assert!(matches!(equivalent(&expr("n > 0"), &expr("1"), &domain), Verdict::Differs { .. }));
    assert_eq!(equivalent(&expr("(n > 0) + x"), &expr("1 + x"), &domain), Verdict::Equal);
}

#[test]
fn a_promise_says_it_everywhere() {
    let (domain, simplifier) = (domain(LOOP).nonempty("x"), Simplifier::default());
    assert_eq!(simplifier.simplify(&expr("where(n > 0, 5, 7)"), &domain).expect("an answer").expr().to_string(), "5");
    assert_eq!(simplifier.facts(&domain).prove(&expr("n > 0")).expect("asked"), Some(true));
    assert_eq!(equivalent(&expr("n > 0"), &expr("1"), &domain), Verdict::Equal);
    let read: Domain = domain.to_string().parse().expect("its own text");
    assert_eq!(read, domain);
}

#[test]
fn an_assumption_needs_values_of_its_variables() {
    let (domain, simplifier) = (domain(LOOP).assume(expr("x < t")), Simplifier::default());
    assert_eq!(simplifier.facts(&domain).prove(&expr("t > 0")).expect("asked"), None);
    assert_eq!(simplifier.facts(&domain).prove(&expr("t > 0*x")).expect("asked"), Some(true));
    assert!(matches!(equivalent(&expr("t > 0"), &expr("1"), &domain), Verdict::Differs { .. }));
}

#[test]
fn each_expression_and_each_access_has_its_own_points() {
    let (domain, simplifier) = (domain(LOOP), Simplifier::default());
    let together = [expr("where(n > 0, 5, 7)"), expr("where(n > 0, x, 7)")];
    let answer = simplifier.simplify_all(&together, &domain).expect("an answer");
    assert_eq!(answer.exprs().iter().map(Expr::to_string).collect::<Vec<_>>(), ["where(n >= 1, 5, 7)", "x"]);
    assert!(answer.cost() <= answer.input_cost());

    let gated = |buffer: &str, index: &str| Access::load("v", buffer, expr(index)).when(expr("n > 0"));
    let accesses = [gated("a", "t"), gated("b", "x + t//n"), Access::load("w", "c", expr("t//max(n, 1)"))];
    let answer = simplifier.simplify_accesses(&accesses, &domain).expect("an answer");
    let gates: Vec<String> = answer.accesses().iter().map(|a| a.gate().to_string()).collect();
    assert_eq!(gates, ["n >= 1", "1", "1"]);
    assert_eq!(answer.accesses()[2].index().to_string(), "t//max(n, 1)");
    assert!(answer.cost() <= answer.input_cost());

    // if the loop runs for all sizes, the facts about `n` hold for all accesses, so no gate remains
    let full: Domain = "n=1..9, t=0..31, x=0..n-1".parse().expect("a domain");
    let answer = simplifier.simplify_accesses(&accesses, &full).expect("an answer");
    assert!(answer.accesses().iter().all(|a| *a.gate() == Gate::Always));
}

/// An assumption about a variable whose range may be empty holds where the variable is used, for all expressions of a
/// call.
#[test]
fn assumptions_hold_where_their_variables_are_used() {
    let domain: Domain = "m=1..4, x=0..m//2, y=0..2, assume x*5 == y".parse().expect("a domain");
    let answer = Simplifier::default().simplify_all(&[expr("y"), expr("x")], &domain).expect("an answer");
    assert_eq!(answer.exprs()[0].to_string(), "y");
    let both = Simplifier::default().simplify_all(&[expr("y + x"), expr("x")], &domain).expect("an answer");
    assert_eq!(both.exprs()[0].to_string(), "0");
    let promised = domain.nonempty("x");
    let answer = Simplifier::default().simplify_all(&[expr("y"), expr("x")], &promised).expect("an answer");
    assert_eq!(answer.exprs()[0].to_string(), "0");
}

/// Facts about a loop that may not run do not affect prices outside of the loop.
#[test]
fn prices_outside_of_a_loop_know_nothing_of_it() {
    let domain: Domain = "f=0..1, k=0..f-1, t=0..99, loop k".parse().expect("a domain");
    let accesses = [
        Access::load("a", "in", expr("k + f*f")),
        Access::load("b", "in", expr("f*8//4%2 + f*f%4")).when(expr("f < 2")),
    ];
    let answer = Simplifier::default().simplify_accesses(&accesses, &domain).expect("an answer");
    assert_eq!(*answer.accesses()[1].gate(), Gate::Always);
    assert_eq!((answer.accesses()[1].index().to_string().as_str(), answer.cost().instructions()), ("f*f", 1.0));
}

#[test]
fn host_code_divides_by_no_zero() {
    let domain = domain(LOOP).launch_invariant("n");
    let answer = Simplifier::default().simplify(&expr("t//n + x"), &domain).expect("an answer");
    let setups: Vec<String> = answer.cuda().expect("text").divisors.iter().map(|d| d.setup()).collect();
    assert_eq!(setups, ["quaff_fastdivmod_any(n > 1 ? n : 1)"]);
    let positive: Domain = "n=1..9, t=0..31, x=0..n-1, invariant n".parse().expect("a domain");
    let answer = Simplifier::default().simplify(&expr("t//n + x"), &positive).expect("an answer");
    assert_eq!(answer.cuda().expect("text").divisors[0].setup(), "quaff_fastdivmod_any(n)");
}

/// Ends over sizes that may be negative, 0 or positive.
fn end() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["n - 1", "m - 1", "n*m - 1", "min(n, m)", "n//2", "m - n", "n + m - 4", "3", "x - 1"])
        .prop_map(str::to_string)
}

/// Expressions over `names`.
fn over(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![prop::sample::select(names).prop_map(str::to_string), (-3i64..9).prop_map(|c| c.to_string())];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            (two.clone(), prop::sample::select(vec!["+", "-", "*", "<", ">=", "=="]))
                .prop_map(|((a, b), op)| format!("({a} {op} {b})")),
            two.clone().prop_map(|(a, b)| format!("min({a}, {b})")),
            (inner.clone(), 2i64..6).prop_map(|(a, c)| format!("({a}//{c} + {a}%{c})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}//max({b}, 1))")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("where({a} > 0, {b}, {c})")),
        ]
    })
}

proptest! {
    #[test]
    #[ignore = "a campaign"]
    fn values_are_kept_where_each_expression_is_computed(
        ends in (end(), end()),
        outside in over(&["n", "m", "t"]),
        inside in over(&["n", "m", "t", "x"]),
        deep in over(&["n", "m", "x", "y"]),
    ) {
        let upper = if ends.0 == "x - 1" { "n - 1".to_string() } else { ends.0 };
        let domain = Domain::new().with("n", -2..=4).with("m", -1..=3).with("t", 0..=3);
        let domain = domain.with("x", (0, expr(&upper))).with("y", (1, expr(&ends.1)));
        let exprs = [expr(&outside), expr(&inside), expr(&deep)];
        let Ok(answer) = Simplifier::default().simplify_all(&exprs, &domain) else { return Ok(()) };
        prop_assert!(answer.cost() <= answer.input_cost());
        for ((before, after), name) in exprs.iter().zip(answer.exprs()).zip(["outside", "inside", "deep"]) {
            let verdict = equivalent(before, after, &domain);
            prop_assert!(!matches!(verdict, Verdict::Differs { .. }), "{before} became {after}: {verdict}");
            for n in -2..=4 {
                for m in -1..=3 {
                    for t in 0..=3 {
                        for x in -1..=13 {
                            for y in 0..=4 {
                                let value = |v: &str| Some(match v { "n" => n, "m" => m, "t" => t, "x" => x, _ => y });
                                let is_used = |v: &str| before.to_string().contains(v) && name != "outside";
                                let holds = |condition: Expr| condition.eval(value) == Ok(1);
                                let y_is_there = !is_used("y") || y >= 1 && holds(var("y").le(expr(&ends.1)));
                                let ends_use_x = is_used("y") && ends.1.contains('x');
                                let uses_x = is_used("x") || ends_use_x;
                                // the value of an unused variable does not matter, so one value is enough
                                if !uses_x && x != 0 || !is_used("y") && y != 1 { continue }
                                let x_is_there = !uses_x || x >= 0 && holds(var("x").le(expr(&upper)));
                                if x_is_there && y_is_there && let Ok(wanted) = before.eval(value) {
                                    prop_assert_eq!(after.eval(value), Ok(wanted), "{} became {} at {} {} {} {} {}",
                                        before, after, n, m, t, x, y);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A domain is reduced to the variables that ranges or conditions connect with an expression. For this expression, the
/// reduced domain has the same facts as the whole domain.
#[test]
fn parts_say_what_the_whole_says() {
    let text = "n=1..64, i=0..n-1, x=0..99 step 4, y=2*x+1, k=0..7, u=0..9, a=.., b=0..a";
    let mut domain: Domain = text.parse().unwrap();
    domain = domain.loop_nest(["k", "i"]);
    for condition in ["u < 5", "a >= 3 and a < 9", "i + k != 3"] {
        domain = domain.assume(condition.parse::<Expr>().unwrap());
    }
    let connected = Connected::new(&domain);
    let whole = domain.resolve().unwrap();
    for (name, together) in [("n", "n i k"), ("k", "n i k"), ("y", "x y"), ("u", "u"), ("b", "a b")] {
        let about = connected.about([&var(name)]);
        assert_eq!(about.vars().collect::<Vec<_>>(), together.split(' ').collect::<Vec<_>>());
        for part in about.resolve().unwrap() {
            assert_eq!(part, *whole.iter().find(|v| v.name == part.name).unwrap());
        }
    }
    assert_eq!(connected.about([&int(3)]).len(), 0);
}

/// The range of an integer type says nothing about the number of iterations of a loop.
#[test]
fn a_loop_over_a_type_has_unknown_trips() {
    let trips = |last: i64| {
        let domain = Domain::new().with("k", 0..=last).loop_variable("k");
        domain.resolve().unwrap()[0].repeats
    };
    assert_eq!(trips((1 << 24) - 1), Repeats::Loop(1 << 24));
    assert_eq!(trips(i32::MAX.into()), Repeats::Loop(UNKNOWN_TRIPS));
}
