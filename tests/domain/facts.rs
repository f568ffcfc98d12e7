//! Intervals and congruences, compared with brute force: no operation loses a value.

use proptest::prelude::*;
use quaff::domain::{Congruence, Domain, Interval, floor_div, floor_mod, gcd, interval_of, interval_of_op};
use quaff::expr::{Expr, Op, Program, int, select, var};

/// A small interval, which may have open ends.
fn interval() -> impl Strategy<Value = Interval> {
    let end = -12i64..=12;
    (end.clone(), 0i64..=9, 0..8u8).prop_map(|(lo, width, open)| {
        let lo_or_open = if open & 3 == 3 { i64::MIN } else { lo };
        let hi_or_open = if open & 6 == 6 { i64::MAX } else { lo + width };
        Interval::new(lo_or_open, hi_or_open).expect("not empty")
    })
}

fn samples(i: Interval) -> Vec<i64> {
    let mut all: Vec<i64> = (-45..=45).filter(|v| i.contains(*v)).collect();
    // values far out, which lie in intervals with open ends
    all.extend(
        [-1_000_003, 1_000_003, -(1 << 62), 1 << 62, i64::MAX - 1, i64::MIN + 1].iter().filter(|v| i.contains(**v)),
    );
    all
}

fn congruence() -> impl Strategy<Value = Congruence> {
    (0i64..=12, -20i64..=20).prop_map(|(m, r)| Congruence::new(m, r))
}

fn members(c: Congruence) -> Vec<i64> {
    (-60..=60).filter(|v| c.contains(*v)).collect()
}

fn holds(i: Interval, v: i128) -> bool {
    i.lo().is_none_or(|lo| i128::from(lo) <= v) && i.hi().is_none_or(|hi| v <= i128::from(hi))
}

fn binary_op() -> impl Strategy<Value = Op> {
    use Op::*;
    prop::sample::select(vec![
        Add, Sub, Mul, FloorDiv, FloorMod, Min, Max, Lt, Le, Gt, Ge, Eq, Ne, And, Or, BitAnd, BitOr, BitXor, Shl, Shr,
        TruncDiv, TruncMod,
    ])
}

fn random_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![prop::sample::select(vec!["a", "b", "c"]).prop_map(var), (-9i64..20).prop_map(int)];
    leaf.prop_recursive(5, 24, 3, |inner| {
        prop_oneof![
            8 => (binary_op(), inner.clone(), inner.clone()).prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            1 => inner.clone().prop_map(|a| -a),
            1 => inner.clone().prop_map(|a| a.not()),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_operation_keeps_every_value(op in binary_op(), a in interval(), b in interval()) {
        let range = interval_of_op(&op, &[a, b]);
        let e = Expr::try_new(op.clone(), [var("a"), var("b")]).expect("arity");
        for &x in &samples(a) {
            for &y in &samples(b) {
                if let Ok(v) = e.eval(|name| Some(if name == "a" { x } else { y })) {
                    prop_assert!(holds(range, v), "{op:?} {a:?} {b:?} = {range:?} lacks {x} op {y} = {v}");
                }
            }
        }
    }

    #[test]
    fn unary_operations_keep_every_value(a in interval(), c in any::<i64>()) {
        for &x in &samples(a) {
            prop_assert!(holds(a.scaled(c), i128::from(x) * i128::from(c)));
            prop_assert!(holds(a.complement(), -i128::from(x) - 1));
            prop_assert!(holds(interval_of_op(&Op::Neg, &[a]), -i128::from(x)));
            prop_assert!(holds(interval_of_op(&Op::Not, &[a]), i128::from(x == 0)));
        }
    }

    #[test]
    fn bounded_operands_give_exact_ends(op in binary_op(), a in interval(), b in interval()) {
        use Op::*;
        // for these operators, each end of the resulting interval is the result for some pair of values
        let exact = matches!(op, Add | Sub | Mul | FloorDiv | TruncDiv | Min | Max | Lt | Le | Gt | Ge | Eq | Ne | And | Or | Shl | Shr);
        let shifts = !matches!(op, Shl | Shr) || b.is_nonneg();
        // the ends are also exact if the range of the divisor contains negative and positive numbers
        if exact && shifts && a.bounded().is_some() && b.bounded().is_some() {
            let e = Expr::try_new(op.clone(), [var("a"), var("b")]).expect("arity");
            let mut values = Vec::new();
            for &x in &samples(a) {
                values.extend(samples(b).iter().filter_map(|&y| e.eval(|n| Some(if n == "a" { x } else { y })).ok()));
            }
            let range = interval_of_op(&op, &[a, b]);
            if let (Some(lo), Some(hi)) = (values.iter().min(), values.iter().max()) {
                prop_assert_eq!(range, Interval::from_wide(*lo, *hi), "{:?} {:?} {:?}", op, a, b);
            }
        }
    }

    #[test]
    fn ranges_of_expressions_hold_their_values(
        e in random_expr(), a in interval(), b in interval(), c in interval(), pick in any::<[usize; 3]>(),
    ) {
        let of = |name: &str| match name { "a" => a, "b" => b, _ => c };
        let range = interval_of(&e, of);
        let value = e.eval(|name| {
            let all = samples(of(name));
            let at = pick[usize::from(name.as_bytes()[0] - b'a')];
            all.get(floor_mod(at as i128, all.len() as i128) as usize).copied()
        });
        if let Ok(v) = value {
            prop_assert!(holds(range, v), "{e} in {range:?} is {v}");
        }
    }

    #[test]
    fn meet_and_hull_are_intersection_and_cover(a in interval(), b in interval()) {
        let meet = a.meet(b);
        for v in -45..=45 {
            prop_assert_eq!(meet.is_some_and(|m| m.contains(v)), a.contains(v) && b.contains(v));
            prop_assert!(!(a.contains(v) || b.contains(v)) || a.hull(b).contains(v));
        }
    }

    #[test]
    fn congruence_meet_is_the_chinese_remainder(a in congruence(), b in congruence()) {
        let meet = a.meet(b);
        for v in -200..=200 {
            prop_assert_eq!(meet.is_some_and(|m| m.contains(v)), a.contains(v) && b.contains(v), "{:?} {:?}", a, b);
        }
    }

    #[test]
    fn congruence_operations_keep_every_value(a in congruence(), b in congruence(), c in -12i64..=12) {
        let join = a.join(b);
        for &x in &members(a) {
            prop_assert!(join.contains(x));
            prop_assert!(a.scaled(c).contains(c * x));
            if c > 0 {
                prop_assert!(a.floor_div(c).contains(floor_div(i128::from(x), i128::from(c)) as i64));
                if let Some(r) = a.residue_mod(c) {
                    prop_assert_eq!(i128::from(r), floor_mod(i128::from(x), i128::from(c)));
                }
            }
            for &y in &members(b) {
                prop_assert!(a.plus(b).contains(x + y));
                prop_assert!(a.times(b).contains(x * y));
            }
        }
        for &y in &members(b) {
            prop_assert!(join.contains(y));
        }
    }

    #[test]
    fn tighten_moves_ends_to_the_next_value(c in congruence(), i in interval()) {
        let tight = c.tighten(i);
        for v in -45..=45 {
            if c.contains(v) && i.contains(v) {
                prop_assert!(tight.is_some_and(|t| t.contains(v)));
            }
        }
        if let Some(t) = tight {
            prop_assert!(t.lo().is_none_or(|l| c.contains(l) && i.contains(l)));
            prop_assert!(t.hi().is_none_or(|h| c.contains(h) && i.contains(h)));
        }
    }

    #[test]
    fn floor_division_is_the_mathematical_one(a in any::<i64>(), b in any::<i64>()) {
        prop_assume!(b != 0);
        let (a, b) = (i128::from(a), i128::from(b));
        let (q, r) = (floor_div(a, b), floor_mod(a, b));
        prop_assert_eq!(q * b + r, a);
        let in_range = if b > 0 { (0..b).contains(&r) } else { b < r && r <= 0 };
        prop_assert!(in_range);
    }

    #[test]
    fn extreme_intervals_never_panic(op in binary_op(), ends in any::<[i64; 4]>(), extreme in any::<[u8; 4]>()) {
        let end = |i: usize| match extreme[i] & 15 {
            0 => i64::MIN,
            1 => i64::MIN + 1,
            2 => i64::MAX,
            3 => i64::MAX - 1,
            4 => 0,
            5 => -1,
            6 => 1,
            _ => ends[i],
        };
        let make = |i: usize, j: usize| {
            let (x, y) = (end(i), end(j));
            Interval::new(x.min(y), x.max(y)).expect("ordered")
        };
        let (a, b) = (make(0, 1), make(2, 3));
        let range = interval_of_op(&op, &[a, b]);
        let e = Expr::try_new(op, [var("a"), var("b")]).expect("arity");
        for x in [a.lo(), a.hi()].into_iter().flatten() {
            for y in [b.lo(), b.hi()].into_iter().flatten() {
                if let Ok(v) = e.eval(|n| Some(if n == "a" { x } else { y })) {
                    prop_assert!(holds(range, v), "{e} at {x} {y} in {range:?} is {v}");
                }
            }
        }
        // congruences with the ends of the intervals as moduli and residues
        let (m, n) = (Congruence::new(end(0), end(1)), Congruence::new(end(2), end(3)));
        let _ = (m.meet(n), m.join(n), m.plus(n), m.times(n), m.scaled(end(0)), m.tighten(a), n.tighten(b));
    }
}

#[test]
fn products_with_infinities() {
    let i = |lo, hi| Interval::new(lo, hi).expect("not empty");
    const INF: i64 = i64::MAX;
    const NEG: i64 = i64::MIN;
    let cases = [
        (i(0, INF), i(0, INF), i(0, INF)),
        (i(0, 0), Interval::ALL, i(0, 0)),
        (i(1, INF), i(-3, -2), i(NEG, -2)),
        (i(NEG, 0), i(NEG, 0), i(0, INF)),
        (i(NEG, -1), i(NEG, -1), i(1, INF)),
        (i(0, 1), Interval::ALL, Interval::ALL),
        (i(-1, INF), i(2, 3), i(-3, INF)),
        (i(NEG, INF), i(NEG, INF), Interval::ALL),
        (i(1 << 40, 1 << 40), i(1 << 40, 1 << 40), i(INF - 1, INF)),
    ];
    for (a, b, product) in cases {
        assert_eq!(a.times(b), product, "{a:?} * {b:?}");
        assert_eq!(b.times(a), product, "{b:?} * {a:?}");
    }
    let nonneg = i(0, INF);
    assert_eq!(nonneg.plus(nonneg), nonneg);
    assert_eq!(nonneg.scaled(-1).plus(nonneg.scaled(-1)), i(NEG, 0));
}

#[test]
fn an_end_that_stands_for_infinity_is_no_point() {
    assert_eq!(Interval::point(i64::MIN).as_point(), None);
    assert_eq!(Interval::point(i64::MAX).as_point(), None);
    assert_eq!(Interval::point(i64::MAX - 1).as_point(), Some(i64::MAX - 1));
    // the comparison is 1 where `x` is the greatest `i64`, and 0 elsewhere
    assert_eq!(interval_of(&var("x").equals(i64::MAX), |_| Interval::ALL), Interval::BOOL);
}

#[test]
fn gcd_is_never_negative() {
    assert_eq!((gcd(0, 0), gcd(-4, 6), gcd(0, -5), gcd(7, 13)), (0, 2, 5, 1));
}

/// Ends of ranges over `a` and `b`.
fn symbolic_end() -> impl Strategy<Value = Expr> {
    let (a, b) = (|| var("a"), || var("b"));
    prop_oneof![
        (-3i64..6).prop_map(int),
        (-3i64..4).prop_map(move |c| a() + int(c)),
        (-3i64..4).prop_map(move |c| int(c) - b()),
        (1i64..4, -3i64..3).prop_map(move |(n, c)| a() / int(n) + int(c)),
        (-3i64..4, -3i64..3).prop_map(move |(n, c)| b() * int(n) + int(c)),
        (-4i64..4).prop_map(move |c| a() * b() + int(c)),
        (-4i64..4).prop_map(move |c| a().min(b()) - int(c)),
        (-4i64..4).prop_map(move |c| a().max(b()) - int(c)),
        (-2i64..4).prop_map(move |c| -(a() + b()) + int(c)),
    ]
}

proptest! {
    #[test]
    fn symbols_keep_the_values_for_which_ranges_have_values(
        ranges in [(-4i64..5, 0i64..6), (-4i64..5, 0i64..6)],
        ends in [(symbolic_end(), symbolic_end()), (symbolic_end(), symbolic_end())],
    ) {
        let [(a, aw), (b, bw)] = ranges;
        let [(il, ih), (jl, jh)] = ends;
        let domain = Domain::new()
            .with("a", a..=a + aw)
            .with("b", b..=b + bw)
            .with("i", (il.clone(), ih.clone()))
            .with("j", (jl.clone(), jh.clone()));
        let program = Program::new(&[il, ih, jl, jh], &["a", "b"]).expect("declared");
        let points: Vec<(i64, i64)> = (a..=a + aw)
            .flat_map(|a| (b..=b + bw).map(move |b| (a, b)))
            .filter(|(a, b)| {
                let ends = program.eval(&[(*a).into(), (*b).into()]);
                let ends: Vec<i128> = ends.into_iter().map(|v| v.expect("defined")).collect();
                ends[0] <= ends[1] && ends[2] <= ends[3]
            })
            .collect();
        match domain.seen_from(&[var("i") + var("j")]).resolve() {
            Ok(facts) => {
                for (a, b) in points {
                    prop_assert!(facts[0].interval.contains(a) && facts[1].interval.contains(b), "{a} {b} {facts:?}");
                }
            }
            Err(e) => prop_assert!(points.is_empty(), "{e}: {points:?}"),
        }
        // if an expression uses neither `i` nor `j`, their ranges prove nothing
        if let Ok(facts) = domain.seen_from(&[var("a") + var("b")]).resolve() {
            prop_assert_eq!(facts[0].interval.bounded(), Some((a, a + aw)));
            prop_assert_eq!(facts[1].interval.bounded(), Some((b, b + bw)));
        }
    }
}

#[test]
fn a_range_in_a_domain_says_what_its_symbols_are() {
    for (vars, name, range) in [
        (&["n=0..9", "i=0..n-1"][..], "n", "1..9"),
        (&["n=0..9", "m=0..9", "i=0..m*n-1"], "m", "1..9"),
        (&["n=0..9", "i=0..n//2-1"], "n", "2..9"),
        (&["n=0..9", "i=n..4"], "n", "0..4"),
        (&["n=0..9", "m=0..n-1", "i=0..m-1"], "n", "2..9"),
        (&["n=0..9", "i=0..min(n, 3)-1"], "n", "1..9"),
        (&["n=0..9", "i=0..n"], "n", "0..9"),
    ] {
        let mut domain = Domain::new();
        vars.iter().for_each(|v| domain.declare(v).expect(v));
        let at = domain.position(name).expect(name);
        let used: Vec<Expr> = domain.vars().map(var).collect();
        let facts = domain.seen_from(&used).resolve().expect("has points");
        assert_eq!(facts[at].interval.to_string(), range, "{vars:?}");
        assert_eq!(facts[at].declared.to_string(), "0..9", "{vars:?}");
        let promised = domain.vars().map(String::from).collect::<Vec<_>>().into_iter().fold(domain, Domain::nonempty);
        assert_eq!(promised.resolve().expect("has points")[at].interval.to_string(), range, "{vars:?}");
    }
    let none = Domain::new().with("n", 0..=9).with("i", (5, var("n"))).with("j", (var("n"), 4));
    assert!(none.seen_from(&[var("i") + var("j")]).resolve().is_err());
    assert!(none.seen_from(&[var("i")]).resolve().is_ok(), "one of both may have values");
}
