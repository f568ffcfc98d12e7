//! Questions to `Facts`, declarations that state an equality, and divisors whose form shows that they are not 0.

use proptest::prelude::*;
use quaff::domain::{Domain, DomainError};
use quaff::expr::{Expr, select, var};
use quaff::{Simplifier, SimplifyError};

fn domain(text: &str) -> Domain {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn parsed(text: &str) -> Expr {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn answer(expr: &str, vars: &str) -> String {
    let out = Simplifier::default().simplify(&parsed(expr), &domain(vars)).unwrap_or_else(|e| panic!("{expr}: {e}"));
    assert!(out.cost() <= out.input_cost(), "{expr}");
    out.expr().to_string()
}

#[test]
fn a_range_of_one_expression_is_an_equality() {
    for (expr, vars, wanted) in [
        ("y//4", "x=0..99, y=4*x + 1", "x"),
        ("y//4", "y=4*x + 1, x=0..99", "x"),
        ("y//4", "x=0..99, y=4*x + 1..4*x + 1", "x"),
        ("y//4", "x=.., y=4*x + 1", "x"),
        ("y - 4*x", "x=0..99, y=4*x + 1", "1"),
        ("y%4", "x=0..99, y=4*x + 1", "1"),
        // the same variable also has another range
        ("y//4", "n=0..999, x=0..99, y=4*x + 1, y=0..n", "x"),
        // the expression in the equality contains a variable with an equality
        ("z//8", "x=0..99, y=2*x + 1, z=4*y", "x"),
        ("x//7*2", "x=0..99, y=x//7", "y*2"),
        ("min(y, x)", "x=0..99, y=x", "x"),
        ("where(x < 8, y//32, 0)", "x=0..99, y=4*x + 1", "0"),
    ] {
        assert_eq!(answer(expr, vars), wanted, "{expr} in {vars}");
    }
    let (simplifier, vars) = (Simplifier::default(), domain("x=0..99, y=4*x + 1"));
    assert_eq!(simplifier.facts(&vars).prove(&parsed("y == 4*x + 1")).expect("answered"), Some(true));
    assert_eq!(simplifier.facts(&vars).prove(&parsed("y%4 == 2")).expect("answered"), Some(false));
    assert_eq!(simplifier.facts(&vars).equal(&parsed("y//4"), &parsed("x")).expect("answered"), Some(true));
    let congruence = simplifier.facts(&vars).congruence(&parsed("y")).expect("declared");
    assert_eq!((congruence.residue(), congruence.modulus()), (1, 4));
    assert_eq!(simplifier.facts(&vars).bounds(&parsed("y - x")).expect("declared").to_string(), "1..298");
}

#[test]
fn sides_that_names_order_are_not_equal() {
    let vars = domain("n=1..6, o=0..9, t=0..n-1, u=0..3, assume n <= o");
    let mut facts = Simplifier::default().facts(&vars);
    let mut proved = |text: &str| facts.prove(&parsed(text)).expect(text);
    assert_eq!([proved("o + u != t"), proved("t == o + u")], [Some(true), Some(false)]);
    assert_eq!([proved("o != t + 1"), proved("o + u == n")], [None, None]);
}

#[test]
fn an_equality_that_never_holds_is_refused() {
    let vars = domain("x=0..99, y=4*x + 1, y=0..999 step 4");
    let refused = Simplifier::default().simplify(&parsed("y + x"), &vars).expect_err("no point");
    let SimplifyError::Domain(DomainError::NeverHolds { conditions }) = &refused else { panic!("{refused}") };
    assert_eq!(conditions, "y == 4*x + 1");
}

/// A small expression over `x` and `y`.
fn small_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![Just(var("x")), Just(var("y")), (-9i64..10).prop_map(Expr::from)];
    leaf.prop_recursive(3, 10, 2, |inner| {
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            two().prop_map(|(a, b)| a + b),
            two().prop_map(|(a, b)| a - b),
            two().prop_map(|(a, b)| a.min(b)),
            (inner.clone(), -5i64..6).prop_map(|(a, c)| a * c),
            (inner.clone(), 1i64..9).prop_map(|(a, c)| a.floor_div(c)),
            (inner.clone(), 1i64..9).prop_map(|(a, c)| a.floor_mod(c)),
            (two(), inner).prop_map(|((a, b), c)| select(a.lt(b), c, 3)),
        ]
    })
}

proptest! {
    #[test]
    fn equalities_keep_values(e in small_expr(), (factor, plus, divisor) in (-6i64..7, -9i64..10, 1i64..6), low in -20i64..20) {
        let value = (var("x") * factor + plus).floor_div(divisor);
        let domain = Domain::new().with("x", low..=low + 30).with("y", (value.clone(), value.clone()));
        let simplifier = Simplifier::default();
        let out = simplifier.simplify(&e, &domain).expect("has points");
        prop_assert!(out.cost() <= out.input_cost(), "{e} -> {}", out.expr());
        let bounds = simplifier.facts(&domain).bounds(&e).expect("has points");
        for x in low..=low + 30 {
            let y = value.eval(|_| Some(x)).expect("defined") as i64;
            let at = |e: &Expr| e.eval(|n| Some(if n == "x" { x } else { y })).expect("defined");
            prop_assert_eq!(at(&e), at(out.expr()), "{} -> {} at x = {}, y = {}", e, out.expr(), x, y);
            prop_assert!(bounds.contains(at(&e) as i64), "{} in {}", e, bounds);
        }
    }
}

proptest! {
    /// The answers of a `Facts` object are right, whatever questions it answered before.
    #[test]
    fn facts_that_are_kept_stay_right(asked in prop::collection::vec((small_expr(), small_expr(), 1i64..7), 1..12)) {
        let domain = domain("x=0..11, y=-3..8");
        let mut facts = Simplifier::default().facts(&domain);
        for (a, b, n) in &asked {
            let (less, equal) = (facts.prove(&a.lt(b)).expect("points"), facts.equal(a, b).expect("points"));
            let (multiple, bounds) = (facts.is_multiple_of(a, *n).expect("points"), facts.bounds(b).expect("points"));
            for (x, y) in (0..12).flat_map(|x| (-3..9).map(move |y| (x, y))) {
                let at = |e: &Expr| e.eval(|name| Some(if name == "x" { x } else { y })).expect("defined");
                let (u, v) = (at(a), at(b));
                prop_assert!(less.is_none_or(|less| less == (u < v)), "{} < {} at x = {}, y = {}", a, b, x, y);
                prop_assert!(equal.is_none_or(|equal| equal == (u == v)), "{} == {} at x = {}, y = {}", a, b, x, y);
                prop_assert!(!multiple || u.rem_euclid(i128::from(*n)) == 0, "{} by {} at x = {}, y = {}", a, n, x, y);
                prop_assert!(bounds.contains(v as i64), "{} in {} at x = {}, y = {}", b, bounds, x, y);
            }
        }
    }
}

/// An assumption that one expression divides by no 0 does not affect other expressions.
#[test]
fn a_division_says_nothing_of_other_questions() {
    let vars = domain("n=0..9, x=0..99").defined();
    let mut facts = Simplifier::default().facts(&vars);
    assert_eq!(facts.prove(&parsed("x//n <= x")).expect("vouched for"), Some(true));
    assert_eq!(facts.prove(&parsed("n >= 1")).expect("points"), None);
    assert_eq!(facts.bounds(&parsed("n")).expect("points").to_string(), "0..9");
}

/// An e-graph counts its work until a limit. A `Facts` object must still answer after many questions.
#[test]
fn facts_do_not_wear_out() {
    let mut facts = Simplifier::default().facts(&domain("m=1..64, n=1..64, pid=0..m*n-1, i=0..63"));
    for k in 0..400 {
        let holds = parsed(&format!("pid//n + i%{} < m + {}", k % 60 + 1, k % 60));
        assert_eq!(facts.prove(&holds).expect("points"), Some(true), "{holds}");
    }
}

#[test]
fn questions_accept_divisions_that_conditions_guard() {
    let simplifier = Simplifier::default();
    for (expr, vars, range) in [
        ("where(i > 0, 8//i, 0)", "i=0..7", "0..8"),
        ("i and 8//i", "i=0..7", "0..1"),
        ("where(n != 0, x//n, 0)", "n=0..9, x=0..99", "0..99"),
        ("where(n < 0, 12//n, 0)", "n=-4..4", "-12..0"),
    ] {
        let (e, vars) = (parsed(expr), domain(vars));
        simplifier.simplify(&e, &vars).unwrap_or_else(|e| panic!("{expr}: {e}"));
        assert_eq!(simplifier.facts(&vars).bounds(&e).expect(expr).to_string(), range, "{expr}");
        simplifier.facts(&vars).congruence(&e).expect(expr);
        assert!(simplifier.facts(&vars).is_multiple_of(&(&e * 6), 3).expect("answered"), "{expr}");
        assert_eq!(simplifier.facts(&vars).equal(&e, &(&e + 1)).expect("answered"), Some(false), "{expr}");
        assert_eq!(simplifier.facts(&vars).prove(&(&e * &e).ge(0)).expect("answered"), Some(true), "{expr}");
    }
    let (both, vars) = (["where(i > 0, 8//i, 0)", "where(i >= 1, 8//max(i, 1), 0)"].map(parsed), domain("i=0..7"));
    assert_eq!(simplifier.facts(&vars).equal(&both[0], &both[1]).expect("answered"), Some(true));
    // no condition guards these divisions
    for expr in ["8//i", "where(i < 3, 8//i, 0)"] {
        let refused = simplifier.facts(&vars).bounds(&parsed(expr)).expect_err(expr);
        assert!(matches!(refused, SimplifyError::DivisorMayBeZero { .. }), "{refused}");
        assert!(
            simplifier.facts(&vars).prove(&parsed(expr)).is_err()
                && simplifier.facts(&vars).equal(&parsed(expr), &both[0]).is_err()
        );
    }
}

#[test]
fn a_product_of_factors_that_are_not_0_is_not_0() {
    for (expr, vars) in [
        ("x//((v%3 + 1)*(1 - v))", "x=0..99, v=..-3"),
        ("x%((v%3 + 1)*(1 - v))", "x=0..99, v=..-3"),
        ("x//(-((v%3 + 1)*(1 - v)))", "x=0..99, v=..-3"),
        // factors whose sign is unknown
        ("x//((2*v + 1)*(2*w - 1))", "x=0..99, v=-9..9, w=-9..9"),
        // a product that the normal form multiplies out
        ("x//((min(v, 3) - 4)*(2*w + 1))", "x=0..99, v=-9..9, w=-9..9"),
        ("x//-((max(w, -3) + 4)*(max(w, -3) + 4))", "x=0..99, w=-9..9"),
        // both branches lose a common term in the normal form
        ("x//-where(v < w, v%3 + 1, v%2 + 1)", "x=0..99, v=-9..9, w=-9..9"),
        ("x//where(v < 3, v%2 + 1, (2*w + 1)*(2*v - 1))", "x=0..99, v=-9..9, w=-9..9"),
    ] {
        let out = answer(expr, vars);
        answer(&out, vars);
    }
    for expr in ["x//(v*(v + 5))", "x//((v%3)*(1 - v))", "x//where(v < 3, 2, v - 3)"] {
        let refused = Simplifier::default().simplify(&parsed(expr), &domain("x=0..99, v=-9..9")).expect_err(expr);
        assert!(matches!(refused, SimplifyError::DivisorMayBeZero { .. }), "{refused}");
    }
}

/// Expressions that are never 0.
fn divisor() -> impl Strategy<Value = Expr> {
    let factor = prop_oneof![
        (1i64..5, 1i64..4).prop_map(|(m, c)| var("v").floor_mod(m) + c),
        (4i64..9).prop_map(|c| Expr::from(c) - var("v").min(3)),
        (-3i64..4).prop_map(|c| var("w") * 2 + (2 * c + 1)),
        (4i64..9).prop_map(|c| var("w").max(-3) + c),
        (1i64..9).prop_map(Expr::from),
        (1i64..9).prop_map(|c| Expr::from(-c)),
    ];
    factor.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a * b),
            inner.clone().prop_map(|a| -a),
            (inner.clone(), inner).prop_map(|(a, b)| select(var("v").lt(var("w")), a, b)),
        ]
    })
}

proptest! {
    #[test]
    fn answers_are_read_back(d in divisor(), e in divisor(), plus in -3i64..4, is_mod in any::<bool>()) {
        let x = (var("x") + plus).floor_div(d);
        let asked = if is_mod { x.floor_mod(e) } else { x.floor_div(e) };
        let domain = Domain::new().with("x", -40..=40).with("v", -6..=6).with("w", -6..=6);
        let simplifier = Simplifier::default();
        let out = simplifier.simplify(&asked, &domain).expect("no divisor is 0");
        let again = simplifier.simplify(out.expr(), &domain);
        prop_assert!(again.is_ok(), "{} -> {}: {:?}", asked, out.expr(), again.err());
        for (x, v, w) in [(-40, -6, 5), (17, 3, -6), (40, 6, 6), (-1, 0, 0), (5, -3, 2), (33, 2, -1)] {
            let at = |e: &Expr| e.eval(|n| Some(match n { "x" => x, "v" => v, _ => w }));
            prop_assert_eq!(at(&asked), at(out.expr()), "{} -> {}", asked, out.expr());
        }
    }
}
