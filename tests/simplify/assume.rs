//! `Domain::assume`: what the engine concludes from one or several conditions, and what it must not conclude.

use crate::masks::{NAMES, condition, masked, ranges};
use crate::samples::{Case, grid, renamed};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quaff::domain::{Domain, DomainError};
use quaff::expr::{Expr, Program, int, var};
use quaff::quasi::{Verdict, equivalent};
use quaff::{Simplifier, SimplifyError};

fn parsed(text: &str) -> Expr {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The domain of declarations such as `i = 0..15; j = 0..N-1 step 4`. Conditions are also separated by semicolons.
fn domain(declarations: &str, conditions: &str) -> Domain {
    let mut domain = Domain::new();
    for d in declarations.split(';') {
        domain.declare(d.trim()).unwrap_or_else(|e| panic!("{d}: {e}"));
    }
    conditions.split(';').map(str::trim).filter(|c| !c.is_empty()).fold(domain, |d, c| d.assume(parsed(c)))
}

/// The answer to `expr`. The decision procedure has checked that it is equal to `expr` under the conditions.
fn answer(expr: &str, declarations: &str, conditions: &str) -> String {
    let (expr, domain) = (parsed(expr), domain(declarations, conditions));
    let out = Simplifier::default().simplify(&expr, &domain).unwrap_or_else(|e| panic!("{expr}: {e}"));
    let verdict = equivalent(&expr, out.expr(), &domain);
    assert_eq!(verdict, Verdict::Equal, "{expr} -> {} where {conditions}", out.expr());
    assert!(out.cost() <= out.input_cost(), "{expr}");
    out.expr().to_string()
}

/// Checks cases of the form `(expression, declarations, conditions, answer)`.
fn all(cases: &[(&str, &str, &str, &str)]) {
    let mut wrong = String::new();
    for (expr, declarations, conditions, wanted) in cases {
        let got = answer(expr, declarations, conditions);
        if got != *wanted {
            wrong.push_str(&format!("{expr}; {declarations} | {conditions}\n   wanted {wanted}\n   got    {got}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn a_remainder_in_conditions_settles_its_quotient() {
    all(&[
        ("(r*15 + s)//16", "r=0..3; s=0..14", "(r*15 + s)%16 < 13", "r"),
        // this bound is too large by one: for r = 3 and s = 0 the remainder is 13, and the quotient is r - 1
        ("(r*15 + s)//16", "r=0..3; s=0..14", "(r*15 + s)%16 < 14", "(r*15 + s)//16"),
    ]);
}

#[test]
fn a_quotient_beside_multiples_of_its_divisor_is_settled() {
    all(&[
        ("(x + 11)//14", "r=0..1; x=0..13", "r*14 + x >= 3; r*14 + x < 17", "-r + 1"),
        ("(r + (x + 11)//14 + y)//7", "r=0..1; x=0..13; y=0..20", "r*14 + x >= 3; r*14 + x < 17", "(y + 1)//7"),
        // this bound is too large by one: the sum of `x + 11` and `r*14` reaches 28
        ("(x + 11)//14", "r=0..1; x=0..13", "r*14 + x >= 3; r*14 + x < 18", "x >= 3"),
    ]);
}

#[test]
fn bounds_of_remainders_add_up() {
    // the index is `x + 2*(g%7)`, which is bounded, plus another `g%7`
    all(&[
        ("(x + g%7*2)//15", "x=0..3; g=0..48", "x + g%7 < 9", "0"),
        ("(x + g%7*2)//14", "x=0..3; g=0..48", "x + g%7 < 9", "(x + g*2 - g//7*14)//14"),
    ]);
}

#[test]
fn one_comparison_bounds_what_it_is_about() {
    all(&[
        ("(i + j)//16", "i=0..15; j=0..15", "i + j < 16", "0"),
        ("(i + j)%16", "i=0..15; j=0..15", "i + j < 16", "i + j"),
        ("(i + j)//16", "i=0..15; j=0..15", "i + j >= 16", "1"),
        ("(i + j)//17", "i=0..15; j=0..15", "i + j > 16", "1"),
        ("(3*i + 2*j)//32", "i=0..15; j=0..15", "3*i + 2*j <= 31", "0"),
        // a multiple of the bounded sum, and a sum with another variable
        ("(2*i + 2*j + k)//32", "i=0..15; j=0..15; k=0..1", "i + j < 16", "0"),
        ("max(i + j, 16)", "i=0..15; j=0..15", "i + j < 16", "16"),
        ("(i + j < 16) + (i + j < 20)*2 + (i + j < 9)*4", "i=0..15; j=0..15", "i + j < 16", "(i + j < 9)*4 + 3"),
        // this bound is too large by one, so nothing follows
        ("(i + j)//16", "i=0..15; j=0..15", "i + j < 17", "(i + j)//16"),
        ("(i + j)//16", "i=0..15; j=0..15", "i + j <= 16", "(i + j)//16"),
    ]);
}

#[test]
fn comparisons_together_say_more_than_each() {
    all(&[
        // the conclusion follows from the sum of two conditions
        ("(k - i + 30)//32", "i=0..31; j=0..31; k=0..31", "i < j; j < k", "1"),
        ("(k - i < 2)", "i=0..31; j=0..31; k=0..31", "i < j; j < k", "0"),
        // a mask with a lower and an upper bound
        ("(r + a - 1)%28", "r=0..27; a=0..2", "r + a >= 1; r + a < 29", "r + a - 1"),
        ("(r + a + 27)//28", "r=0..27; a=0..2", "r + a >= 1; r + a < 29", "1"),
        // the same mask as one condition, and as the negation of an `or`
        ("(r + a - 1)%28", "r=0..27; a=0..2", "r + a >= 1 and r + a < 29", "r + a - 1"),
        ("(r + a - 1)%28", "r=0..27; a=0..2", "not (r + a < 1 or r + a >= 29)", "r + a - 1"),
        // the conclusion follows from multiples of both conditions: x <= (2*(x + y) + (x - 2*y))/3
        ("x//8", "x=0..31; y=0..31", "x + y <= 12; x - 2*y <= -3", "x//8"),
        // the bound is tighter for integers: 2*x + 2*y <= 15 implies x + y <= 7
        ("(x + y)//8", "x=0..31; y=0..31", "2*x + 2*y <= 15", "0"),
        // one side of the disjunction is impossible, so the other side holds
        ("(i + j)//16", "i=0..15; j=0..15", "i + j < 16 or i > 20", "0"),
    ]);
}

#[test]
fn conditions_over_quotients_and_remainders_count() {
    all(&[
        ("x//32", "x=0..255", "x//4 < 8", "0"),
        ("x//4", "x=0..255", "x//4 == 5", "5"),
        ("x//8*8 + 3", "x=0..255", "x//8 == 5", "43"),
        ("x//32", "x=0..255", "x//8 == 5", "1"),
        ("x//16 + y", "x=0..255; y=0..9", "x//8 == y; y < 2", "y"),
        ("(x%8 + y)//8", "x=0..255; y=0..7", "x%8 + y < 8", "0"),
        ("(x + y)//8", "x=0..255; y=0..7", "x%8 + y < 8", "(x + y)//8"),
        ("min(x, y)", "x=0..255; y=0..255", "x//8 < y//8", "x"),
    ]);
}

#[test]
fn remainders_are_congruences() {
    all(&[
        ("x%4", "x=0..255", "x%4 == 0", "0"),
        ("(x + 3)//4*4", "x=0..255", "x%4 == 0", "x"),
        ("(x + 2)//4", "x=0..255", "x%4 == 1", "x//4"),
        ("x%2", "x=0..255", "x%4 == 3", "1"),
        // the congruence is solved for x: 3*x = 1 (mod 4) implies x = 3 (mod 4)
        ("x%4", "x=0..255", "3*x%4 == 1", "3"),
        ("x%3", "x=0..255", "2*x%6 == 4", "2"),
        // a condition on the remainder of a sum
        ("(x + y)%4", "x=0..63; y=0..63", "(x + y)%4 == 2", "2"),
        // a congruence that follows from an equality: 4*y + 1 is 1 (mod 4)
        ("x%4", "x=0..255; y=0..63", "x == 4*y + 1", "1"),
        // a congruence together with the step of a declared range
        ("x%12", "x=0..255 step 4", "x%3 == 0", "0"),
    ]);
}

#[test]
fn equalities_substitute() {
    all(&[
        ("x*7 + y", "x=0..255; y=0..63", "x == 5", "y + 35"),
        ("x - y", "x=0..255; y=0..255", "x == y", "0"),
        ("(x - y)*z + x//4 - y//4", "x=0..255; y=0..255; z=0..99", "x == y", "0"),
        ("x//8", "x=0..255; y=0..31", "x == 8*y + 3", "y"),
        ("x + y", "x=0..255; y=0..255", "2*x + 2*y == 14", "7"),
        // two conditions that fix a value
        ("x*3 + y", "x=0..255; y=0..9", "x >= 17; x <= 17", "y + 51"),
        ("x*3 + y", "x=0..255; y=0..9", "x + y >= 264", "774"),
        // `x != 0` is the other end of a range that begins at 0
        ("(x + 7)//8", "x=0..8", "x != 0", "1"),
        ("where(x, 3, 4)", "x=0..8", "x", "3"),
    ]);
}

#[test]
fn conditions_add_to_what_the_domain_says() {
    all(&[
        // ranges whose ends are expressions
        ("(i + j)//n", "n=1..64; i=0..n-1; j=0..n-1", "i + j < n", "0"),
        ("i//n", "n=1..64; i=0..99", "i < n", "0"),
        // a variable with a step
        ("(x + 3)//8", "x=0..96 step 4", "x < 5", "0"),
        // a variable with an open range
        ("x//16", "x=..", "x >= 0; x < 16", "0"),
        ("max(x, 0)", "x=..", "x >= y - 3; y > 5", "x"),
    ]
    .map(|(e, d, c, a)| if c.contains('y') { (e, "x=..; y=..", c, a) } else { (e, d, c, a) }));
}

#[test]
fn a_condition_is_simplified_away_under_itself() {
    for condition in ["i < 8", "i + j == 9", "i%4 == 2", "i < 8 and j < 3", "i < 8 or j < 3", "not (i < j)", "i//4 < j"]
    {
        assert_eq!(answer(&format!("({condition})"), "i=0..15; j=0..15", condition), "1", "{condition}");
        assert_eq!(answer(&format!("not ({condition})"), "i=0..15; j=0..15", condition), "0", "{condition}");
        let masked = format!("where({condition}, i*16 + j, 99)");
        assert_eq!(answer(&masked, "i=0..15; j=0..15", condition), "i*16 + j", "{condition}");
    }
}

#[test]
fn conditions_that_contradict_one_another_are_an_error() {
    for (declarations, conditions) in [
        ("i=0..15", "i > 15"),
        ("i=0..15", "0"),
        ("i=0..15; j=0..15", "i + j > 30"),
        ("i=0..15; j=0..15", "i < j; j < i"),
        ("i=0..15; j=0..15; k=0..15", "i < j; j < k; k < i"),
        ("i=0..15; j=0..15", "i < j and i >= j"),
        ("i=0..15; j=0..15", "i + j == 31"),
        ("i=0..15", "i == 3; i == 4"),
        ("i=0..15", "i < 8; i//8 == 1"),
        ("i=0..15 step 4", "i%4 == 1"),
        ("i=0..15", "i%4 == 1; i%2 == 0"),
        ("i=0..15; j=0..15", "2*i + 4*j == 7"),
    ] {
        let domain = domain(declarations, conditions);
        match Simplifier::default().simplify(&parsed("i*8"), &domain) {
            Err(SimplifyError::Domain(DomainError::NeverHolds { conditions: told })) => {
                // the error shows the condition as the caller wrote it
                let first = conditions.split(';').next().unwrap_or_default();
                assert!(told.starts_with(&parsed(first).to_string()), "{conditions}: {told}");
            }
            other => panic!("{declarations} | {conditions}: {other:?}"),
        }
    }
}

#[test]
fn conditions_are_refused_as_expressions_are() {
    let simplify = |condition: &str| {
        Simplifier::default()
            .simplify(&parsed("i"), &domain("i=0..15; j=0..15", condition))
            .map(|s| s.expr().to_string())
    };
    assert!(matches!(simplify("k > 3"), Err(SimplifyError::UnknownVariable(e)) if e.to_string() == "k"));
    assert!(
        matches!(simplify("i//j > 3"), Err(SimplifyError::DivisorMayBeZero { divisor, .. }) if divisor.to_string() == "j")
    );
    assert!(matches!(simplify("i << 200"), Err(SimplifyError::ShiftOutOfRange { .. })));
    // a condition, or a mask around the division, may imply that the divisor is not 0
    let divided = |expr: &str, condition: &str| {
        Simplifier::default()
            .simplify(&parsed(expr), &domain("i=0..15; j=0..15", condition))
            .map(|s| s.expr().to_string())
    };
    assert_eq!(divided("i*j//j", "j > 0").as_deref().ok(), Some("i"));
    assert_eq!(divided("i*j//j", "j != 0").as_deref().ok(), Some("i"));
    for condition in ["j >= 0", "i > 0", "j != 1", "i + j > 0"] {
        assert!(matches!(divided("i//j", condition), Err(SimplifyError::DivisorMayBeZero { .. })), "{condition}");
    }
    assert_eq!(divided("where(j > 0, i//j, 0)", "1").as_deref().ok(), Some("where(j >= 1, i//max(j, 1), 0)"));
    // a condition that is not linear is still known to be true where the expression contains it
    assert_eq!(simplify("i*j > 40").as_deref().ok(), Some("i"));
}

#[test]
fn a_divisor_other_than_0_needs_no_sign() {
    all(&[
        ("i//j*j + i%j", "i=0..15; j=-7..8", "j != 0", "i"),
        ("truncdiv(i, j)*j + truncmod(i, j)", "i=-20..20; j=-7..8", "j != 0", "i"),
        ("i//j", "i=0..15; j=-7..8", "j != 0", "i//j"),
        ("where(j == 0, 3, i//j*j + i%j)", "i=0..15; j=-7..8", "", "where(j == 0, 3, i)"),
        ("i*j//j", "i=-9..9; j=-7..8", "j != 0", "i"),
        ("(i*j + k)//j", "i=-9..9; j=-7..8; k=-9..9", "j != 0", "i + k//j"),
        ("(i*j + k)%j", "i=-9..9; j=-7..8; k=-9..9", "j != 0", "k%j"),
        ("i*j*k//(j*k)", "i=-9..9; j=-7..8; k=-5..5", "j*k != 0", "i"),
        ("i*j*k//(k*4)", "i=-9..9; j=-7..8; k=-5..5", "k != 0", "i*j//4"),
        ("truncmod(i*j*6, j*3)", "i=-9..9; j=-7..8", "j != 0", "0"),
        ("where(j != 0, i*j//j, 7)", "i=-9..9; j=-7..8", "", "where(j == 0, 7, i)"),
    ]);
    // without conditions, a domain may promise that no computed part divides by 0
    let defined: Domain = "i=-9..9, j=-7..8, k=-9..9, defined".parse().expect("a domain");
    for (expr, wanted) in [("i*j%j", "0"), ("i*(j + k)//(j + k)", "i")] {
        let answer = Simplifier::default().simplify(&parsed(expr), &defined).expect("answered");
        assert_eq!(answer.expr().to_string(), wanted, "{expr}");
    }
    for (expr, condition) in [("i//j", "j != 1"), ("i//j", "i != 0"), ("where(j > -3, i*j//j, 0)", "i >= 0")] {
        let refused = Simplifier::default().simplify(&parsed(expr), &domain("i=0..15; j=-7..8", condition));
        assert!(matches!(refused, Err(SimplifyError::DivisorMayBeZero { .. })), "{expr} where {condition}");
    }
}

#[test]
fn conditions_hold_for_all_roots_of_a_call() {
    let domain = domain("i=0..15; j=0..15", "i + j < 16");
    let roots = ["(i + j)//16", "(i + j)%16", "where(i + j < 16, i, j)"].map(parsed);
    let out = Simplifier::default().simplify_all(&roots, &domain).expect("answered");
    let texts: Vec<String> = out.exprs().iter().map(|e| e.to_string()).collect();
    assert_eq!(texts, ["0", "i + j", "i"]);
}

#[test]
fn a_domain_keeps_its_conditions_apart_from_its_copies() {
    let plain = Domain::new().with("i", 0..16).with("j", 0..16);
    let narrow = plain.clone().assume(var("i").lt(8)).assume(var("j").ge(3));
    let texts = |d: &Domain| d.assumptions().iter().map(|c| c.to_string()).collect::<Vec<_>>();
    assert_eq!(texts(&plain), Vec::<String>::new());
    assert_eq!(texts(&narrow), ["i < 8", "j >= 3"]);
    let simplified =
        |d: &Domain| Simplifier::default().simplify(&parsed("i//8"), d).expect("answered").expr().to_string();
    assert_eq!((simplified(&plain).as_str(), simplified(&narrow).as_str()), ("i//8", "0"));
    // `resolve` returns the declared ranges. Conditions are processed only when an expression is simplified
    assert_eq!(narrow.resolve().expect("a domain")[0].interval.bounded(), Some((0, 15)));
}

#[test]
fn more_conditions_than_are_followed_do_no_harm() {
    let mut domain = Domain::new().with("i", 0..=1000);
    for k in 0..300 {
        let name = format!("v{k}");
        domain = domain.with(name.as_str(), 0..=99).assume((var(name.as_str()) + var("i") * (k + 1)).lt(700 + k));
    }
    let out = Simplifier::default().simplify(&parsed("i//900 + v7"), &domain).expect("answered");
    assert_eq!(out.expr().to_string(), "v7");
}

/// The number of cases and the seed are fixed. With `PROPTEST_CASES`, that many random cases are tried instead.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 500, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

/// The points at which all conditions hold.
fn inside(conditions: &[Expr], ranges: &[(i64, i64); 3]) -> Vec<Vec<i128>> {
    let program = Program::new(conditions, &NAMES).expect("known variables");
    let mut points = grid(ranges, 4_000);
    points.retain(|p| program.eval(p).iter().all(|v| v.as_ref().is_ok_and(|v| *v != 0)));
    points
}

fn case(expr: Expr, ranges: &[(i64, i64); 3]) -> Case {
    Case { id: String::new(), expr, vars: NAMES.iter().map(|n| n.to_string()).zip(*ranges).collect() }
}

fn assuming(case: &Case, conditions: &[Expr]) -> Domain {
    conditions.iter().fold(case.domain(), |d, c| d.assume(c))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn answers_are_equal_where_the_conditions_hold(
        expr in masked(), conditions in prop::collection::vec(condition(), 1..4), ranges in ranges(),
    ) {
        let (case, points) = (case(expr, &ranges), inside(&conditions, &ranges));
        let shown = || format!("{} with {:?} where {:?}", case.expr, case.vars,
            conditions.iter().map(|c| c.to_string()).collect::<Vec<_>>());
        match Simplifier::default().simplify(&case.expr, &assuming(&case, &conditions)) {
            Ok(out) => {
                prop_assert!(out.cost() <= out.input_cost(), "{}", shown());
                let difference = case.difference(out.expr(), &points);
                prop_assert!(difference.is_none(), "{}\nanswer {}\n{difference:?}", shown(), out.expr());
            }
            Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => {
                prop_assert!(points.is_empty(), "{}: {:?}", shown(), points[0]);
            }
            Err(e) => prop_assert!(false, "{}: {e}", shown()),
        }
    }

    #[test]
    fn ranges_of_answers_hold_where_the_conditions_do(
        expr in masked(), conditions in prop::collection::vec(condition(), 1..4), ranges in ranges(),
    ) {
        let (case, points) = (case(expr, &ranges), inside(&conditions, &ranges));
        let Ok(out) = Simplifier::default().simplify(&case.expr, &assuming(&case, &conditions)) else { return Ok(()) };
        if let Some(range) = out.range_of(out.expr()) {
            let program = Program::new(std::slice::from_ref(out.expr()), &NAMES).expect("known variables");
            for p in &points {
                let Ok(value) = program.eval(p)[0] else { continue };
                let value = i64::try_from(value).expect("small");
                prop_assert!(range.contains(value), "{} in {range} at {p:?} is {value}", out.expr());
            }
        }
    }

    #[test]
    fn names_do_not_matter_to_conditions(
        expr in masked(), conditions in prop::collection::vec(condition(), 1..3), ranges in ranges(),
    ) {
        let other = |name: &str| format!("v{}", (b'z' - name.as_bytes()[0]));
        let first = case(expr, &ranges);
        let vars = first.vars.iter().map(|(n, r)| (other(n), *r)).collect();
        let second = Case { id: String::new(), expr: renamed(&first.expr, other), vars };
        let renamed_conditions: Vec<Expr> = conditions.iter().map(|c| renamed(c, other)).collect();
        let simplifier = Simplifier::default();
        match (
            simplifier.simplify(&first.expr, &assuming(&first, &conditions)),
            simplifier.simplify(&second.expr, &assuming(&second, &renamed_conditions)),
        ) {
            (Ok(a), Ok(b)) => prop_assert_eq!(renamed(a.expr(), other).to_string(), b.expr().to_string()),
            (Err(_), Err(_)) => {}
            (a, b) => prop_assert!(false, "{}: {:?} and {:?}", first.expr, a.err(), b.err()),
        }
    }
}

#[test]
fn equality_is_decided_where_the_conditions_hold() {
    let inside = domain("i=0..15; j=0..15", "i + j < 16");
    assert_eq!(equivalent(&parsed("(i + j)//16"), &int(0), &inside), Verdict::Equal);
    let Verdict::Differs { witness } = equivalent(&parsed("(i + j)//16"), &parsed("i//15"), &inside) else {
        panic!("they differ at i = 15");
    };
    assert!(witness.to_string().starts_with("i = 15, j = 0"), "{witness}");
    // in a domain without points, any two expressions are equal
    let nowhere = domain("i=0..15; j=0..15", "i + j > 30");
    assert_eq!(equivalent(&parsed("i"), &parsed("j"), &nowhere), Verdict::Equal);
}

#[test]
fn a_bound_that_leaves_one_value_is_an_equality() {
    assert_eq!(answer("(r + 1)//3*6", "r = 0..19", "(r + 1)%3 < 1"), "r*2 + 2");
    assert_eq!(answer("r//3*6", "r = 0..19", "r%3 >= 2"), answer("r//3*6", "r = 0..19", "r%3 == 2"));
    assert_eq!(answer("r//10 + r%10", "r = 0..80", "r%10 < 1"), "r//10");
    // with the bound 2 instead of 1, two values of the remainder are possible
    assert_eq!(answer("(r + 1)//3*6", "r = 0..19", "(r + 1)%3 < 2"), "(r + 1)//3*6");
}
