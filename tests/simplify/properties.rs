//! Random expressions with all operators. The answer is equal to the input, never costlier, and the same for other
//! names and other orders of operands.

use crate::cost::text_price;
use crate::samples::{Case, renamed, reordered};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Op, int, select, var};
use quaff::lower::{Prices, Target};

const NAMES: [&str; 3] = ["x", "y", "z"];

/// A constant: a usual divisor of index code, an unusual one, or a number at which a sign or a width changes.
fn constant() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => -8_i64..=16,
        4 => prop::sample::select(vec![1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 49, 64, 96, 128, 1000]),
        1 => prop::sample::select(vec![-64, -7, -4, -3, -1, 0, 255, 4095]),
    ]
}

fn positive() -> impl Strategy<Value = i64> {
    prop::sample::select(vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 24, 32, 48, 64, 100, 128, 1000])
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![3 => prop::sample::select(NAMES.to_vec()).prop_map(var), 1 => constant().prop_map(int)]
}

/// An expression: mostly sums, products with constants, and divisions, as in index code. Other operators are rare.
fn expression() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(6, 40, 3, |inner| {
        let pair = || (inner.clone(), inner.clone());
        let plain = prop::sample::select(vec![
            Op::Add,
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Min,
            Op::Max,
            Op::Lt,
            Op::Le,
            Op::Gt,
            Op::Ge,
            Op::Eq,
            Op::Ne,
            Op::And,
            Op::Or,
            Op::BitAnd,
            Op::BitOr,
            Op::BitXor,
        ]);
        prop_oneof![
            6 => pair().prop_map(|(a, b)| a + b),
            2 => pair().prop_map(|(a, b)| a - b),
            5 => (inner.clone(), constant()).prop_map(|(a, c)| a * int(c)),
            6 => (inner.clone(), positive()).prop_map(|(a, c)| a / int(c)),
            6 => (inner.clone(), positive()).prop_map(|(a, c)| a % int(c)),
            1 => (inner.clone(), positive()).prop_map(|(a, c)| a / int(-c)),
            1 => (inner.clone(), positive()).prop_map(|(a, c)| a % int(-c)),
            1 => pair().prop_map(|(a, b)| a / (b.max(int(1)))),
            1 => pair().prop_map(|(a, b)| a % (b.max(int(1)))),
            3 => (plain, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            1 => (inner.clone(), 0..5_i64).prop_map(|(a, c)| a << int(c)),
            1 => (inner.clone(), 0..9_i64).prop_map(|(a, c)| a >> int(c)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, c)| a >> (c & int(7))),
            1 => inner.clone().prop_map(|a| -a),
            1 => inner.clone().prop_map(|a| a.not()),
            2 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

fn range() -> impl Strategy<Value = (i64, i64)> {
    let ordered = |(a, b): (i64, i64)| (a.min(b), a.max(b));
    prop_oneof![
        4 => (0..1000_i64).prop_map(|hi| (0, hi)),
        2 => positive().prop_map(|n| (0, n - 1)),
        2 => (-20..20_i64, -20..20_i64).prop_map(ordered),
        1 => (-1_000_000..1_000_000_i64, -1_000_000..1_000_000_i64).prop_map(ordered),
        1 => (-(1_i64 << 20)..1 << 20, -(1_i64 << 20)..1 << 20).prop_map(ordered),
        1 => (-9..9_i64).prop_map(|c| (c, c)),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    (expression(), [range(), range(), range()]).prop_map(|(expr, ranges)| {
        let vars = NAMES.iter().map(|n| n.to_string()).zip(ranges).collect();
        Case { id: String::new(), expr, vars }
    })
}

/// A comparison that may be assumed about the variables.
fn comparison() -> impl Strategy<Value = Expr> {
    let relation = prop::sample::select(vec![Op::Lt, Op::Le, Op::Eq, Op::Ge]);
    let side = || (leaf(), constant()).prop_map(|(x, c)| x * int(c));
    (relation, side(), leaf()).prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity"))
}

fn described(case: &Case) -> String {
    format!("{} with {:?}", case.expr, case.vars)
}

/// 2,000 cases with a fixed seed. With `PROPTEST_CASES`, that many random cases are tried instead.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases: 2_000, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn answers_are_equal_and_never_costlier(case in case()) {
        let out = match Simplifier::default().simplify(&case.expr, &case.domain()) {
            Ok(out) => out,
            Err(e) => return Err(TestCaseError::fail(format!("{}: {e}", described(&case)))),
        };
        prop_assert!(out.cost() <= out.input_cost(), "{}: {} -> {}", described(&case), out.input_cost(), out.cost());
        let difference = case.difference(out.expr(), &case.points(8, 60));
        prop_assert!(difference.is_none(), "{}\nanswer {}\n{difference:?}", described(&case), out.expr());
    }

    /// The cost that extraction reports is the price of the answer's text, for every machine.
    #[test]
    fn the_cost_of_an_answer_is_the_price_of_its_text(case in case()) {
        for prices in [Prices::NVIDIA, Prices::AMPERE, Prices { signed_mulhi: 60, number: 9, two_values: 7, ..Prices::NVIDIA }] {
            let simplifier = Simplifier::default().for_target(Target { prices, ..Target::PLAIN });
            let Ok(out) = simplifier.simplify(&case.expr, &case.domain()) else { continue };
            let of_text = text_price(&out, &prices);
            prop_assert!(out.cost() == of_text, "{} -> {} for {}, its text {of_text}", described(&case), out.expr(), out.cost());
        }
    }

    #[test]
    fn answers_in_loops_cost_no_more_than_the_input(case in case(), kinds in [0..4u8, 0..4, 0..4], condition in comparison()) {
        let of_kind = |domain: Domain, (name, kind): (&str, u8)| match kind {
            0 => domain.loop_variable(name),
            1 => domain.unrolled(name),
            2 => domain.launch_invariant(name),
            _ => domain,
        };
        let domain = NAMES.into_iter().zip(kinds).fold(case.domain(), of_kind);
        for domain in [domain.clone(), domain.assume(condition.clone())] {
            // the simplifier refuses a condition that never holds
            let Ok(out) = Simplifier::default().simplify(&case.expr, &domain) else { continue };
            let costs = (out.cost(), out.input_cost());
            prop_assert!(costs.0 <= costs.1, "{costs:?} {} in {domain} -> {}", case.expr, out.expr());
        }
    }

    #[test]
    fn names_do_not_matter(case in case()) {
        let other = |name: &str| format!("v{}", (b'z' - name.as_bytes()[0]));
        let vars = case.vars.iter().map(|(n, r)| (other(n), *r)).collect();
        let twin = Case { id: String::new(), expr: renamed(&case.expr, other), vars };
        let simplifier = Simplifier::default();
        match (simplifier.simplify(&case.expr, &case.domain()), simplifier.simplify(&twin.expr, &twin.domain())) {
            (Ok(a), Ok(b)) => prop_assert_eq!(renamed(a.expr(), other).to_string(), b.expr().to_string()),
            (Err(_), Err(_)) => {}
            (a, b) => prop_assert!(false, "{}: {:?} and {:?}", described(&case), a.err(), b.err()),
        }
    }

    #[test]
    fn the_order_of_terms_does_not_matter(case in case()) {
        let other = reordered(&case.expr, |op| *op == Op::Add);
        let simplifier = Simplifier::default();
        let answers = (simplifier.simplify(&case.expr, &case.domain()), simplifier.simplify(&other, &case.domain()));
        if let (Ok(a), Ok(b)) = answers {
            let difference = case.difference(b.expr(), &case.points(8, 20));
            prop_assert!(difference.is_none(), "{}\n{difference:?}", described(&case));
            // an input, or a part of it, that cannot be improved is returned in its own order of operands
            if *a.expr() != case.expr && *b.expr() != other {
                let alike = [b.expr().to_string(), reordered(b.expr(), |op| *op == Op::Add).to_string()];
                prop_assert!(alike.contains(&a.expr().to_string()), "{}\n{a:?}\n{b:?}", described(&case));
            }
        }
    }

    #[test]
    fn many_roots_at_once_have_the_values_of_single_calls(
        first in case(), second in expression(), third in expression(),
    ) {
        let roots = [first.expr.clone(), second, third];
        let Ok(out) = Simplifier::default().simplify_all(&roots, &first.domain()) else { return Ok(()) };
        prop_assert_eq!(out.exprs().len(), 3);
        prop_assert!(out.cost() <= out.input_cost());
        let points = first.points(8, 30);
        for (root, answer) in roots.iter().zip(out.exprs()) {
            let single = Case { id: String::new(), expr: root.clone(), vars: first.vars.clone() };
            let difference = single.difference(answer, &points);
            prop_assert!(difference.is_none(), "{}\nanswer {answer}\n{difference:?}", described(&single));
        }
    }
}

#[test]
fn one_simplifier_serves_all_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let simplifier = Simplifier::default();
    shared(&simplifier);
    let case = Case {
        id: String::new(),
        expr: "(x*64 + y)//64 + (x*64 + y)%64".parse().expect("valid"),
        vars: vec![("x".into(), (0, 99)), ("y".into(), (0, 63))],
    };
    let texts: Vec<String> = std::thread::scope(|s| {
        let call = || simplifier.simplify(&case.expr, &case.domain()).expect("answered").expr().to_string();
        let threads: Vec<_> = (0..8).map(|_| s.spawn(call)).collect();
        threads.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    assert!(texts.iter().all(|t| t == "x + y"), "{texts:?}");
}
