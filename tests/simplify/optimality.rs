//! The search for cheaper forms in `examples/optimality`. It finds forms that are known to exist, each form that it
//! finds is right, and its results for small cases are in a golden file.

#[path = "../../examples/optimality/between.rs"]
mod between;
#[path = "../../examples/optimality/case.rs"]
mod case;
#[path = "../../examples/optimality/last.rs"]
mod last;
#[path = "../../examples/optimality/numbers.rs"]
mod numbers;
#[path = "../../examples/optimality/points.rs"]
mod points;
#[path = "../../examples/optimality/search.rs"]
mod search;
#[path = "../../examples/optimality/sums.rs"]
mod sums;
#[path = "../../examples/optimality/tails.rs"]
mod tails;
#[path = "../../examples/optimality/value.rs"]
mod value;

use crate::golden;
use case::{Case, MOST_PRICE, Outcome, tenths};
use quaff::Simplifier;
use quaff::cost::{Gpu, price};
use quaff::domain::{Interval, intervals_of};
use quaff::expr::{Dag, Expr};

/// A variable, and its least and greatest value.
type Variable = (&'static str, i64, i64);

/// The price of an expression as it is written, in tenths of an instruction.
fn written_price(expr: &Expr, vars: &[Variable]) -> u64 {
    let range = |name: &str| {
        let ends = vars.iter().find(|v| v.0 == name).and_then(|v| Interval::new(v.1, v.2));
        ends.unwrap_or(Interval::ALL)
    };
    let dag = Dag::new(std::slice::from_ref(expr));
    let ranges = intervals_of(&dag, range);
    price(&dag, &ranges, &Gpu).tenths()
}

/// The case of `question`, with `answer` in place of the simplifier's answer.
fn answered<'s>(simplifier: &'s Simplifier, question: &str, answer: &str, vars: &[Variable]) -> Case<'s> {
    let ranges: Vec<String> = vars.iter().map(|(name, low, high)| format!("\"{name}\": [{low}, {high}]")).collect();
    let line = format!("{{\"id\": \"test\", \"vars\": {{{}}}, \"expr\": \"{question}\"}}", ranges.join(", "));
    let mut case = Case::read(&line, simplifier).expect("a case");
    case.answer = answer.parse().expect("an expression");
    case.price = written_price(&case.answer, vars);
    case
}

/// Checks that `form` has the values of the case, at the points of the case and at other points.
fn check(case: &Case<'_>, form: &Expr) {
    let more = points::points(&case.ends, &[3, 7, 64]);
    for row in case.points().into_iter().chain(more).chain(drawn(&case.ends)) {
        let (wanted, found) = (case.at(&case.expr, &row).expect("a value"), case.at(form, &row).expect("a value"));
        assert_eq!(wanted, found, "{}: {form} at {row:?}", case.expr);
    }
}

/// Random points of a box.
fn drawn(ends: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut state = 7_u64;
    let mut inside = |low: i64, high: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + ((state >> 33) as i64).rem_euclid(high - low + 1)
    };
    (0..500).map(|_| ends.iter().map(|&(low, high)| inside(low, high)).collect()).collect()
}

/// Questions whose own text is not the cheapest form, and the largest price of the form that the search must find, in
/// tenths of an instruction.
const WORSE: [(&str, &[Variable], u64); 12] = [
    ("x%12 + x//12*12", &[("x", 0, 999)], 0),
    ("(x*4 + y)//4", &[("x", 0, 99), ("y", 0, 3)], 0),
    ("x//3//5", &[("x", 0, 999)], 11),
    ("x - x//8*8", &[("x", 0, 999)], 10),
    ("x - x%8", &[("x", 0, 999)], 10),
    ("x//4%4*4", &[("x", 0, 999)], 10),
    ("where(x < y, x, y)", &[("x", 0, 99), ("y", 0, 99)], 10),
    ("where(x < 50, x, 49)", &[("x", 0, 99)], 10),
    ("where(x < 1, y, 0)*3", &[("x", 0, 1), ("y", 0, 99)], 20),
    ("(x + 3)//5", &[("x", -1000, 1000)], 20),
    ("(x | y) - (x & y)", &[("x", 0, 255), ("y", 0, 255)], 10),
    ("(x - y)*7 + y*7 + y - y%2", &[("x", 0, 99), ("y", 0, 99)], 20),
];

#[test]
fn a_cheaper_form_of_a_worse_answer_is_found() {
    let simplifier = Simplifier::default();
    for (worse, vars, least) in WORSE {
        let case = answered(&simplifier, worse, worse, vars);
        let Outcome::Cheaper(form, price) = case.outcome().expect("an outcome") else {
            panic!("{worse} is not the least")
        };
        assert!(price <= least, "{worse}: {form} costs {}", tenths(price));
        check(&case, &form);
    }
}

/// Programs of each kind that the search covers. Numbers replace `A`, `B` and `C`.
const PROGRAMS: [&str; 12] = [
    "(x*A + B)//C",
    "(x*A + B)%C",
    "x//A%B",
    "min(x*A + B, y)",
    "where(x >= B, x*A + C, y)",
    "x//A*B + y",
    "(x ^ y) & B",
    "(x*A - y) >= B",
    "where(x//A == y, B, x)",
    "max(x//A, y) - x",
    "(x < A and y >= B)*C + y",
    "x//A*B - y//C",
];

/// The search looks for forms that cost less than a given price. Here it is one tenth above the price of a program in
/// `PROGRAMS`, so the search must find a form.
#[test]
#[ignore = "a campaign"]
fn a_program_of_the_space_is_found() {
    let simplifier = Simplifier::default();
    let vars = [("x", 0, 150), ("y", 0, 40)];
    for program in PROGRAMS {
        for constants in [[3, 7, 11], [13, 20, 6]] {
            let with = |text: String, (name, k): (char, i64)| text.replace(name, &k.to_string());
            let program = "ABC".chars().zip(constants).fold(program.to_string(), with);
            let mut case = answered(&simplifier, &program, &program, &vars);
            case.price += 1;
            assert!(case.price <= MOST_PRICE + 1, "{program} costs more than what is tried");
            // the search for three operations takes longer than all other searches together, so only one of them runs
            if case.price > 30 && constants[0] != 3 {
                continue;
            }
            match case.outcome().expect("an outcome") {
                Outcome::Cheaper(form, price) => {
                    assert!(price < case.price, "{program}: {form} costs {}", tenths(price));
                    check(&case, &form);
                }
                other => panic!("{program}: {other:?}"),
            }
        }
    }
}

/// Small cases of the corpora: the results of the search are those in the golden file, and each form that it finds is
/// right.
#[test]
fn small_cases_have_the_outcomes_that_are_written_down() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/optimality.jsonl");
    let cases = std::fs::read_to_string(path).expect("there");
    let (simplifier, mut written) = (Simplifier::default(), String::new());
    for line in cases.lines().step_by(8) {
        let case = Case::read(line, &simplifier).expect("a case");
        if case.price > 31 || case.ends.len() > 2 {
            continue;
        }
        let outcome = match case.outcome().expect("an outcome") {
            Outcome::Least => "the least".to_string(),
            Outcome::FewestInstructions => "the fewest instructions".to_string(),
            Outcome::Cheaper(form, price) => {
                check(&case, &form);
                format!("{form} costs {}", tenths(price))
            }
            Outcome::Open(why) => format!("not decided: {why}"),
        };
        written += &format!("{}: {} costs {}: {outcome}\n", case.id, case.answer, tenths(case.price));
    }
    assert!(written.lines().count() >= 36, "too few small cases");
    golden::check("optimality.txt", &written);
}
