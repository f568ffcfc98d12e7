//! The decision procedure is compared with brute force, on random expressions over small boxes with all operators.

use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{EvalError, Expr, Op, int, select, var};
use quaff::quasi::{Method, Options, Verdict, Why, decide, enumerate, equivalent};
use std::time::Duration;

fn parse(text: &str) -> Expr {
    text.parse().expect(text)
}

fn options() -> Options {
    Options { smt_timeout: Duration::ZERO, ..Options::default() }
}

/// The number of cases for each property.
const CASES: u32 = 300;

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Quasi-affine expressions of the three variables.
fn affine() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(-9i64..10).prop_map(int), (0..3usize).prop_map(|i| var(NAMES[i]))];
    leaf.prop_recursive(5, 24, 2, |inner| {
        let divisor = prop_oneof![1i64..13, -5i64..0].prop_map(int);
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a - b),
            (inner.clone(), -9i64..10).prop_map(|(a, c)| a * c),
            (inner.clone(), divisor.clone()).prop_map(|(a, c)| a / c),
            (inner, divisor).prop_map(|(a, c)| a % c),
        ]
    })
}

/// Expressions with all operators. Divisions and shifts may be undefined.
fn any() -> impl Strategy<Value = Expr> {
    affine().prop_recursive(4, 40, 3, |inner| {
        let binary = prop::sample::select(vec![
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::FloorDiv,
            Op::FloorMod,
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
            Op::Shl,
            Op::Shr,
            Op::TruncDiv,
            Op::TruncMod,
        ]);
        prop_oneof![
            8 => (binary, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            1 => inner.clone().prop_map(|a| -a),
            1 => inner.clone().prop_map(|a| a.not()),
            2 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

/// Expressions that have a value at all points, with many conditions and selections.
fn total() -> impl Strategy<Value = Expr> {
    affine().prop_recursive(4, 30, 3, |inner| {
        let binary = prop::sample::select(vec![
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Min,
            Op::Max,
            Op::Lt,
            Op::Le,
            Op::Eq,
            Op::Ne,
            Op::And,
            Op::Or,
            Op::BitAnd,
            Op::BitXor,
        ]);
        prop_oneof![
            8 => (binary, inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            2 => (inner.clone(), prop_oneof![1i64..9, -4i64..0]).prop_map(|(a, c)| a / int(c)),
            1 => inner.clone().prop_map(|a| a.not()),
            3 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

/// The inclusive ends of the range of each variable.
fn ranges() -> impl Strategy<Value = Vec<(i64, i64)>> {
    prop::collection::vec((-12i64..8, 0i64..14).prop_map(|(lo, n)| (lo, lo + n)), 3)
}

fn domain(ranges: &[(i64, i64)]) -> Domain {
    let mut domain = Domain::new();
    for (name, (lo, hi)) in NAMES.iter().zip(ranges) {
        domain.add_bounds(*name, *lo..=*hi);
    }
    domain
}

/// The first point at which the expressions differ, by definition. An error if the result depends on a value beyond 128
/// bits.
fn brute_force(a: &Expr, b: &Expr, ranges: &[(i64, i64)]) -> Result<Option<[i64; 3]>, EvalError> {
    let program = quaff::expr::Program::new(&[a.clone(), b.clone()], &NAMES).expect("all known");
    for x in ranges[0].0..=ranges[0].1 {
        for y in ranges[1].0..=ranges[1].1 {
            for z in ranges[2].0..=ranges[2].1 {
                let values = program.eval(&[x.into(), y.into(), z.into()]);
                match (values[0], values[1]) {
                    (Err(EvalError::Overflow), _) | (_, Err(EvalError::Overflow)) => return Err(EvalError::Overflow),
                    (Err(_), _) => {}
                    (a, b) if a == b => {}
                    _ => return Ok(Some([x, y, z])),
                }
            }
        }
    }
    Ok(None)
}

fn check(a: &Expr, b: &Expr, ranges: &[(i64, i64)]) -> Result<(), TestCaseError> {
    let truth = brute_force(a, b, ranges);
    // by default, the procedure enumerates all points of a small box. With the other options, it uses ranges, or it
    // splits ranges into as many cases as possible
    let ranged = Options { ranges_above: 0, samples: 0, ..options() };
    let split = Options { split_above: 0, ..ranged.clone() };
    for verdict in [
        decide(a, b, &domain(ranges), &options()).verdict,
        decide(a, b, &domain(ranges), &ranged).verdict,
        decide(a, b, &domain(ranges), &split).verdict,
        enumerate(a, b, &domain(ranges), &options()).verdict,
    ] {
        match (&truth, verdict) {
            (Ok(None), Verdict::Equal) => {}
            (Ok(Some(_)), Verdict::Differs { witness }) => {
                let at = |e: &Expr| e.eval(|name| witness.get(name).or(Some(ranges[0].0)));
                prop_assert_eq!(at(a).ok(), Some(witness.first()));
                prop_assert_eq!(at(b).ok(), witness.second().ok());
                prop_assert_ne!(Some(witness.first()), witness.second().ok());
                for (name, (lo, hi)) in NAMES.iter().zip(ranges) {
                    prop_assert!(witness.get(name).is_none_or(|v| (*lo..=*hi).contains(&v)));
                }
            }
            (Err(_), _) => {}
            (truth, verdict) => prop_assert!(false, "{truth:?} but {verdict}: {a} and {b} in {ranges:?}"),
        }
    }
    Ok(())
}

/// A changed form of `e`, which is often equal to `e`.
fn disturbed(e: &Expr, how: u8) -> Expr {
    let (x, y) = (&var("x"), &var("y"));
    match how {
        0 => e + 0,
        1 => e + (x - int(12) * (x / int(12)) - x % int(12)),
        2 => e + x.gt(7) * 1,
        3 => select(x.lt(y), e + 1, e + 1) - 1,
        4 => select(x.lt(-3), e + 1, e),
        5 => e * 2 - e,
        6 => e.max(e - (y % int(3))),
        7 => e + (x + 5 * y).equals(17),
        8 => (e * 3 + 2) / int(3),
        9 => e / int(4) * 4 + e % int(4),
        _ => e + y.min(-20) + 20,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn affine_pairs(a in affine(), b in affine(), ranges in ranges()) {
        check(&a, &b, &ranges)?;
    }

    #[test]
    fn affine_with_a_change(a in affine(), how in 0u8..11, ranges in ranges()) {
        check(&a, &disturbed(&a, how), &ranges)?;
        check(&disturbed(&a, how), &a, &ranges)?;
    }

    #[test]
    fn total_pairs(a in total(), b in total(), ranges in ranges()) {
        check(&a, &b, &ranges)?;
    }

    #[test]
    fn total_with_a_change(a in total(), how in 0u8..11, ranges in ranges()) {
        check(&a, &disturbed(&a, how), &ranges)?;
    }

    #[test]
    fn any_with_a_change(a in any(), how in 0u8..11, ranges in ranges()) {
        check(&a, &disturbed(&a, how), &ranges)?;
        check(&disturbed(&a, how), &a, &ranges)?;
    }

    #[test]
    fn any_pairs(a in any(), b in any(), ranges in ranges()) {
        check(&a, &b, &ranges)?;
    }

    #[test]
    fn strides_and_symbolic_bounds(a in affine(), how in 0u8..11, step in 1i64..7, residue in 0i64..7) {
        let b = disturbed(&a, how);
        let domain = Domain::new()
            .with("x", -20..=30)
            .stride("x", step, residue)
            .with("y", 0..=9)
            .with("z", (var("y") - 4, var("y") % int(3)));
        let step_of = |x: i64| quaff::domain::floor_mod((x - residue).into(), step.into()) == 0;
        let mut differs = false;
        for x in (-20..=30).filter(|x| step_of(*x)) {
            for y in 0i64..=9 {
                for z in y - 4..=y.rem_euclid(3) {
                    let at = |e: &Expr| e.eval(|name| Some(match name { "x" => x, "y" => y, _ => z }));
                    differs |= at(&a) != at(&b);
                }
            }
        }
        for above in [1 << 12, 0] {
            let options = Options { ranges_above: above, split_above: above, samples: 0, ..options() };
            match decide(&a, &b, &domain, &options).verdict {
                Verdict::Equal => prop_assert!(!differs, "{} and {}", a, b),
                Verdict::Differs { witness } => {
                    prop_assert!(differs, "{} and {}: {}", a, b, witness);
                    prop_assert!(witness.get("x").is_none_or(step_of));
                    if let (Some(y), Some(z)) = (witness.get("y"), witness.get("z")) {
                        prop_assert!(y - 4 <= z && z <= y.rem_euclid(3));
                    }
                }
                Verdict::Undecided { why } => prop_assert!(false, "{}", why),
            }
        }
    }
}

#[test]
fn large_boxes_are_decided() {
    let domain = Domain::new()
        .with("x", 0..1_i64 << 40)
        .with("y", 0..1 << 30)
        .with("r", 0..=15)
        .with("ld", i64::from(i32::MIN)..=i64::from(i32::MAX));
    let equal = [
        ("(x*64 + y%64)//64", "x"),
        ("x%512 + 512*(x//512%600) + 307200*(x//307200)", "x"),
        ("(16*y + r)//4%4 + x%7", "r//4 + x - x//7*7"),
        ("where(ld < 0, ld + 17, ld)//3 + x", "x + where(ld >= 0, ld//3, (ld + 17)//3)"),
        (
            "where(0 <= where(ld < 0, ld + 17, ld) < 17, ld % 17, -1)",
            "where(ld < -17, -1, where(ld >= 17, -1, ld % 17))",
        ),
        ("min(x, y) + max(x, y)", "x + y"),
        ("max(x, 7) - 7", "where(x < 8, 0, x - 7)"),
        ("x*y%2 + y*x", "x*y + x*y%2"),
        ("(x*y + r)//y*0 + x", "x"),
        ("x < 1000 and y < 500 and r < 3", "not (x >= 1000 or (y >= 500 or r > 2))"),
    ];
    for (a, b) in equal {
        let domain = if a.contains("//y") { domain.clone().with("y", 1..) } else { domain.clone() };
        let decision = decide(&parse(a), &parse(b), &domain, &options());
        assert_eq!((decision.verdict, decision.method), (Verdict::Equal, Method::Exact), "{a} and {b}");
    }
    let different = [
        ("(x*64 + y%65)//64", "x"),
        ("x%512 + 512*(x//512%600) + 307200*(x//307201)", "x"),
        ("where(ld < 0, ld + 17, ld)", "where(ld <= 0, ld + 17, ld)"),
        ("x", "where(x == 1099511627775, 0, x)"),
        ("x//3 + y//5", "x//3 + y//5 + (y == 12345678)"),
        ("max(x, y)", "max(x, y + 1)"),
        ("x*y", "x*y + (x*y == 6)*0 + (x == 77)"),
    ];
    for (a, b) in different {
        let decision = decide(&parse(a), &parse(b), &domain, &options());
        assert!(matches!(decision.verdict, Verdict::Differs { .. }), "{a} and {b}: {}", decision.verdict);
    }
}

#[test]
fn truncating_divisions_are_floor_divisions_of_either_sign() {
    let domain = Domain::new().with("x", -1_000_000_000..=1_000_000_000).with("y", -9..=9).with("n", 1..=5);
    let equal = [
        ("truncdiv(x, 7)", "where(x >= 0, x//7, -(-x//7))"),
        ("truncmod(x, -7)", "x - 7*truncdiv(x, 7)"),
        ("truncdiv(truncdiv(x, 4), 5)", "truncdiv(x, 20)"),
        ("truncdiv(6*x, 4)", "truncdiv(3*x, 2)"),
        ("truncmod(x, 8) == 0", "x%8 == 0"),
        ("truncdiv(y, n)*n + truncmod(y, n)", "y"),
        ("truncdiv(y, n - 6)", "-truncdiv(y, 6 - n)"),
    ];
    for (a, b) in equal {
        let verdict = equivalent(&parse(a), &parse(b), &domain);
        assert_eq!(verdict, Verdict::Equal, "{a} and {b}");
    }
    for (a, b) in [("truncdiv(x, 7)", "x//7"), ("truncmod(x, 8)", "x%8"), ("truncmod(y, n)", "y%n")] {
        let Verdict::Differs { witness } = equivalent(&parse(a), &parse(b), &domain) else { panic!("{a} and {b}") };
        let numerator = if a.contains('x') { "x" } else { "y" };
        assert!(witness.get(numerator).is_some_and(|v| v < 0), "{witness}");
    }
}

#[test]
fn open_ranges_are_decided() {
    let domain = Domain::new().with("x", ..).with("y", 0..).with("n", 1..);
    for (a, b) in [
        ("x//4*4 + x%4", "x"),
        ("x//2//3", "x//6"),
        ("(x + 7*y)//7", "x//7 + y"),
        ("max(x, -x)", "where(x < 0, -x, x)"),
        ("max(y, -1)", "y"),
        ("x//n*n + x%n", "x"),
        ("x & 15", "x%16"),
        ("x >> 3 << 3", "x & -8"),
        ("(x | 7) - 7", "x & -8"),
    ] {
        let decision = decide(&parse(a), &parse(b), &domain, &options());
        assert_eq!((decision.verdict, decision.method), (Verdict::Equal, Method::Exact), "{a} and {b}");
    }
    for (a, b) in [("x//4", "x//3"), ("x", "where(x < 1000000, x, 0)"), ("y//4", "(y + 3)//4"), ("x%6", "x%6%4")] {
        let verdict = equivalent(&parse(a), &parse(b), &domain);
        assert!(matches!(verdict, Verdict::Differs { .. }), "{a} and {b}: {verdict}");
    }
}

#[test]
fn witnesses_have_small_values() {
    for (a, b, vars, values) in [
        ("x%1000 + y", "x + y", "x=0..1000000000; y=-5..5", "x = 1000, y = 0"),
        ("x//4", "where(x < -70, 0, x//4)", "x=..", "x = -71"),
        ("x//4*4", "x", "x=2..1000000 step 4 from 2", "x = 2"),
        ("x", "where(x >= 5001, 7, x)", "x=1..1000000 step 1000 from 1", "x = 5001"),
        ("x*y", "where(x + y < 300, x*y, 0)", "x=1..4096; y=1..4096", "x = 1, y = 299"),
        ("9223372036854775806 - x", "x", "x=-9223372036854775807..", "x = 0"),
    ] {
        let mut domain = Domain::new();
        domain.declare_all(vars).unwrap();
        let verdict = equivalent(&parse(a), &parse(b), &domain);
        let Verdict::Differs { witness } = verdict else { panic!("{a} and {b}: {verdict}") };
        assert!(witness.to_string().starts_with(&format!("{values}: ")), "{a} and {b}: {witness}");
    }
}

#[test]
fn only_the_first_has_to_have_a_value() {
    let domain = Domain::new().with("x", -4..=4).with("n", 0..=4);
    assert_eq!(equivalent(&parse("x//n*n + x%n"), &parse("x"), &domain), Verdict::Equal);
    let verdict = equivalent(&parse("x"), &parse("x//n*n + x%n"), &domain);
    let Verdict::Differs { witness } = verdict else { panic!("{verdict}") };
    assert_eq!((witness.get("n"), witness.second()), (Some(0), Err(EvalError::DivisionByZero)));
    assert!(witness.to_string().ends_with("n = 0: 0 but division by zero"), "{witness}");
    let lazy = "where(n == 0, 0, x//n)";
    assert_eq!(equivalent(&parse(lazy), &parse("where(n > 0, x//n, 0)"), &domain), Verdict::Equal);
    assert_eq!(equivalent(&parse("x << n >> n"), &parse("x"), &domain), Verdict::Equal);
}

#[test]
fn what_cannot_be_decided_says_why() {
    let why = |a: &str, b: &str, domain: &Domain| match decide(&parse(a), &parse(b), domain, &options()).verdict {
        Verdict::Undecided { why } => why,
        other => panic!("{a} and {b}: {other}"),
    };
    let big = Domain::new().with("x", 1..1 << 30).with("y", 1..1 << 30);
    assert!(matches!(why("(x*y + 1) % (x + y) < x + y", "(x*y)//x//y", &big), Why::TooManyPoints { .. }));
    assert!(matches!(why("x", "x", &Domain::new()), Why::Unknown(_)));
    assert!(matches!(why("x", "x", &Domain::new().with("x", (3, 2))), Why::Domain(_)));
    assert!(matches!(why("x ^ y", "(x | y) - (x & y)", &big), Why::TooManyPoints { .. }));
}

#[test]
fn the_answer_does_not_depend_on_threads() {
    let domain = Domain::new().with("x", 0..=2999).with("y", 0..=2999);
    let (a, b) = (parse("(x ^ y)//3"), parse("(x ^ y)//3 + (x*y == 6000000)"));
    let with = |threads: usize| {
        let threads = threads.try_into().expect("not 0");
        enumerate(&a, &b, &domain, &Options { threads, ..options() })
    };
    let (one, four) = (with(1), with(4));
    assert_eq!(one, four);
    // the reported point is the first such point in the order of the domain
    assert_eq!(one.verdict.to_string(), "different at x = 2400, y = 2500: 54 but 55");
}

#[test]
fn values_beyond_64_bits_are_exact() {
    let domain = Domain::new().with("x", -1000..=1000).with("y", 0..=9);
    let equal = [
        ("x*4611686018427387904*8//4611686018427387904", "x*8"),
        ("(x << 70) + y >> 70", "x"),
        ("(x << 70) % 7", "x * 2 % 7"),
        ("(x ^ y) * 4611686018427387904 // 2", "(x ^ y) * 2305843009213693952"),
        ("min(x*9223372036854775807, y) // 9223372036854775807", "min(x, 0)"),
    ];
    for (a, b) in equal {
        let b = parse(b);
        for decision in [decide(&parse(a), &b, &domain, &options()), enumerate(&parse(a), &b, &domain, &options())] {
            assert_eq!(decision.verdict, Verdict::Equal, "{a} and {b}");
        }
        let verdict = decide(&parse(a), &(b + var("x").equals(-7)), &domain, &options()).verdict;
        assert!(matches!(verdict, Verdict::Differs { .. }), "{a}: {verdict}");
    }
    let verdict =
        decide(&parse("x << 126 << y*10"), &parse("x"), &Domain::new().with("x", 1..=3).with("y", 9..=9), &options())
            .verdict;
    assert_eq!(verdict, Verdict::Undecided { why: Why::Overflow });
}

#[test]
fn deep_expressions_need_no_stack() {
    let mut e = var("x");
    for i in 0..20_000 {
        e = if quaff::domain::floor_mod(i, 2) == 0 { e + 1 } else { e - 1 };
    }
    assert_eq!(equivalent(&e, &var("x"), &Domain::new().with("x", ..)), Verdict::Equal);
}
