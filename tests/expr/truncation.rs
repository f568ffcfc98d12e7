//! Division that rounds towards zero, as in C, CUDA and Triton: its answers.

use quaff::Simplifier;
use quaff::domain::{Congruence, Domain, Interval, interval_of};
use quaff::expr::{Dag, Expr, Program, int, var};
use quaff::lower::{Machine, lower};
use quaff::quasi::{Verdict, equivalent};

fn answer(text: &str, domain: &str) -> String {
    let (e, domain): (Expr, Domain) = (text.parse().expect(text), domain.parse().expect(domain));
    let answer = Simplifier::default().simplify(&e, &domain).expect("defined").expr().clone();
    let same = equivalent(&e, &answer, &domain);
    assert!(matches!(same, Verdict::Equal), "{text} and {answer}: {same}");
    answer.to_string()
}

#[test]
fn with_known_signs_it_is_floor_division() {
    let cases = [
        ("truncdiv(x, 8)", "x=0..99", "x//8"),
        ("truncdiv(x, 8)", "x=-99..0", "(x + 7)//8"),
        ("truncdiv(x, -8)", "x=0..99", "-(x//8)"),
        ("truncdiv(x, -8)", "x=-99..0", "-x//8"),
        ("truncmod(x, 7)", "x=0..99", "x%7"),
        ("truncmod(x, -7)", "x=0..99", "x%7"),
        ("truncdiv(x, n)", "x=0..99, n=1..9", "x//n"),
        ("truncdiv(x, n)", "x=-99..0, n=-9..-1", "-x//-n"),
        ("truncdiv(x - y, 4)", "y=0..9, x=y..99", "(x - y)//4"),
    ];
    for (text, domain, expected) in cases {
        assert_eq!(answer(text, domain), expected, "{text}; {domain}");
    }
    // the remainder has the sign of the numerator, for divisors of either sign
    for text in ["truncmod(x, 7)", "truncmod(x, -7)"] {
        assert!(!answer(text, "x=-99..0").contains("trunc"), "{text}");
    }
}

#[test]
fn without_a_sign_it_stays() {
    let cases = [
        ("truncdiv(x, 8)", "x=-99..99", "truncdiv(x, 8)"),
        ("truncdiv(x, -8)", "x=-99..99", "-truncdiv(x, 8)"),
        ("truncmod(x, -8)", "x=-99..99", "truncmod(x, 8)"),
        ("truncdiv(-x, 8) + truncdiv(x, 8)", "x=-99..99", "0"),
        ("truncmod(x, 7) + 7*truncdiv(x, 7)", "x=-99..99", "x"),
        ("truncdiv(truncdiv(x, 4), 5)", "x=-999..999", "truncdiv(x, 20)"),
        ("truncdiv(6*x, 4)", "x=-99..99", "truncdiv(x*3, 2)"),
        ("truncdiv(6*x, 3)", "x=-99..99", "x*2"),
        ("truncdiv(x, 100)", "x=-99..99", "0"),
        ("truncdiv(x, n)", "n=1..9, x=1-n..n-1", "0"),
        ("truncmod(x, 8) == 0", "x=-99..99", "x%8 == 0"),
        ("truncdiv(x, 8) > 2", "x=-99..99", "x >= 24"),
    ];
    for (text, domain, expected) in cases {
        assert_eq!(answer(text, domain), expected, "{text}; {domain}");
    }
}

#[test]
fn conditions_prove_signs() {
    let cases = [
        ("where(x >= 0, truncdiv(x, 8), 5)", "where(x >= 0, x//8, 5)"),
        ("where(x < 0, 5, truncmod(x, 8))", "where(x < 0, 5, x%8)"),
        ("x >= 0 and truncmod(x, 8) == y", "x >= 0 and x%8 == y"),
        ("where(x*4 + y < 0, 1, truncmod(x*4 + y, 4))", "where(x < 0, 1, y)"),
    ];
    for (text, expected) in cases {
        assert_eq!(answer(text, "x=-99..99, y=0..3"), expected, "{text}");
    }
    let assumed = Domain::new().with("x", -99..=99).assume(var("x").ge(0));
    let answer = Simplifier::default().simplify(&var("x").trunc_div(8), &assumed).expect("defined");
    assert_eq!(answer.expr().to_string(), "x//8");
}

#[test]
fn ranges_and_residues() {
    let range = |text: &str, lo, hi| {
        let x = Interval::new(lo, hi).expect("a range");
        interval_of(&text.parse().expect(text), |_| x).bounded().expect("bounded")
    };
    assert_eq!(range("truncdiv(x, 7)", -20, 30), (-2, 4));
    assert_eq!(range("truncdiv(x, -7)", -20, 30), (-4, 2));
    assert_eq!(range("truncdiv(x, 7)", -6, 6), (0, 0));
    assert_eq!(range("truncmod(x, 7)", -20, 30), (-6, 6));
    assert_eq!(range("truncmod(x, 7)", -3, 30), (-3, 6));
    assert_eq!(range("truncmod(x, -7)", -30, -2), (-6, 0));
    let facts = |text: &str| {
        let domain: Domain = "x=-96..96".parse().expect("a domain");
        Simplifier::default().facts(&domain).congruence(&text.parse().expect(text)).expect("defined")
    };
    assert_eq!(facts("truncdiv(x*24, 6)"), Congruence::new(4, 0));
    assert_eq!(facts("truncmod(x*24, 18)"), Congruence::new(6, 0));
    // 9//6 is 1 and -3//6 is 0, so no congruence holds for all values
    assert_eq!(facts("truncdiv(x*12 + 9, 6)"), Congruence::ANY);
}

/// The answer, the instructions and the decision procedure agree for all values of a few variables around 0.
#[test]
fn answers_and_instructions_have_the_values_of_the_question() {
    let (x, y) = (var("x"), var("y"));
    let mut asked: Vec<Expr> = Vec::new();
    for d in [1i64, 2, 3, 4, 7, 8, 12] {
        for d in [int(d), int(-d)] {
            let (q, r) = (x.trunc_div(&d), x.trunc_mod(&d));
            asked.extend([&q + &r, &q * 5 - &r * 2, (&x * 3 - &y).trunc_div(&d), (&y - &x * 6).trunc_mod(&d)]);
            asked.extend([q.trunc_div(2) + r.trunc_mod(3), q.ge(&y) + r.equals(0), q.equals(1) + r.lt(&y)]);
            asked.push(r.equals(&y) + q.le(-1) + q.ge(-1));
            asked.push(quaff::expr::select(x.ge(&y), (&x - &y).trunc_div(&d), (&x - &y).trunc_mod(&d)));
        }
    }
    asked.extend([x.trunc_div(&y * 2 + 9) + x.trunc_mod(&y * 2 + 9), (&x * &y).trunc_div(&y - 9)]);
    let domain = Domain::new().with("x", -30..=31).with("y", -3..=4);
    let facts = domain.resolve().expect("consistent");
    for e in asked {
        let answer = Simplifier::default().simplify(&e, &domain).expect("defined").expr().clone();
        assert!(matches!(equivalent(&e, &answer, &domain), Verdict::Equal), "{e} and {answer}");
        let exprs = [e.clone(), answer];
        let lowered = lower(&Dag::new(&exprs), &facts).expect("narrow");
        let machine = Machine::new(&lowered, &["x", "y"]).expect("its variables");
        let program = Program::new(&exprs, &["x", "y"]).expect("its variables");
        for (x, y) in (-30..=31).flat_map(|x| (-3..=4).map(move |y| (x, y))) {
            let values: Vec<i128> = program.eval(&[x, y]).into_iter().map(|v| v.expect("defined")).collect();
            assert_eq!(values[0], values[1], "{} and {} at {x}, {y}", exprs[0], exprs[1]);
            assert_eq!(machine.run(&[x as i64, y as i64]), Ok(values), "{e} at {x}, {y}");
        }
    }
}
