//! Whole corpora: answers are right, and never costlier than the input. Other names and other orders of operands give
//! the same answer.
//!
//! `tests/golden/corpora.txt` has the total cost of each corpus under quaff's cost model, so it shows the effect of a
//! changed rule.

use crate::cost::text_price;
use crate::golden;
use crate::samples::{Case, load, renamed, reordered};
use quaff::cost::{Cost, Gpu};
use quaff::domain::{Domain, Points};
use quaff::expr::{Expr, Op, Program, parse};
use quaff::{Simplified, Simplifier, SimplifyError};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const OWN: [&str; 4] = ["hard", "inductor_kernels", "quasi_affine", "tinygrad_kernels"];
const CORNERS: usize = 64;
const RANDOM: usize = 128;

fn own(name: &str) -> Vec<Case> {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).with_extension("jsonl"))
}

/// Files with cases from the tests of other projects. These files may not be copied into this repository, so the folder
/// may be missing.
fn peers() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/peer-tests");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder ../shared/corpus/peer-tests");
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    let is_symbolic = |p: &PathBuf| SYMBOLIC.iter().any(|(name, _)| p.file_name() == Some(name.as_ref()));
    paths.retain(|p| p.extension().is_some_and(|e| e == "jsonl") && !is_symbolic(p));
    paths.sort();
    paths
}

/// Corpora whose lines have symbolic ends, strides, assumptions, and sizes that are fixed for a launch. The number
/// counts the lines that are refused, because they have no point or because a divisor can be 0.
const SYMBOLIC: [(&str, usize); 2] = [("symbolic.jsonl", 0), ("suites.jsonl", 4)];

/// The expression and the domain of a line of such a corpus.
fn with_sizes(line: &Value) -> (Expr, Domain) {
    let text = |v: &Value| parse(v.as_str().expect("a text")).expect("an expression").into_expr();
    let end = |v: &Value| v.as_i64().map_or_else(|| text(v), Expr::from);
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let ranges = line["vars"].as_object().expect("ranges").iter();
    let upper = |name: &str, r: &Value| line["symbolic"].get(name).map_or_else(|| end(&r[1]), end);
    let domain = ranges.fold(Domain::new(), |d, (name, r)| d.with(name.as_str(), (end(&r[0]), upper(name, r))));
    let steps = line["step"].as_object().cloned().unwrap_or_default();
    let number = |v: &Value| v.as_i64().expect("a number");
    let domain = steps.iter().fold(domain, |d, (name, s)| d.stride(name.as_str(), number(&s[0]), number(&s[1])));
    let domain = list(&line["uniform"]).iter().filter_map(Value::as_str).fold(domain, Domain::launch_invariant);
    (text(&line["expr"]), list(&line["assume"]).iter().map(text).fold(domain, Domain::assume))
}

fn has_bits(expr: &Expr) -> bool {
    matches!(expr.op(), Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr) || expr.args().iter().any(has_bits)
}

/// The faults of the answers to `cases`, and the total costs of the inputs and of the answers.
fn judge(cases: &[Case]) -> (Vec<String>, Cost, Cost) {
    let simplifier = Simplifier::default();
    let (mut wrong, mut input_cost, mut cost) = (Vec::new(), Cost::ZERO, Cost::ZERO);
    for case in cases {
        let out = match simplifier.simplify(&case.expr, &case.domain()) {
            Ok(out) => out,
            Err(e) => {
                wrong.push(format!("{}: {e}", case.id));
                continue;
            }
        };
        if let Some(d) = case.difference(out.expr(), &case.points(CORNERS, RANDOM)) {
            wrong.push(format!("{}: {}\n  answer {}\n  {d}", case.id, case.expr, out.expr()));
        }
        if out.cost() > out.input_cost() {
            wrong.push(format!("{}: cost {} -> {}", case.id, out.input_cost(), out.cost()));
        }
        // the reported cost must be the price of the text
        if out.cost() != text_price(&out, &Gpu) {
            wrong.push(format!(
                "{}: cost {}, the text {} costs {}",
                case.id,
                out.cost(),
                out.expr(),
                text_price(&out, &Gpu)
            ));
        }
        // a host that reads the answer may not support bitwise operations, so an answer may have them only if the input
        // has them
        if has_bits(out.expr()) && !has_bits(&case.expr) {
            wrong.push(format!("{}: {}\n  operations on bits in the answer {}", case.id, case.expr, out.expr()));
        }
        input_cost += out.input_cost();
        cost += out.cost();
    }
    (wrong, input_cost, cost)
}

fn expect_none(wrong: &[String], of: usize) {
    assert!(wrong.is_empty(), "{} of {of}:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn answers_are_right_and_never_costlier() {
    let mut table = format!("{:<20}{:>7}{:>10}{:>10}\n", "corpus", "cases", "input", "answer");
    let mut all_wrong = Vec::new();
    let mut count = 0;
    for name in OWN {
        let cases = own(name);
        let (wrong, input, cost) = judge(&cases);
        writeln!(table, "{name:<20}{:>7}{input:>10.1}{cost:>10.1}", cases.len()).expect("a string");
        all_wrong.extend(wrong);
        count += cases.len();
    }
    expect_none(&all_wrong, count);
    golden::check("corpora.txt", &table);
}

#[test]
fn answers_to_other_projects_tests_are_right() {
    for path in peers() {
        let cases = load(&path);
        assert!(!cases.is_empty());
        expect_none(&judge(&cases).0, cases.len());
    }
}

#[test]
fn answers_with_run_time_sizes_are_right() {
    for (name, most_refused) in SYMBOLIC {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/peer-tests").join(name);
        match std::fs::read_to_string(&path) {
            Ok(corpus) => judge_with_sizes(name, &corpus, most_refused),
            Err(_) => eprintln!("skipped: there is no corpus {name} beside the repository"),
        }
    }
}

/// Checks the values and the costs of the answers to a corpus. At most `most_refused` lines may be refused.
fn judge_with_sizes(name: &str, corpus: &str, most_refused: usize) {
    let (mut wrong, mut refused, mut compared) = (Vec::new(), Vec::new(), 0);
    for line in corpus.lines() {
        let line: Value = serde_json::from_str(line).expect("one record a line");
        let (expr, domain) = with_sizes(&line);
        let out = match Simplifier::default().simplify(&expr, &domain) {
            Ok(out) => out,
            Err(e @ (SimplifyError::DivisorMayBeZero { .. } | SimplifyError::Domain(_))) => {
                refused.push(format!("{}: {e}", line["id"]));
                continue;
            }
            Err(e) => {
                wrong.push(format!("{}: {e}", line["id"]));
                continue;
            }
        };
        if out.cost() > out.input_cost() {
            wrong.push(format!("{}: cost {} -> {}", line["id"], out.input_cost(), out.cost()));
        }
        let names: Vec<&str> = domain.vars().collect();
        let program = Program::new(&[expr.clone(), out.expr().clone()], &names).expect("declared variables");
        let domain = domain.seen_from(std::slice::from_ref(&expr));
        for point in Points::new(&domain, 1).expect("a domain").take(CORNERS + RANDOM) {
            let values = program.eval(&point.iter().copied().map(i128::from).collect::<Vec<_>>());
            compared += 1;
            if values[0].is_ok() && values[0] != values[1] {
                wrong.push(format!("{}: {expr}\n  answer {}\n  {values:?} at {point:?}", line["id"], out.expr()));
                break;
            }
        }
    }
    println!("{name}: {} of {} refused, answers compared at {compared} points", refused.len(), corpus.lines().count());
    expect_none(&wrong, corpus.lines().count());
    assert!(compared > 10_000, "{compared}");
    assert!(refused.len() <= most_refused, "{}", refused.join("\n"));
}

#[test]
#[ignore = "a campaign"]
fn names_do_not_matter() {
    let simplifier = Simplifier::default();
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in OWN.iter().flat_map(|n| own(n)) {
        // the new names are in reversed order, so that an answer that depends on the order of names is found
        let names = case.names();
        let other = |name: &str| {
            let at = names.iter().position(|n| *n == name).expect("declared");
            format!("v{:03}", names.len() - at)
        };
        let vars = case.vars.iter().map(|(n, r)| (other(n), *r)).collect();
        let twin = Case { id: case.id.clone(), expr: renamed(&case.expr, other), vars };
        let out = simplifier.simplify(&case.expr, &case.domain()).expect("answered");
        let twin_out = simplifier.simplify(&twin.expr, &twin.domain()).expect("answered");
        let (text, twin_text) = (renamed(out.expr(), other).to_string(), twin_out.expr().to_string());
        if text != twin_text {
            wrong.push(format!("{}:\n  {text}\n  {twin_text}", case.id));
        }
        count += 1;
    }
    expect_none(&wrong, count);
}

/// Compares the answers to each case and to the same case with operands in another order.
fn compare_orders(reorder: impl Fn(&Expr) -> Expr, same: impl Fn(&Simplified, &Simplified) -> bool) {
    let simplifier = Simplifier::default();
    let mut wrong = Vec::new();
    let mut count = 0;
    for case in OWN.iter().flat_map(|n| own(n)) {
        let other = reorder(&case.expr);
        let out = simplifier.simplify(&case.expr, &case.domain()).expect("answered");
        let other_out = simplifier.simplify(&other, &case.domain()).expect("answered");
        // an input that is not improved is returned in its own order of operands
        let unchanged = out.expr() == &case.expr || other_out.expr() == &other;
        if out.cost() != other_out.cost() || !unchanged && !same(&out, &other_out) {
            wrong.push(format!("{}: {}\n  {}\n  {}", case.id, case.expr, out.expr(), other_out.expr()));
        }
        count += 1;
    }
    expect_none(&wrong, count);
}

#[test]
#[ignore = "a campaign"]
fn the_order_of_terms_does_not_matter() {
    let terms = |op: &Op| matches!(op, Op::Add | Op::Mul);
    compare_orders(|e| reordered(e, terms), |a, b| a.expr().to_string() == b.expr().to_string());
}

#[test]
#[ignore = "a campaign"]
fn the_order_of_other_operands_does_not_change_the_cost() {
    compare_orders(|e| reordered(e, |_| true), |_, _| true);
}

/// Lines whose answer becomes cheaper when it is simplified again, because a limit ends the first search too early.
const CHEAPER_THE_SECOND_TIME: [&str; 1] = ["tinygrad-kernel/opt-gated/0058"];

#[test]
fn the_answer_of_an_answer_is_no_cheaper() {
    let mut cheaper = Vec::new();
    let cases = ["tinygrad_kernels", "inductor_kernels", "quasi_affine"].map(own).into_iter().flatten();
    let is_known = |case: &Case| CHEAPER_THE_SECOND_TIME.contains(&case.id.as_str());
    for (_, case) in cases.enumerate().filter(|(i, case)| i % 4 == 0 || is_known(case)) {
        let ask = |e: &quaff::expr::Expr| Simplifier::default().simplify(e, &case.domain()).expect("an answer");
        let first = ask(&case.expr);
        let second = ask(first.expr());
        if second.cost() < first.cost() {
            eprintln!("{}: {} then {}", case.id, first.expr(), second.expr());
            cheaper.push(case.id);
        }
    }
    assert_eq!(cheaper, CHEAPER_THE_SECOND_TIME);
}

/// Cases as an expression, its variables, and the answer. A quotient has many equal spellings, and the answer uses the
/// simplest one.
const SPELLED_SIMPLY: [[&str; 3]; 2] = [
    [
        "(g + r*6)%10*15 + ((g//6 + r)//5 + r)//2 + (r*3 + (g + r*6)//10)%6*150",
        "g=0..35 r=0..24",
        "(g + r*36)//60 + (g + r*36)%60*15",
    ],
    [
        "(r + g)%2*5 + (((r + g)//2 + r)//3 + 3)//4 + (9 + (r + g)//2 + r)%12*10 + 3",
        "g=0..2 r=0..9",
        "g*5 + r*15 - (r >= 2)*119 + 93",
    ],
];

#[test]
fn rules_about_sums_see_the_simplest_spelling_of_a_quotient() {
    for [expr, vars, expected] in SPELLED_SIMPLY {
        let mut domain = quaff::domain::Domain::new();
        vars.split_whitespace().for_each(|var| domain.declare(var).expect(var));
        let answer = Simplifier::default().simplify(&expr.parse().expect(expr), &domain).expect("an answer");
        assert_eq!(answer.expr().to_string(), expected);
    }
}
