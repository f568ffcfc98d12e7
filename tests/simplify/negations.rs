//! Chains of negations and comparisons with 0 and 1, such as `not (x < 5) != 0`. The answer has no trace of the chain.

use crate::samples::{Case, grid};
use quaff::Simplifier;
use quaff::expr::{Expr, int};

/// A function that wraps a condition or a number into another condition.
type Wrap = fn(Expr) -> Expr;

const WRAPS: &[(&str, Wrap)] = &[
    ("not", |e| e.not()),
    ("== 0", |e| e.equals(int(0))),
    ("!= 0", |e| e.differs(int(0))),
    ("== 1", |e| e.equals(int(1))),
    ("< 1", |e| e.lt(int(1))),
    (">= 1", |e| e.ge(int(1))),
    ("0 ==", |e| int(0).equals(e)),
];

/// The innermost expressions, with the largest number of nodes that the answer to any chain on them may have.
const BASES: &[(&str, usize)] =
    &[("x", 4), ("x < 3", 4), ("x == 3", 4), ("b", 4), ("x < 3 and y < 2", 8), ("x + y", 6), ("x and y", 9)];

fn case(expr: Expr) -> Case {
    let vars = vec![("x".into(), (0, 5)), ("y".into(), (0, 4)), ("b".into(), (0, 1))];
    Case { id: String::new(), expr, vars }
}

#[test]
fn chains_collapse() {
    let mut count = 0;
    for (base, most) in BASES {
        let mut chains: Vec<Expr> = vec![base.parse().expect(base)];
        for _ in 0..3 {
            chains = chains.iter().flat_map(|e| WRAPS.iter().map(|w| w.1(e.clone()))).collect();
            for expr in &chains {
                let case = case(expr.clone());
                let out = Simplifier::default().simplify(expr, &case.domain()).expect("answered");
                let size = out.expr().tree_size();
                assert!(size <= *most as u64, "{expr} became {}", out.expr());
                assert!(out.cost() <= out.input_cost(), "{expr} became {}", out.expr());
                let difference = case.difference(out.expr(), &grid(&[(0, 5), (0, 4), (0, 1)], 100));
                assert!(difference.is_none(), "{expr} became {}: {difference:?}", out.expr());
                count += 1;
            }
        }
    }
    assert_eq!(count, BASES.len() * (7 + 49 + 343));
}

#[test]
fn negations_of_negations_are_one_or_none() {
    let answer = |text: &str| {
        let expr: Expr = text.parse().expect(text);
        Simplifier::default().simplify(&expr, &case(int(0)).domain()).expect(text).expr().to_string()
    };
    for (text, expected) in [
        ("not not not x", "not x"),
        ("not not x", "x != 0"),
        ("not x", "not x"),
        ("x == 0", "x == 0"),
        ("not not not b", "not b"),
        ("not not b", "b"),
        ("not not not (x < 3)", "x >= 3"),
        ("not not (x + y)", "x + y != 0"),
        ("(x and y) != 0", "y != 0 and x != 0"),
    ] {
        assert_eq!(answer(text), expected, "{text}");
    }
}

#[test]
fn a_thousand_negations_are_answered_by_a_short_text() {
    for (inner, even, odd) in
        [("x", "return x != 0;", "return !(x != 0);"), ("x < 3", "return x < 3;", "return x >= 3;")]
    {
        for (count, expected) in [(1000, even), (1001, odd)] {
            let text = format!("{}{inner}{}", "not (".repeat(count), ")".repeat(count));
            let expr: Expr = text.parse().expect("valid");
            let out = Simplifier::default().simplify(&expr, &case(int(0)).domain()).expect("answered");
            assert_eq!(out.c().expect("lowers").to_string().trim(), expected, "{count} of {inner}");
        }
    }
}
