//! Expressions of kernels with sizes that are known only at run time, and the questions that compilers ask about them.
//!
//! `tests/data/sizes.jsonl` has the expressions, and `tests/golden/sizes.txt` has their costs and answers. The tests
//! also compare the values of input and answer: at points of the ranges, and by the decision procedure if it applies.

use crate::golden;
use quaff::domain::{Domain, Points};
use quaff::expr::{Expr, Program};
use quaff::quasi::{Options, Verdict, decide};
use quaff::{Simplified, Simplifier, SimplifyError};
use quaff_lab::experiment::Line;
use std::fmt::Write;
use std::path::Path;

const POINTS: usize = 192;

/// The lines of the corpus: name, expression and domain.
fn corpus() -> Vec<(String, Expr, Domain)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sizes.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus can be read");
    let question = |line: &str| {
        let line = Line::read(line.as_bytes()).unwrap_or_else(|e| panic!("{line}: {e}"));
        let (parsed, domain) = line.question().unwrap_or_else(|e| panic!("{}: {e}", line.id));
        (line.id.get().trim_matches('"').trim_start_matches("sizes/").to_string(), parsed.into_expr(), domain)
    };
    text.lines().map(question).collect()
}

fn answer(expr: &Expr, domain: &Domain) -> Simplified {
    Simplifier::default().simplify(expr, domain).unwrap_or_else(|e| panic!("{expr}: {e}"))
}

fn domain(text: &str) -> Domain {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn answers_with_run_time_sizes_are_right_and_never_costlier() {
    let (mut table, mut compared) = (String::new(), 0);
    for (name, expr, domain) in corpus() {
        let out = answer(&expr, &domain);
        assert!(out.cost() <= out.input_cost(), "{name}: {} -> {}", out.input_cost(), out.cost());
        let names: Vec<&str> = domain.vars().collect();
        let program = Program::new(&[expr.clone(), out.expr().clone()], &names).expect("declared variables");
        for point in Points::new(&domain, 1).expect("a domain").take(POINTS) {
            let values = program.eval(&point.iter().copied().map(i128::from).collect::<Vec<_>>());
            assert_eq!(values[0], values[1], "{name}: {expr} is not {} at {point:?}", out.expr());
            compared += 1;
        }
        let verdict = decide(&expr, out.expr(), &domain, &Options::default()).verdict;
        assert!(!matches!(verdict, Verdict::Differs { .. }), "{name}: {} {verdict:?}", out.expr());
        let (before, after) = (out.input_cost(), out.cost());
        writeln!(table, "{name}: {before} -> {after}\n  {expr}\n  {}", out.expr()).expect("a string");
    }
    assert!(compared > 20_000, "the ranges leave points: {compared}");
    golden::check("sizes.txt", &table);
}

#[test]
fn divisors_are_proved_positive_by_what_is_known() {
    let proved = [
        ("mm=1..128, nn=1..128, pid=0..mm*nn-1", "pid%(mm - pid//(8*nn)*8)"),
        ("q=1..128, k=1..64, h=0..127, assume q % k == 0", "h//(q//k)"),
        ("n=1..4096, t=1..n, x=0..99", "x//(n//t)"),
        ("n=1..65536, b=0..(n + 127)//128 - 1, x=0..99", "x//(n - b*128)"),
        ("n=0..64, x=0..99", "where(n > 0, x//max(n, 1), 0)"),
        ("a=0..64, b=0..64, x=0..99, assume a < b", "x//(b - a)"),
    ];
    for (known, text) in proved {
        let expr: Expr = text.parse().expect("an expression");
        assert!(Simplifier::default().simplify(&expr, &domain(known)).is_ok(), "{text} where {known}");
    }
    let open = [
        ("mm=1..128, nn=1..128, pid=0..mm*nn", "pid%(mm - pid//(8*nn)*8)"),
        ("q=1..128, k=1..64, h=0..127", "h//(q//k)"),
        ("n=1..65536, b=0..(n + 127)//128, x=0..99", "x//(n - b*128)"),
        ("n=0..64, x=0..99", "x//n"),
    ];
    for (known, text) in open {
        let expr: Expr = text.parse().expect("an expression");
        assert!(Simplifier::default().simplify(&expr, &domain(known)).is_err(), "{text} where {known}");
        let vouched = domain(&format!("{known}, defined"));
        let out = Simplifier::default().simplify(&expr, &vouched).unwrap_or_else(|e| panic!("{text}: {e}"));
        let names: Vec<&str> = vouched.vars().collect();
        let program = Program::new(&[expr.clone(), out.expr().clone()], &names).expect("declared variables");
        for point in Points::new(&vouched, 1).expect("a domain").take(POINTS) {
            let values = program.eval(&point.iter().copied().map(i128::from).collect::<Vec<_>>());
            assert!(values[0].is_err() || values[0] == values[1], "{text} is not {} at {point:?}", out.expr());
        }
    }
}

#[test]
fn a_divisor_is_proved_by_the_condition_that_it_is_used_under() {
    let proved = [
        ("where(n > 0, x//n, 0)", "where(n >= 1, x//max(n, 1), 0)"),
        ("where(n == 0, 0, x//n)", "where(n == 0, 0, x//max(n, 1))"),
        ("where(n > 0 and x//n < 3, x, 0)", "where(x < n*3, x, 0)"),
        ("n == 0 or x//n > 3", "x >= n*4"),
        ("where(s < 0, x//s, where(s > 0, x%s, x))", "where(s < 0, x//min(s, -1), where(s >= 1, x%max(s, 1), x))"),
        ("where(n > 200, x//n, x)", "x"),
    ];
    let known = domain("n=0..100, s=-9..9, x=0..1000");
    let names: Vec<&str> = known.vars().collect();
    for (text, wanted) in proved {
        let expr: Expr = text.parse().expect("an expression");
        let out = answer(&expr, &known);
        assert_eq!(out.expr().to_string(), wanted, "{text}");
        assert!(out.cuda().is_ok(), "{text}");
        let program = Program::new(&[expr, out.expr().clone()], &names).expect("declared variables");
        for point in Points::new(&known, 1).expect("a domain").take(POINTS) {
            let values = program.eval(&point.iter().copied().map(i128::from).collect::<Vec<_>>());
            assert_eq!(values[0], values[1], "{text} is not {} at {point:?}", out.expr());
        }
    }
    // the wrong branch, a condition that leaves 0, a use outside, too many divisions to look at
    let many = (0..200).map(|i| format!("where(n > {i}, x//n, 0)")).collect::<Vec<_>>().join(" + ");
    for text in
        ["where(n < 5, x//n, x)", "where(n >= 0, x//n, x)", "where(n > 0, x//n, 0) + x//n", "x//n > 3 or n == 0", &many]
    {
        let expr: Expr = text.parse().expect("an expression");
        let refused = Simplifier::default().simplify(&expr, &known);
        assert!(matches!(refused, Err(SimplifyError::DivisorMayBeZero { .. })), "{text}: {refused:?}");
    }
}

#[test]
fn a_product_that_is_a_factor_of_itself_is_no_endless_proof() {
    let expr: Expr = "(((m + 1)*(n*m)%(m*8) + m)//8 - i)%(m*m)".parse().expect("an expression");
    let known = domain("m=1..40000, n=0..40000 step 8, i=0..m*n-1");
    let out = answer(&expr, &known);
    assert!(out.cost() <= out.input_cost());
}

#[test]
fn a_vouched_division_in_a_branch_says_nothing_of_the_other_one() {
    let expr: Expr = "where(n > 0, x//n*n + x%n, n + 7)".parse().expect("an expression");
    let vouched = domain("n=0..64, x=0..99, defined");
    let out = answer(&expr, &vouched);
    for (n, x) in [(0, 0), (0, 99), (1, 5), (64, 99)] {
        let program = Program::new(&[expr.clone(), out.expr().clone()], &["n", "x"]).expect("declared variables");
        let values = program.eval(&[n, x]);
        assert!(values[0].is_err() || values[0] == values[1], "{} at n = {n}, x = {x}", out.expr());
    }
}

#[test]
fn questions_are_answered_by_the_same_facts() {
    let known = domain("m=1..64, n=1..64, pid=0..m*n-1, ld=8..8192, r=0..99, assume ld % 8 == 0");
    let s = Simplifier::default();
    let e = |text: &str| text.parse::<Expr>().expect("an expression");
    assert_eq!(s.facts(&known).bounds(&e("pid//n")).expect("a range").bounded(), Some((0, 63)));
    assert_eq!(s.facts(&known).bounds(&e("pid//n*n")).expect("a range").hi(), Some(4032));
    assert!(s.facts(&known).is_multiple_of(&e("r*ld + 16"), 8).expect("an answer"));
    assert!(!s.facts(&known).is_multiple_of(&e("r*ld + 4"), 8).expect("an answer"));
    assert!(s.facts(&known).is_multiple_of(&e("r - r"), 0).expect("an answer"));
    for (text, truth) in [("pid//n < m", Some(true)), ("pid//n >= m", Some(false)), ("pid < n", None)] {
        assert_eq!(s.facts(&known).prove(&e(text)).expect("an answer"), truth, "{text}");
    }
    assert_eq!(s.facts(&known).equal(&e("pid//n*n + pid%n"), &e("pid")).expect("an answer"), Some(true));
    assert_eq!(s.facts(&known).equal(&e("pid"), &e("pid + n")).expect("an answer"), Some(false));
    assert_eq!(s.facts(&known).equal(&e("pid%m"), &e("pid%n")).expect("an answer"), None);
    assert!(s.facts(&known).prove(&e("pid//r == 0")).is_err(), "r may be 0");
}

#[test]
fn what_depends_on_a_loop_is_priced_as_often_as_it_is_computed() {
    let e: Expr = "(t + it*bd)//32".parse().expect("an expression");
    let known = "bd=32..1024, it=0..63, t=0..bd-1, assume bd % 32 == 0, loop it";
    let out = answer(&e, &domain(known));
    assert_eq!(out.expr().to_string(), "it*(bd//32) + t//32", "one product and one sum in the loop");
}
