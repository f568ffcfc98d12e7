//! Costs of whole corpora: of the expressions as written, of the answers of the system that they come from, and of
//! quaff's answers.
//!
//! ```text
//! cargo run --profile dist --example compare
//! ```

use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{Expr, parse};
use quaff::rules::RuleSet;
use quaff::{Simplifier, SimplifyError};
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

/// The file of a corpus, and the system whose answers are in the field `expected`.
const CORPORA: [(&str, &str); 2] = [("tinygrad_kernels", "tinygrad"), ("inductor_kernels", "Inductor")];

#[derive(Default)]
struct Totals {
    cases: usize,
    input: Cost,
    expected: Cost,
    best: Cost,
    ours: Cost,
    us: Vec<f64>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:<18}{:>7}{:>10}{:>20}{:>16}{:>10}{:>11}{:>9}",
        "corpus", "cases", "input", "its own answers", "best known", "quaff", "median us", "p99 us"
    );
    for (name, system) in CORPORA {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).with_extension("jsonl");
        let mut t = measure(&std::fs::read_to_string(path)?)?;
        t.us.sort_by(f64::total_cmp);
        let quantile = |q: f64| t.us[((t.us.len() - 1) as f64 * q) as usize];
        println!(
            "{name:<18}{:>7}{:>10.0}{:>20}{:>16.0}{:>10.0}{:>11.1}{:>9.0}",
            t.cases,
            t.input,
            format!("{:.0} ({system})", t.expected),
            t.best,
            t.ours,
            quantile(0.5),
            quantile(0.99)
        );
    }
    Ok(())
}

fn measure(lines: &str) -> Result<Totals, Box<dyn std::error::Error>> {
    let simplifier = Simplifier::default();
    let plain = Simplifier::default().with_rules(RuleSet::empty());
    let mut t = Totals::default();
    for line in lines.lines() {
        let case: Value = serde_json::from_str(line)?;
        let mut domain = Domain::new();
        for (name, ends) in case["vars"].as_object().into_iter().flatten() {
            if let (Some(lo), Some(hi)) = (ends[0].as_i64(), ends[1].as_i64()) {
                domain.add_bounds(name.as_str(), lo..=hi);
            }
        }
        let read = |field: &str| parse(case[field].as_str().unwrap_or_default()).map(|p| p.into_expr());
        // the cost of an answer as it is written, which is the input cost that a simplifier without rules reports
        let cost = |e: &Expr| -> Result<Cost, SimplifyError> { Ok(plain.simplify(e, &domain)?.input_cost()) };
        let input = read("expr")?;
        t.input += cost(&input)?;
        t.expected += cost(&read("expected")?)?;
        t.best += cost(&read("best")?)?;
        let start = Instant::now();
        let answer = simplifier.simplify(&input, &domain)?;
        t.us.push(start.elapsed().as_secs_f64() * 1e6);
        t.ours += answer.cost();
        t.cases += 1;
    }
    Ok(t)
}
