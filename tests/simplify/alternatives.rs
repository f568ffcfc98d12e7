//! The simplifier uses facts that follow from assumed disjunctions, products and quotients. The ranges that `bounds`
//! returns are proved. The tests compare answers and ranges with the values at all points.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quaff::access::Access;
use quaff::cost::Cost;
use quaff::domain::{Domain, DomainError};
use quaff::egraph::{Limits, StopReason};
use quaff::expr::{Expr, Program};
use quaff::{Simplifier, SimplifyError};

fn e(text: &str) -> Expr {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn domain(text: &str) -> Domain {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn answer(expr: &str, declared: &str) -> String {
    Simplifier::default().simplify(&e(expr), &domain(declared)).expect("an answer").expr().to_string()
}

fn bounds(expr: &str, declared: &str) -> String {
    Simplifier::default().facts(&domain(declared)).bounds(&e(expr)).expect("a range").to_string()
}

fn prove(expr: &str, declared: &str) -> Option<bool> {
    Simplifier::default().facts(&domain(declared)).prove(&e(expr)).expect("an answer")
}

#[test]
fn what_all_alternatives_say_is_known() {
    let range = "x=0..1048576, assume x >= 10 and x <= 100 or x >= 5 and x <= 50";
    assert_eq!(answer("x < 101", range), "1");
    assert_eq!(bounds("x", range), "5..100");
    let set = "x=0..1048576, assume x == 8704 or x == 4608 or x == 1024";
    assert_eq!(answer("x%512 == 0", set), "1");
    assert_eq!(bounds("x", set), "1024..8704");
    assert_eq!(bounds("x", "x=-50..50, assume x%8 == 1 or x%8 == 5"), "-47..49");
    // bounds of sums, and bounds that hold after another condition excludes some of the cases
    assert_eq!(bounds("y + x", "x=0..99, y=0..99, assume x + y < 10 and x + y > 2 or x + y == 12"), "3..12");
    assert_eq!(bounds("x", "x=0..99, y=0..9, assume x < 10 or x > 90, assume x >= 50"), "91..99");
    assert_eq!(bounds("x", "x=0..99, y=0..9, assume not (x >= 20 and y >= 5), assume y == 7"), "0..19");
    // a variable that only one alternative of a disjunction bounds may have any value of its range
    assert_eq!(bounds("x", "x=0..99, y=0..9, assume x < 10 or y < 5"), "0..99");
    let never = Simplifier::default().facts(&domain("x=0..9, assume x > 20 or x < -3")).bounds(&e("x"));
    assert!(matches!(never, Err(SimplifyError::Domain(DomainError::NeverHolds { .. }))), "{never:?}");
}

#[test]
fn equalities_between_two_multiples_never_hold() {
    assert_eq!(answer("a == j*4", "a=1..3, j=0..3"), "0");
    assert_eq!(answer("a + b*16 == j*4", "a=1..3, b=0..7, j=0..3"), "0");
    assert_eq!(answer("a + 7 == j*12 - b*8", "a=2..4, b=0..7, j=0..9"), "0");
    assert_eq!(prove("a != j*4", "a=1..3, j=0..3"), Some(true));
    // `a` can be 0, which is a multiple of 4, so the condition stays
    assert_eq!(answer("a == j*4", "a=0..3, j=0..3"), "a == j*4");
    assert_eq!(answer("a == j*4", "a=1..4, j=0..3"), "a == j*4");
}

#[test]
fn products_are_compared_under_a_common_factor() {
    let ordered = "a=-9..9, b=-9..9, d=-9..9, assume a < b";
    assert_eq!(answer("d >= 1", &format!("{ordered}, assume a*d < b*d")), "1");
    assert_eq!(bounds("d", &format!("{ordered}, assume a*d <= b*d")), "0..9");
    assert_eq!(bounds("d", &format!("{ordered}, assume a*d > b*d")), "-9..-1");
    assert_eq!(bounds("d", "a=0..3, d=-99..99, assume a*d >= 10"), "4..99");
}

#[test]
fn quotients_by_negative_numbers_bound_what_they_divide() {
    let declared = "s=-99..99, assume s//-3 >= -11, assume s//-3 <= -5";
    assert_eq!(bounds("s", declared), "13..33");
    assert_eq!(answer("s < 34", declared), "1");
}

#[test]
fn sums_of_products_are_bounded_at_corners() {
    assert_eq!(bounds("(A + B)*2048 - A*B", "A=1..4095, B=1..4095"), "4095..8384513");
    assert_eq!(bounds("x*y - x*z + y*z", "x=-2..3, y=-5..7, z=1..4"), "-47..37");
    // this upper bound needs a proof, because no range gives it
    assert_eq!(bounds("m*n - x", "m=1..64, n=1..64, x=0..m*n-1"), "1..4096");
}

#[test]
fn bounds_say_what_is_proved() {
    for (expr, declared) in [
        ("(A + B)*2048 - A*B", "A=1..4095, B=1..4095"),
        ("m*n - x", "m=1..64, n=1..64, x=0..m*n-1"),
        ("n - x%n", "n=1..64, x=0..999"),
        ("x - x//n*n", "n=1..64, x=0..999"),
    ] {
        let range = Simplifier::default().facts(&domain(declared)).bounds(&e(expr)).expect("a range");
        for k in -5000..5000i64 {
            if prove(&format!("{expr} >= {k}"), declared) == Some(true) {
                assert!(range.lo().is_some_and(|lo| lo >= k), "{expr} >= {k} is proved, and the range is {range}");
            } else {
                break;
            }
        }
    }
}

#[test]
fn a_budget_that_ends_is_named() {
    let size = "H=3..1024, W=3..1024, C=1..512, x=0..9*C*H*W - 1";
    let gate = "x%W + x//(H*W)%3 >= 1 and x%W + x//(H*W)%3 <= W and x//W%H + x//(H*W)//3%3 <= H";
    let limited = |work| {
        let simplifier = Simplifier::default().with_limits(Limits { work, ..Limits::default() });
        simplifier.simplify(&e(gate), &domain(size)).expect("an answer")
    };
    let few = limited(20_000);
    assert_eq!(few.stop(), StopReason::WorkLimit);
    assert!(few.cost() <= few.input_cost());
    assert_ne!(limited(1 << 40).stop(), StopReason::WorkLimit);
}

/// Kernels whose masks need many proofs: an image that is unfolded into columns, and a maximum of nine neighbours.
#[test]
fn proofs_of_a_kernel_share_one_budget() {
    let answered = |accesses: &[Access], declared: &str, most: u64| {
        let answer = Simplifier::default().simplify_accesses(accesses, &domain(declared)).expect("an answer");
        assert!(answer.cost() <= Cost::from_tenths(most), "{}", answer.cost());
        let few = Simplifier::default().with_limits(Limits { work: 100_000, ..Limits::default() });
        let few = few.simplify_accesses(accesses, &domain(declared)).expect("an answer");
        assert_eq!(few.stop(), StopReason::WorkLimit);
        assert!(answer.cost() <= few.cost() && few.cost() <= few.input_cost(), "{}", few.cost());
    };
    let sizes = "H=3..1024, W=3..1024, C=1..512";
    let index = "x%W + x//(H*W)%3 - 1 + W*(x//W%H + x//(H*W)//3%3 - 1) + H*W*(x//(9*H*W))";
    let gate = "x%W + x//(H*W)%3 >= 1 and x%W + x//(H*W)%3 <= W and x//W%H + x//(H*W)//3%3 <= H and x < 9*C*H*W";
    let unfolded = [Access::load("v", "in", e(index)).when(e(gate)), Access::store("out", e("x"), "v")];
    answered(&unfolded, &format!("{sizes}, x=0..9*C*H*W-1"), 1352);
    let (column, row) = ("2*(x%((W + 1)//2))", "2*(x//((W + 1)//2)%((H + 1)//2))");
    let neighbour = |(dy, dx): (i64, i64)| {
        let image = "H*W*(x//(((W + 1)//2)*((H + 1)//2)))";
        let index = format!("{} + {column} + W*({} + {row}) + {image}", dx - 1, dy - 1);
        let gate = format!("{column} + {dx} >= 1 and {column} + {dx} <= W and {row} + {dy} >= 1 and {row} + {dy} <= H");
        Access::load(format!("v{dy}{dx}"), "in", e(&index)).when(e(&gate))
    };
    let neighbours = (0..3).flat_map(|dy| (0..3).map(move |dx| (dy, dx))).map(neighbour);
    let pooled: Vec<Access> = neighbours.chain([Access::store("out", e("x"), "v")]).collect();
    answered(&pooled, &format!("{sizes}, x=0..C*((W + 1)//2)*((H + 1)//2)-1"), 770);
}

pub(crate) const NAMES: [&str; 3] = ["x", "y", "z"];

/// A comparison about one variable, or about two variables together.
pub(crate) fn comparison() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(NAMES.to_vec());
    let relation = || prop::sample::select(vec!["<", "<=", "==", ">=", ">", "!="]);
    let number = || -9..=9i64;
    prop_oneof![
        3 => (name(), relation(), number()).prop_map(|(x, r, k)| format!("{x} {r} {k}")),
        2 => (name(), 2..6i64, 0..4i64).prop_map(|(x, m, k)| format!("{x}%{m} == {k}")),
        2 => (name(), name(), number(), relation(), number()).prop_map(|(x, y, c, r, k)| format!("{x} + {c}*{y} {r} {k}")),
        2 => (name(), 1..5i64, relation(), number()).prop_map(|(x, n, r, k)| format!("{x}//-{n} {r} {k}")),
        2 => (name(), name(), name(), relation()).prop_map(|(x, y, z, r)| format!("{x}*{z} {r} {y}*{z}")),
    ]
}

pub(crate) fn condition() -> impl Strategy<Value = String> {
    let clause = || prop::collection::vec(comparison(), 1..3).prop_map(|c| c.join(" and "));
    prop_oneof![
        1 => clause(),
        2 => prop::collection::vec(clause(), 2..4).prop_map(|c| format!("({})", c.join(") or ("))),
        1 => clause().prop_map(|c| format!("not ({c})")),
    ]
}

pub(crate) fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => default,
        None => ProptestConfig { cases, rng_seed: RngSeed::Fixed(1), ..default },
    }
}

/// All points of a box around 0.
pub(crate) fn box_of(ends: i128) -> impl Iterator<Item = [i128; 3]> {
    let all = move || -ends..=ends;
    all().flat_map(move |x| all().flat_map(move |y| all().map(move |z| [x, y, z])))
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    #[ignore = "a campaign"]
    fn what_is_known_under_conditions_holds_at_every_point(
        conditions in prop::collection::vec(condition(), 1..3), asked in comparison(),
    ) {
        let declared = conditions.iter().fold(domain("x=-6..6, y=-6..6, z=-6..6"), |d, c| d.assume(e(c)));
        let exprs: Vec<Expr> = NAMES.iter().map(|n| e(n)).chain([e("x + y"), e("x*z - y*z"), e(&asked)]).collect();
        let roots: Vec<Expr> = conditions.iter().map(|c| e(c)).chain(exprs.iter().cloned()).collect();
        let program = Program::new(&roots, &NAMES).expect("known names");
        let mut points = Vec::new();
        for point in box_of(6) {
            let values: Vec<i128> = program.eval(&point).into_iter().map(|v| v.expect("a value")).collect();
            let (held, values) = values.split_at(conditions.len());
            if held.iter().all(|&v| v != 0) {
                points.push(values.to_vec());
            }
        }
        let simplifier = Simplifier::default();
        for (i, expr) in exprs.iter().enumerate() {
            let (range, congruence) = match (simplifier.facts(&declared).bounds(expr), simplifier.facts(&declared).congruence(expr)) {
                (Ok(range), Ok(congruence)) => (range, congruence),
                (Err(_), _) | (_, Err(_)) => {
                    prop_assert!(points.is_empty(), "{conditions:?} hold at a point, and are refused");
                    continue;
                }
            };
            for values in &points {
                let value = i64::try_from(values[i]).expect("small");
                prop_assert!(range.contains(value), "{expr} is {value}, not in {range}, where {conditions:?}");
                prop_assert!(congruence.contains(value), "{expr} is {value}, not in {congruence:?}, where {conditions:?}");
            }
        }
        if let Ok(Some(truth)) = simplifier.facts(&declared).prove(&e(&asked)) {
            let is_wrong = points.iter().any(|values| (values[exprs.len() - 1] != 0) != truth);
            prop_assert!(!is_wrong, "{asked} is not always {truth} where {conditions:?}");
        }
    }

    #[test]
    fn sums_of_products_have_the_least_range(
        coefficients in prop::collection::vec(-6..=6i64, 8), ends in prop::collection::vec((-4..=4i64, 0..=4i64), 3),
    ) {
        let monomials = ["1", "x", "y", "z", "x*y", "y*z", "x*z", "x*y*z"];
        let terms: Vec<String> = coefficients.iter().zip(monomials).map(|(c, m)| format!("{c}*{m}")).collect();
        let sum = e(&terms.join(" + "));
        let ranges: Vec<String> = NAMES.iter().zip(&ends).map(|(n, (lo, n1))| format!("{n}={lo}..{}", lo + n1)).collect();
        let range = Simplifier::default().facts(&domain(&ranges.join(", "))).bounds(&sum).expect("a range");
        let program = Program::new(std::slice::from_ref(&sum), &NAMES).expect("known names");
        let inside = box_of(8).filter(|p| p.iter().zip(&ends).all(|(v, (lo, n))| (i128::from(*lo)..=i128::from(lo + n)).contains(v)));
        let values: Vec<i128> = inside.map(|p| program.eval(&p)[0].expect("a value")).collect();
        let least = values.iter().min().zip(values.iter().max());
        let found = range.bounded().map(|(lo, hi)| (i128::from(lo), i128::from(hi)));
        prop_assert_eq!(found, least.map(|(lo, hi)| (*lo, *hi)), "{} with {:?}", sum, ranges);
    }
}
