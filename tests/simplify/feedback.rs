//! Answers as inputs: each printed answer can be read again, and simplifying it again never makes it costlier.

use crate::samples::{Case, load};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{DISPLAY_LIMIT, Expr, Op, int, parse, parse_sexp, select, var};
use quaff::{Simplified, Simplifier};
use std::path::Path;

/// Prints and reads the first expression of `first`, and simplifies it again under `domain`. Returns whether the second
/// answer is cheaper, or the fault that was found.
fn fed_back(first: &Simplified, domain: &Domain) -> Result<bool, String> {
    let text = first.expr().to_infix(DISPLAY_LIMIT).map_err(|e| e.to_string())?;
    let again = parse(&text).map_err(|e| format!("{text}: {e}"))?.into_expr();
    // the text `-1` is read as a constant, even if the answer had the negation of 1
    if again.to_string() != text {
        return Err(format!("{text} reads as {again}"));
    }
    let sexp = first.expr().to_sexp(DISPLAY_LIMIT).map_err(|e| e.to_string())?;
    let same = parse_sexp(&sexp).map_err(|e| format!("{sexp}: {e}"))?.into_expr();
    if same.to_string() != text {
        return Err(format!("{sexp} reads as {same}"));
    }
    let second = Simplifier::default().simplify(&again, domain).map_err(|e| format!("{text} is refused: {e}"))?;
    let (said, fed, cost) = (first.cost(), second.input_cost(), second.cost());
    if cost > fed || cost > said {
        let became = second.expr();
        return Err(format!("{text} was said to cost {said}, costs {fed} as input, and became {became} for {cost}"));
    }
    Ok(cost < said)
}

#[test]
fn answers_of_the_corpora_are_accepted_and_never_become_costlier() {
    let (mut wrong, mut cheaper, mut count) = (Vec::new(), 0, 0);
    for name in ["hard", "inductor_kernels", "quasi_affine", "tinygrad_kernels", "dims_corpus"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).with_extension("jsonl");
        for case in load(&path) {
            let first = Simplifier::default().simplify(&case.expr, &case.domain()).expect("answered");
            count += 1;
            match fed_back(&first, &case.domain()) {
                Ok(is_cheaper) => cheaper += usize::from(is_cheaper),
                Err(e) => wrong.push(format!("{}: {e}", case.id)),
            }
        }
    }
    println!("{count} answers fed back, {cheaper} became cheaper");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Constants as in index code, and constants near the ends of 64 bits.
fn constant() -> impl Strategy<Value = i64> {
    let large = vec![i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 62, -(1 << 62), 3 << 60, 1 << 32, -(1 << 31)];
    prop_oneof![6 => -9_i64..=33, 1 => prop::sample::select(large)]
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![3 => prop::sample::select(NAMES.to_vec()).prop_map(var), 1 => constant().prop_map(int)];
    leaf.prop_recursive(5, 30, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        let some = vec![Op::Min, Op::Max, Op::Lt, Op::Ge, Op::Eq, Op::Ne, Op::And, Op::Or, Op::Mul];
        let divisor = prop_oneof![6 => 1_i64..=33, 1 => -8_i64..=-1, 1 => Just(1_i64 << 62), 1 => Just(i64::MIN)];
        prop_oneof![
            6 => pair.clone().prop_map(|(a, b)| a + b),
            2 => pair.clone().prop_map(|(a, b)| a - b),
            5 => (inner.clone(), constant()).prop_map(|(a, c)| a * int(c)),
            5 => (inner.clone(), divisor.clone()).prop_map(|(a, c)| a / int(c)),
            5 => (inner.clone(), divisor).prop_map(|(a, c)| a % int(c)),
            3 => (prop::sample::select(some), inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            1 => (inner.clone(), 0..70_i64).prop_map(|(a, c)| a << int(c)),
            1 => pair.prop_map(|(a, b)| a >> (b & int(7))),
            1 => inner.clone().prop_map(|a| -a),
            2 => inner.clone().prop_map(|a| a.not()),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

fn range() -> impl Strategy<Value = (i64, i64)> {
    let ordered = |(a, b): (i64, i64)| (a.min(b), a.max(b));
    prop_oneof![
        4 => (0..100_i64).prop_map(|hi| (0, hi)),
        2 => (-20..20_i64, -20..20_i64).prop_map(ordered),
        1 => (0..1_i64 << 40, 0..1_i64 << 62).prop_map(ordered),
        1 => (0..5_i64).prop_map(|c| (c, c)),
    ]
}

/// A random condition. Most of these conditions shorten the range of a variable.
fn assumption() -> impl Strategy<Value = Expr> {
    let name = || prop::sample::select(NAMES.to_vec()).prop_map(var);
    prop_oneof![
        2 => (name(), 0..40_i64).prop_map(|(v, c)| v.le(int(c))),
        1 => (name(), -9..5_i64).prop_map(|(v, c)| v.ge(int(c))),
        1 => (name(), name(), 0..60_i64).prop_map(|(v, w, c)| (v + w).le(int(c))),
    ]
}

/// The number of cases and the seed are fixed. With `PROPTEST_CASES`, that many random cases are tried instead.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 1_500, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_answers_are_accepted_and_never_become_costlier(
        expr in expression(),
        ranges in [range(), range(), range()],
        assumptions in prop::collection::vec(assumption(), 0..3),
    ) {
        let vars: Vec<(String, (i64, i64))> = NAMES.iter().map(|n| n.to_string()).zip(ranges).collect();
        let case = Case { id: String::new(), expr, vars };
        let domain = assumptions.iter().cloned().fold(case.domain(), Domain::assume);
        let told = || format!("{} with {:?} if {:?}", case.expr, case.vars, assumptions);
        // the simplifier refuses only inputs with an invalid shift, or with assumptions that never hold
        let Ok(first) = Simplifier::default().simplify(&case.expr, &domain) else { return Ok(()) };
        prop_assert!(first.cost() <= first.input_cost(), "{}: {first:?} is costlier than {}", told(), first.input_cost());
        if let Err(e) = fed_back(&first, &domain) {
            return Err(TestCaseError::fail(format!("{}:\n{e}", told())));
        }
        if assumptions.is_empty() {
            let difference = case.difference(first.expr(), &case.points(8, 40));
            prop_assert!(difference.is_none(), "{}\nanswer {}\n{difference:?}", told(), first.expr());
        }
    }
}

fn simplified(text: &str, vars: &[&str], assumed: &[&str]) -> Simplified {
    let mut domain = Domain::new();
    vars.iter().for_each(|v| domain.declare(v).expect(v));
    let domain = assumed.iter().fold(domain, |d, c| d.assume(c.parse::<Expr>().expect(c)));
    let out = Simplifier::default().simplify(&text.parse().expect(text), &domain);
    out.unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn what_is_assumed_counts_for_the_input_and_for_the_answer() {
    let out = simplified("y%-4*4", &["y=0..4611686018427387904"], &["y <= 3", "y >= 1"]);
    // the price of a multiply-add on 32 bits
    assert_eq!(out.cost(), Cost::from_tenths(10), "{}", out.expr());
    assert!(out.cost() <= out.input_cost(), "{}", out.input_cost());
}

/// Expressions with sums or constants that exceed 64 bits, and their answers.
const BEYOND: &[(&str, &str)] = &[
    ("3*4611686018427387904", "3*4611686018427387904"),
    ("3 << 62", "3 << 62"),
    ("x*4611686018427387904*2", "x*4611686018427387904*2"),
    ("-(-9223372036854775808)", "--9223372036854775808"),
    ("x*4611686018427387904*4 < 0", "0"),
    // other parts of the expression are still simplified
    ("(3*4611686018427387904)//7 + (x*4 + 3)//4", "x + 3*4611686018427387904//7"),
    ("where(x < 3, (x*4 + 1)//4, x*4611686018427387904*4)", "where(x < 3, x, x*4611686018427387904*4)"),
    // a value exceeds 64 bits only in the middle of the computation, so the answer does not need the large number
    ("x*4611686018427387904*4 - x*4611686018427387904*4 + x", "x"),
];

#[test]
fn parts_beyond_64_bits_stay_as_they_are_written() {
    for (text, expected) in BEYOND {
        let out = simplified(text, &["x=0..9"], &[]);
        assert_eq!(out.expr().to_string(), *expected, "{text}");
        // a value of more than 64 bits has no machine text, and `wide` must not claim that 32 bits suffice
        let wide = expected.contains("4611686018427387904*") || expected.contains("<<") || expected.contains("--");
        if wide {
            assert!(out.cuda().is_err() && !out.wide().is_ok_and(|w| w.is_empty()), "{text}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_part_beyond_64_bits_is_found() {
    let domain = Domain::new().with("x", 0..10);
    for text in ["(y*4611686018427387904)*4 + x", "x*4611686018427387904*4 + 7//x", "x%(x*4611686018427387904*4)"] {
        assert!(Simplifier::default().simplify(&text.parse().expect(text), &domain).is_err(), "{text}");
    }
}

#[test]
fn shift_counts_are_proved_as_divisors_are() {
    for (count, vars) in
        [("y%8", "y=0..99"), ("y%8 + 1", "y=-9..99"), ("y - y//4*3 - 1", "y=1..200"), ("y & 7", "y=0..8")]
    {
        for text in [format!("x >> ({count})"), format!("x << ({count})")] {
            let vars = ["x=0..99", vars];
            let out = simplified(&text, &vars, &[]);
            simplified(&out.expr().to_string(), &vars, &[]);
        }
    }
}
