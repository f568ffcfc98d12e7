//! Periods, slopes, jumps and equality of random quasi-affine expressions of one variable. The corpus has the right
//! answers.

use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff::quasi::{Canonical, Decision, Method, Options, Period, Verdict, decide};
use serde_json::Value;

struct Case {
    id: String,
    expr: Expr,
    expected: Expr,
    period: i128,
    slope: (i128, i128),
    jumps: usize,
    range: (i64, i64),
}

fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/quasi_affine.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus is part of the crate");
    let parse = |v: &Value| v.as_str().expect("text").parse::<Expr>().expect("an expression");
    let number = |v: &Value| v.as_i64().expect("a number");
    text.lines()
        .map(|line| {
            let v: Value = serde_json::from_str(line).expect("json");
            Case {
                id: v["id"].as_str().expect("an id").to_owned(),
                expr: parse(&v["expr"]),
                expected: parse(&v["expected"]),
                period: number(&v["period"]).into(),
                slope: (number(&v["slope"][0]).into(), number(&v["slope"][1]).into()),
                jumps: number(&v["jumps"]) as usize,
                range: (number(&v["vars"]["x"][0]), number(&v["vars"]["x"][1])),
            }
        })
        .collect()
}

fn exact(a: &Expr, b: &Expr, domain: &Domain) -> Decision {
    let decision = decide(a, b, domain, &Options::default());
    assert_eq!(decision.method, Method::Exact, "{a} and {b}: {}", decision.verdict);
    decision
}

#[test]
fn period_slope_and_jumps() {
    let cases = cases();
    assert_eq!(cases.len(), 269);
    for case in cases {
        let canonical = Canonical::of(&case.expr, "x").expect(&case.id);
        assert_eq!(canonical.period(), case.period, "{}", case.id);
        assert_eq!(canonical.slope(), case.slope, "{}", case.id);
        assert_eq!(canonical.jumps().iter().filter(|j| **j != 0).count(), case.jumps, "{}", case.id);
        assert_eq!(Ok(&canonical), Canonical::of(&case.expected, "x").as_ref(), "{}", case.id);
        // the rules of `Period` may find a multiple of the least period
        let period = Period::of(&case.expr, "x").expect(&case.id);
        assert_eq!(quaff::domain::floor_mod(period.length, case.period), 0, "{}", case.id);
        assert_eq!(period.slope(), case.slope, "{}", case.id);
    }
}

#[test]
fn expected_forms_are_equal_in_the_range_and_everywhere() {
    for case in cases() {
        let (lo, hi) = case.range;
        for domain in [Domain::new().with("x", lo..=hi), Domain::new().with("x", ..)] {
            let verdict = exact(&case.expr, &case.expected, &domain).verdict;
            assert_eq!(verdict, Verdict::Equal, "{}", case.id);
        }
    }
}

/// Checks that the procedure finds a difference. The test itself evaluates both expressions at the reported point.
fn assert_differs(case: &Case, other: &Expr, domain: &Domain) {
    let Verdict::Differs { witness } = exact(&case.expr, other, domain).verdict else {
        panic!("{}: {} is equal to {other}", case.id, case.expr);
    };
    let x = witness.get("x").expect("x has a value");
    let (a, b) = (case.expr.eval(|_| Some(x)), other.eval(|_| Some(x)));
    assert_eq!((Ok(witness.first()), witness.second().map_err(Into::into)), (a.clone(), b.clone()), "{}", case.id);
    assert_ne!(a, b, "{} at {x}", case.id);
}

#[test]
fn perturbed_forms_differ() {
    for (i, case) in cases().iter().enumerate() {
        let (lo, hi) = case.range;
        let length = case.period as i64;
        let residue = quaff::domain::floor_mod(i as i128 * 7, case.period) as i64;
        let at_residue = (var("x") % int(length)).equals(int(residue));
        let others = [
            &case.expected + &at_residue,
            &case.expected - at_residue,
            &case.expected + 1,
            // another slope, for which the values agree on almost all of the range
            &case.expected + var("x"),
            &case.expected + var("x") / int(2000),
            &case.expected + var("x").equals(int(hi)),
            &case.expected + var("x").lt(int(lo + 1)),
            &case.expected * 2 + 1,
        ];
        for other in others {
            if Canonical::of(&other, "x").is_ok_and(|c| Canonical::of(&case.expr, "x") == Ok(c)) {
                continue; // 2*f + 1 = f for f = -1
            }
            for domain in [Domain::new().with("x", lo..=hi), Domain::new().with("x", ..)] {
                assert_differs(case, &other, &domain);
            }
        }
    }
}

#[test]
fn equal_on_the_range_but_not_everywhere() {
    for case in cases() {
        let (lo, hi) = case.range;
        // the added term is 0 in the range, and 1 above its end
        let other = &case.expected + var("x").gt(int(hi));
        let verdict = exact(&case.expr, &other, &Domain::new().with("x", lo..=hi)).verdict;
        assert_eq!(verdict, Verdict::Equal, "{}", case.id);
        assert_differs(&case, &other, &Domain::new().with("x", lo..=hi + 1));
    }
}
