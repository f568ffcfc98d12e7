//! Values that serde writes can be read back. The tests use JSON as an example of a self-describing format.

use proptest::prelude::*;
use quaff::cost::Cost;
use quaff::domain::{Bounds, Congruence, Domain, Interval};
use quaff::egraph::{Limits, StopReason};
use quaff::expr::{Expr, Op, int, select, var};
use quaff::{Simplifier, domain};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json, to_value};
use std::fmt::Debug;

/// Checks that `value` is written as `expected`, and that `expected` is read as `value`.
#[track_caller]
fn both_ways<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, expected: Value) {
    assert_eq!(to_value(&value).expect("a value that can be written"), expected);
    assert_eq!(from_value::<T>(expected).expect("what was written"), value);
}

/// Writes a value as text, and reads the text.
fn read_again<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("a value that can be written");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn values_are_written_in_their_natural_form() {
    both_ways((var("i") * 16 + var("j")) / int(4), json!("(i*16 + j)//4"));
    both_ways(-int(5), json!("-(5)"));
    both_ways(int(-5), json!("-5"));
    let domain = Domain::new().with("n", 1..=64).with("i", 0..100).assume(var("i").lt(var("n")));
    both_ways(domain, json!("n=1..64, i=0..99, assume i < n"));
    both_ways(Interval::new(0, 15).expect("values"), json!({"lo": 0, "hi": 15}));
    both_ways(Interval::ALL, json!({"lo": null, "hi": null}));
    both_ways(Congruence::new(12, 5), json!({"modulus": 12, "residue": 5}));
    both_ways(Bounds::from((0, var("n"))), json!({"lower": "0", "upper": "n"}));
    both_ways(Bounds::default(), json!({"lower": null, "upper": null}));
    both_ways(Cost::from_tenths(21), json!(2.1));
    both_ways(Cost::from_tenths(30), json!(3.0));
    both_ways(Limits::default(), json!({"rounds": 5, "nodes": 150, "visits": 20_000, "work": 200_000, "passes": 5}));
    both_ways(StopReason::RoundLimit, json!("round limit"));
}

#[test]
fn limits_that_are_not_given_are_the_default_ones() {
    let limits: Limits = from_value(json!({"nodes": 9})).expect("limits");
    assert_eq!(limits, Limits { nodes: 9, ..Limits::default() });
    assert!(from_value::<Limits>(json!({"node": 9})).is_err(), "a misspelt name");
}

#[test]
fn every_reason_to_end_is_read_by_its_name() {
    use StopReason::*;
    for reason in [Saturated, RoundLimit, NodeLimit, VisitLimit, WorkLimit, TermLimit] {
        both_ways(reason, reason.as_str().into());
    }
}

#[test]
fn what_has_no_text_is_not_written() {
    for name in ["", "1", "a b", "and", "i + j", "True", "x\"y"] {
        assert!(to_value(var(name) + 1).is_err(), "{name:?}");
        assert!(to_value(Domain::new().with(name, 0..9)).is_err(), "{name:?}");
        assert!(to_value(Bounds::from((0, var(name)))).is_err(), "{name:?}");
    }
    let doubled = (0..80).fold(var("x"), |e, _| &e + &e);
    let message = to_value(&doubled).expect_err("exponential text").to_string();
    assert!(message.contains("longer than"), "{message}");
    assert!(to_value(Domain::new().with("x", 0..9).assume(doubled)).is_err());
}

#[test]
fn what_means_nothing_is_not_read() {
    let refused = |value: Value| {
        assert!(from_value::<Expr>(value.clone()).is_err(), "{value}");
        assert!(from_value::<Domain>(value.clone()).is_err(), "{value}");
        assert!(from_value::<Interval>(value.clone()).is_err(), "{value}");
        assert!(from_value::<Bounds>(value.clone()).is_err(), "{value}");
        assert!(from_value::<Congruence>(value.clone()).is_err(), "{value}");
        assert!(from_value::<Cost>(value.clone()).is_err(), "{value}");
        assert!(from_value::<StopReason>(value.clone()).is_err(), "{value}");
    };
    for value in [json!("x +"), json!({"lo": 9, "hi": 0}), json!({"lo": 0, "high": 1}), json!([1, [2]]), json!(-0.1)] {
        refused(value);
    }
    assert!(from_value::<Cost>(json!(1e30)).is_err());
    assert!(from_value::<Cost>(json!(7)).is_ok_and(|c| c == Cost::from_tenths(70)));
}

/// A random tree, negated constants included.
fn expression() -> impl Strategy<Value = Expr> {
    use Op::*;
    let binary = [
        Add, Sub, Mul, FloorDiv, FloorMod, Min, Max, Lt, Le, Gt, Ge, Eq, Ne, And, Or, BitAnd, BitOr, BitXor, Shl, Shr,
        TruncDiv, TruncMod,
    ];
    let leaf = prop_oneof![prop::sample::select(vec!["i", "step", "x_1"]).prop_map(var), any::<i64>().prop_map(int)];
    leaf.prop_recursive(6, 40, 3, move |inner| {
        let pair = (prop::sample::select(binary.to_vec()), inner.clone(), inner.clone());
        prop_oneof![
            6 => pair.prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            1 => inner.clone().prop_map(|a| -a),
            1 => inner.clone().prop_map(|a| a.not()),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn expressions_and_bounds_are_read_as_they_were(lower in expression(), upper in expression()) {
        prop_assert_eq!(&read_again(&lower), &lower);
        let bounds = Bounds::new(Some(lower), Some(upper));
        prop_assert_eq!(&read_again(&bounds), &bounds);
        // adding `i` avoids ends of numbers alone, which must have a value
        let ends = [bounds.lower(), bounds.upper()].map(|end| end.map(|e| e + &var("i")));
        let [lower, upper] = ends;
        let domain = Domain::new().with("i", ..).with("step", Bounds::new(lower, upper)).assume(var("i"));
        prop_assert_eq!(&read_again(&domain), &domain);
    }

    #[test]
    fn numbers_are_read_as_they_were(a in any::<i64>(), b in any::<i64>(), tenths in 0u64..1 << 49) {
        let ends = [a.min(b), a.max(b), i64::MIN, i64::MAX];
        for i in ends.into_iter().flat_map(|lo| ends.map(|hi| Interval::new(lo, hi))).flatten() {
            prop_assert_eq!(read_again(&i), i);
        }
        for c in [Congruence::new(a, b), Congruence::point(a)] {
            prop_assert_eq!(read_again(&c), c);
        }
        prop_assert_eq!(read_again(&Cost::from_tenths(tenths)), Cost::from_tenths(tenths));
        let limits = Limits { rounds: a as u32, nodes: a as usize, visits: b as usize, work: tenths, passes: b as u32 };
        prop_assert_eq!(read_again(&limits), limits);
    }
}

#[test]
fn answers_are_read_as_they_were() {
    let domain = Domain::new().with("i", 0..64).with("j", 0..=7);
    let input: Expr = "(i*8 + j)//8 + (i*8 + j)%8 + (i*i)//4".parse().expect("an expression");
    let answer = Simplifier::default().simplify(&input, &domain).expect("an answer");
    assert_eq!(&read_again(answer.expr()), answer.expr());
    assert_eq!((read_again(&answer.cost()), read_again(&answer.stop())), (answer.cost(), answer.stop()));
    for facts in domain.resolve().expect("no contradiction") {
        let domain::VarFacts { interval, congruence, .. } = facts;
        assert_eq!((read_again(&interval), read_again(&congruence)), (interval, congruence));
    }
}
