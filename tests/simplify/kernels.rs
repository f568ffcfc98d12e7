//! Whole kernels: every access is right whenever it happens, and costs no more than as written. Simplifying all
//! accesses together pays off.
//!
//! `tests/golden/kernel_corpus.txt` has the total cost of all kernels. `tests/data/kernels.jsonl` has accesses from
//! programs that tinygrad and Inductor generated.

use crate::golden;
use quaff::access::{Access, Gate};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use quaff::quasi::{Verdict, equivalent};
use quaff::{Simplifier, SimplifyError};
use quaff_lab::experiment::{Asked, Line};
use std::fmt::Write;
use std::path::Path;

fn kernel(line: &str) -> (String, Vec<Access>, Domain) {
    let line = Line::read(line.as_bytes()).expect("an object");
    let (asked, domain) = line.asked().expect("a question");
    let Asked::Accesses(_, accesses) = asked else { panic!("accesses") };
    (line.id.to_string(), accesses, domain)
}

fn corpus() -> Vec<(String, Vec<Access>, Domain)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernels.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus");
    text.lines().map(kernel).collect()
}

fn truth(gate: &Gate) -> Expr {
    match gate {
        Gate::Always => int(1),
        Gate::Never => int(0),
        Gate::When(condition) => condition.differs(0),
    }
}

/// Whether `after` and `before` are different accesses at some point.
fn differs(before: &Access, after: &Access, domain: &Domain) -> bool {
    let [old, new] = [before, after].map(|a| truth(a.gate()));
    let is_wrong = |a: &Expr, b: &Expr, domain: &Domain| matches!(equivalent(a, b, domain), Verdict::Differs { .. });
    is_wrong(&old, &new, domain) || is_wrong(before.index(), after.index(), &domain.clone().assume(old))
}

/// The accesses simplified one by one.
fn apart(simplifier: &Simplifier, accesses: &[Access], domain: &Domain) -> Result<Vec<Access>, SimplifyError> {
    accesses.iter().map(|a| Ok(simplifier.simplify_access(a, domain)?.accesses()[0].clone())).collect()
}

#[test]
fn accesses_of_a_kernel_are_right_and_cost_less_together() {
    let simplifier = Simplifier::default();
    let (mut written, mut one_by_one, mut together) = (Cost::ZERO, Cost::ZERO, Cost::ZERO);
    let (mut wrong, mut costlier) = (Vec::new(), Vec::new());
    let kernels = corpus();
    for (id, accesses, domain) in &kernels {
        let answer = simplifier.simplify_accesses(accesses, domain).unwrap_or_else(|e| panic!("{id}: {e}"));
        let is_wrong = accesses.iter().zip(answer.accesses()).any(|(a, b)| differs(a, b, domain));
        if is_wrong || answer.cost() > answer.input_cost() {
            wrong.push(id);
        }
        let alone = apart(&simplifier, accesses, domain).unwrap_or_else(|e| panic!("{id}: {e}"));
        let alone = simplifier.simplify_accesses(&alone, domain).unwrap_or_else(|e| panic!("{id}: {e}")).input_cost();
        if answer.cost() > alone {
            costlier.push(id);
        }
        written += answer.input_cost();
        one_by_one += alone;
        together += answer.cost();
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    let mut table = format!("{:<12}{:>12}\n", "kernels", kernels.len());
    for (name, cost) in [("as written", written), ("one by one", one_by_one), ("together", together)] {
        writeln!(table, "{name:<12}{cost:>12.1}").expect("a string");
    }
    writeln!(table, "together costlier than one by one: {}", costlier.len()).expect("a string");
    golden::check("kernel_corpus.txt", &table);
}

#[test]
fn accesses_of_the_examples_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/accesses");
    let files = std::fs::read_dir(folder).expect("the examples").map(|e| e.expect("a file").path());
    let mut seen = 0;
    for path in files {
        let (id, accesses, domain) = kernel(&std::fs::read_to_string(&path).expect("a kernel"));
        let answer =
            Simplifier::default().simplify_accesses(&accesses, &domain).unwrap_or_else(|e| panic!("{id}: {e}"));
        for (before, after) in accesses.iter().zip(answer.accesses()) {
            assert!(!differs(before, after, &domain), "{id}: {}", before.index());
        }
        assert!(answer.cost() < answer.input_cost(), "{id}: {} of {}", answer.cost(), answer.input_cost());
        seen += 1;
    }
    assert_eq!(seen, 8);
}

/// The indices of loads after simplifying them together, and their total cost. A gate is a condition, or `1`.
fn answer(accesses: &[(&str, &str)], domain: &str) -> (Vec<String>, Cost) {
    let parsed = |text: &str| text.parse::<Expr>().expect("an expression");
    let loads: Vec<Access> =
        accesses.iter().map(|(index, gate)| Access::load("v", "from", parsed(index)).when(parsed(gate))).collect();
    let domain: Domain = domain.parse().expect("a domain");
    let answer = Simplifier::default().simplify_accesses(&loads, &domain).expect("an answer");
    for (before, after) in loads.iter().zip(answer.accesses()) {
        assert!(!differs(before, after, &domain), "{} is not {}", before.index(), after.index());
    }
    (answer.accesses().iter().map(|a| a.index().to_string()).collect(), answer.cost())
}

#[test]
fn digits_are_shared_by_accesses_that_take_the_same_index_apart() {
    let accesses = [("g//10%4*2 + g%10*24", "1"), ("g//10%4 + g%10*4", "1"), ("g//10%4*2 + g//40 + g%10*8", "1")];
    let (indices, cost) = answer(&accesses, "g=0..79");
    assert!(indices.iter().all(|i| i.contains("g%10*") && i.contains("g//10%4")), "{indices:?}");
    let apart = accesses.map(|a| answer(&[a], "g=0..79").1.tenths()).iter().sum::<u64>();
    assert!(cost.tenths() < apart, "{cost}");
}

#[test]
fn an_index_stays_without_its_gate_where_others_compute_it_anyway() {
    let (indices, _) =
        answer(&[("g*96 + t*8 + k", "1"), ("g*96 + t*8 + k + 72", "g*4 + 3 < 7")], "g=0..1, t=0..2, k=0..7; loop k");
    assert!(indices[1].contains("g*96"), "{indices:?}");
    // if the load is simplified alone, its gate replaces the product
    let (indices, _) = answer(&[("g*96 + t*8 + k + 72", "g*4 + 3 < 7")], "g=0..1, t=0..2, k=0..7; loop k");
    assert!(!indices[0].contains("g*96"), "{indices:?}");
}
