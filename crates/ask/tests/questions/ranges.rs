//! Ranges of variables under conditions, and variables that are replaced by counters.

use crate::support::cases;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, Program};
use quaff_ask::{AskError, Rescaled, VariableRange, ranges, rescale};

/// A range such as `13..33`, with the congruence if there is one.
fn text(found: &VariableRange) -> String {
    let VariableRange { range, congruence, has_ends, .. } = found;
    let ends = if *has_ends { "" } else { " at most" };
    match congruence.modulus() {
        1 => format!("{range}{ends}"),
        modulus => format!("{range}{ends}, {} mod {modulus}", congruence.residue()),
    }
}

fn asked(variables: &[&str], domain: &str) -> Vec<String> {
    let found = ranges(&Simplifier::default(), variables, &domain.parse().expect(domain)).expect(domain);
    assert_eq!(found.iter().map(|one| &*one.name).collect::<Vec<_>>(), variables);
    found.iter().map(text).collect()
}

#[test]
fn ranges_under_conditions() {
    for (variables, domain, wanted) in [
        // quotients by negative numbers, in domains with few points and with many points
        (&["s"][..], "s=-99..99, assume s//-3 >= -11, assume s//-3 <= -5", &["13..33"][..]),
        (&["s"], "s=-9999999..9999999, assume s//-3 >= -11, assume s//-3 <= -5", &["13..33"]),
        (&["s"], "s=-9999999..9999999, t=0..9, assume (s + t)//-3 == -4", &["1..12"]),
        // two congruences that combine to one
        (&["s"], "s=0..40, assume s%3 == 1, assume s%4 == 2", &["10..34, 10 mod 12"]),
        (&["s"], "s=0..4000000, assume s%3 == 1, assume s%4 == 2", &["10..3999994, 10 mod 12"]),
        (&["s"], "s=0..8 step 2, assume s%6 == 4", &["4..4, 4 mod 0"]),
        (&["s", "t"], "s=0..7, t=0..59, assume (s*8 + t)%16 == 3", &["0..7", "3..59, 3 mod 8"]),
        // conditions on several variables
        (&["s", "t"], "s=0..9, t=0..9, assume s + t <= 3, assume s >= 2", &["2..3", "0..1"]),
        (&["s", "t"], "s=0..999999, t=0..999999, assume s + t <= 3, assume s >= 2", &["2..3", "0..1"]),
        (&["t"], "s=0..999999, t=0..999999, assume s + t <= 3, assume s >= 2", &["0..1"]),
        (&["s"], "s=0..100, t=0..8, assume s == t*3 + 1", &["1..25, 1 mod 3"]),
        (&["s"], "s=0..1000000, t=0..300000, assume s == t*3 + 1", &["1..900001, 1 mod 3"]),
        // ends that are expressions. If `i` is asked about, it must have a value, so `n` is at least 1
        (&["n"], "n=0..9, i=0..n-1", &["0..9"]),
        (&["n", "i"], "n=0..9, i=0..n-1", &["1..9", "0..8"]),
        (&["n", "i"], "n=0..999999, i=0..n-1", &["1..999999", "0..999998"]),
        // ranges with open ends
        (&["s"], "s=0.., assume s%4 == 3", &["3.. at most, 3 mod 4"]),
        (&["s"], "s=..", &[".. at most"]),
        (&[], "s=0..9", &[]),
    ] {
        assert_eq!(asked(variables, domain), wanted, "{variables:?} over {domain}");
    }
}

#[test]
fn names_and_domains_that_are_refused() {
    let refused = |variables: &[&str], domain: &str| {
        ranges(&Simplifier::default(), variables, &domain.parse().expect(domain)).expect_err(domain)
    };
    assert!(matches!(refused(&["s", "s"], "s=0..9"), AskError::Twice { .. }));
    assert!(matches!(refused(&["t"], "s=0..9"), AskError::Unknown { .. }));
    for domain in [
        "s=0..9, assume s > 20",
        "s=0..9, assume s*s == 7",
        "s=0..9999999, assume s%4 == 1, assume s%6 == 2",
        "s=0..9, t=0..9, assume t > 9",
    ] {
        assert!(refused(&["s"], domain).is_empty_domain(), "{domain}");
    }
    // the counter of `s` would have the name `s_k`, which the expression already uses, so the call fails
    let undeclared = "s + s_k".parse().expect("an index");
    let known = "s=0..9 step 2".parse().expect("a domain");
    assert!(rescale(&Simplifier::default(), &[undeclared], &["s"], &known).is_err());
    // the error shows the divisor as it was given
    let divided = "8//(s - 5)".parse().expect("an index");
    let known = "s=0..9, assume s%3 == 2".parse().expect("a domain");
    let error = rescale(&Simplifier::default(), &[divided], &["s"], &known).expect_err("a divisor that may be 0");
    assert!(error.to_string().contains("`s - 5`"), "{error}");
}

/// The index and the domain after `rescale`, and each variable that a counter replaces, as text.
fn rescaled(index: &str, variables: &[&str], domain: &str) -> String {
    let index = index.parse().expect(index);
    let found = rescale(&Simplifier::default(), &[index], variables, &domain.parse().expect(domain)).expect(domain);
    let counted = found.counted.iter().map(|one| {
        let counter = one.counter.as_deref().unwrap_or("-");
        format!("{} = {}, {counter} = {}", one.name, one.value, one.count)
    });
    let counted: Vec<String> = counted.collect();
    format!("{} over {}; {}", found.exprs[0], found.domain, counted.join("; "))
}

#[test]
fn counted_variables() {
    for (index, variables, domain, wanted) in [
        ("s//6", &["s"][..], "s=0..99, assume s%6 == 3", "s_k over s_k=0..16; s = s_k*6 + 3, s_k = (s - 3)//6"),
        (
            "s + t",
            &["s", "t"],
            "s=0..9, t=0..9, assume s%4 == 3, assume t <= 2",
            "s_k*4 + t + 3 over s_k=0..1, t=0..2; s = s_k*4 + 3, s_k = (s - 3)//4",
        ),
        ("s//2", &["s"], "s=0..6 step 6, assume s >= 1", "3 over ; s = 6, - = 0"),
        ("s//3", &["s"], "s=.. step 3", "s_k over s_k=..; s = s_k*3, s_k = s//3"),
        (
            "s//3",
            &["s"],
            "s=.., s_k=0..1, assume s%3 == 1, assume s >= 3",
            "1 + s_k2 over s_k2=0.., s_k=0..1; s = s_k2*3 + 4, s_k2 = (s - 4)//3",
        ),
        // conditions that relate the counted variable to others stay
        (
            "s*2 + n",
            &["s"],
            "n=1..99, s=0..n-1, assume s%2 == 0, assume s < 50",
            "n + s_k*4 over n=1..99, s_k=0..24, assume s_k*2 < n; s = s_k*2, s_k = s//2",
        ),
        (
            "s.x*2",
            &["s.x"],
            "s.x=0..9, assume s.x%2 == 0, loop s.x",
            "s_x_k*4 over s_x_k=0..4, loop s_x_k; s.x = s_x_k*2, s_x_k = s.x//2",
        ),
        ("i", &["s"], "s=0..9 step 2, i=0..s", "i over s_k=0..4, i=0..8, i=..s_k*2; s = s_k*2, s_k = s//2"),
        (
            "s.x + s_x",
            &["s.x", "s_x"],
            "s.x=0..9 step 2, s_x=0..9 step 3",
            "s_x_k*2 + s_x_k2*3 over s_x_k=0..4, s_x_k2=0..3; s.x = s_x_k*2, s_x_k = s.x//2; s_x = s_x_k2*3, s_x_k2 = s_x//3",
        ),
        // variables that are equal to an expression
        (
            "y + x",
            &["y"],
            "x=0..9, y=4*x + 1",
            "x*5 + 1 over x=0..9, y_k=0..9, assume y_k >= x, assume x >= y_k; y = y_k*4 + 1, y_k = (y - 1)//4",
        ),
        ("s", &["s"], "s=0..9", "s over s=0..9; "),
    ] {
        assert_eq!(rescaled(index, variables, domain), wanted, "{index} over {domain}");
    }
}

const NAMES: [&str; 2] = ["s", "t"];

fn condition() -> impl Strategy<Value = String> {
    let of = prop::sample::select(vec![
        "s",
        "t",
        "s + t",
        "s - t",
        "s*2 + t",
        "s//3",
        "s//-3 + t",
        "t//4 - s",
        "s//5*2 + t",
    ]);
    let number = || 2i64..9;
    prop_oneof![
        (of.clone(), number(), 0i64..9).prop_map(|(of, n, r)| format!("({of})%{n} == {}", r % n)),
        (of.clone(), -20i64..40).prop_map(|(of, end)| format!("{of} <= {end}")),
        (of.clone(), -20i64..40).prop_map(|(of, end)| format!("{of} >= {end}")),
        (of, number(), -6i64..9).prop_map(|(of, n, end)| format!("({of})//{n} <= {end}")),
    ]
}

/// The points at which all conditions hold. Each variable has `count` values.
fn points(conditions: &[Expr], count: i64) -> Vec<[i64; 2]> {
    let program = Program::new(conditions, &NAMES).expect("conditions");
    let all = (-count..count).flat_map(|s| (0..count).map(move |t| [s, t]));
    let holds = |at: &[i64; 2]| program.eval(&at.map(i128::from)).iter().all(|value| *value == Ok(1));
    all.filter(holds).collect()
}

/// Whether `found` is the smallest box around all points, with the strongest congruences.
fn is_least(found: &[VariableRange], points: &[[i64; 2]]) -> bool {
    let mut least = true;
    for (at, found) in found.iter().enumerate() {
        let values: Vec<i64> = points.iter().map(|point| point[at]).collect();
        let (low, high) = (*values.iter().min().expect("points"), *values.iter().max().expect("points"));
        assert!(
            values.iter().all(|value| found.range.contains(*value) && found.congruence.contains(*value)),
            "{found:?}"
        );
        let is_own = found.range.bounded() == Some((low, high));
        assert!(is_own || !found.has_ends, "{found:?}: {low}..{high}");
        let step = found.congruence.modulus();
        let is_closest =
            (1..).map(|k| step + k).take(64).all(|step| values.iter().any(|value| (value - low) % step != 0));
        least &= is_own && (low == high || is_closest);
    }
    least
}

/// Panics unless the rescaled expression has the values of `e`, and its domain has all points.
fn assert_same_values(e: &Expr, found: &Rescaled, points: &[[i64; 2]]) {
    let counted = |name: &str| found.counted.iter().find(|one| *one.name == *name);
    let holds: Vec<Expr> = found.domain.conditions();
    let vars = found.domain.resolve().expect("a domain");
    let program = Program::new(std::slice::from_ref(e), &NAMES).expect("variables");
    for point in points {
        let old = |name: &str| NAMES.iter().position(|own| *own == name).map(|at| point[at]);
        let new = |name: &str| {
            let own = found.counted.iter().find(|one| one.counter.as_deref() == Some(name));
            own.map_or_else(|| old(name), |one| one.count.eval(old).ok().and_then(|value| i64::try_from(value).ok()))
        };
        assert_eq!(Ok(found.exprs[0].eval(new).expect("a value")), program.eval(&point.map(i128::from))[0]);
        assert!(
            NAMES
                .iter()
                .filter_map(|name| counted(name))
                .all(|one| one.value.eval(new).ok() == old(&one.name).map(i128::from))
        );
        assert!(
            vars.iter()
                .all(|v| new(&v.name).is_some_and(|value| v.interval.contains(value) && v.congruence.contains(value)))
        );
        assert!(holds.iter().all(|one| one.eval(new) == Ok(1)), "{e}: {found:?}");
    }
}

#[test]
fn ranges_are_boxes_around_all_points() {
    let mut runner = TestRunner::deterministic();
    let count = cases(120);
    let (mut asked, mut least) = (0, 0);
    for _ in 0..count {
        let texts = prop::collection::vec(condition(), 1..4).new_tree(&mut runner).expect("conditions").current();
        let conditions: Vec<Expr> = texts.iter().map(|text| text.parse().expect(text)).collect();
        // The same conditions with few points, and with too many to evaluate one by one. The points that satisfy the
        // conditions lie in the same small box.
        let points = points(&conditions, 60);
        let own =
            |ends: &str| -> Domain { format!("{ends}, assume {}", texts.join(" and ")).parse().expect("a domain") };
        let few = own("s=-60..59, t=0..59");
        match ranges(&Simplifier::default(), &NAMES, &few) {
            Err(error) => assert!(error.is_empty_domain() && points.is_empty(), "{few}: {error}"),
            Ok(found) => {
                assert!(is_least(&found, &points), "{few}: {found:?}");
                let e = "s//2*3 + t%5".parse().expect("an expression");
                let found = rescale(&Simplifier::default(), std::slice::from_ref(&e), &NAMES, &few).expect("an answer");
                assert_same_values(&e, &found, &points);
            }
        }
        let within = own("s=-60..59, t=0..59, u=0..9999, assume u >= s");
        match ranges(&Simplifier::default(), &NAMES, &within) {
            Err(error) => assert!(error.is_empty_domain() && points.is_empty(), "{within}: {error}"),
            Ok(found) => {
                asked += 1;
                least += usize::from(is_least(&found, &points));
            }
        }
    }
    println!("of {asked} domains of many points, the box and the residues of {least} are the least ones");
    assert!(least * 100 >= asked * 75, "{least} of {asked}");
}
