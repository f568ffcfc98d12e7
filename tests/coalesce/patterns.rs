//! Accesses of real kernels, with their traffic as written and with the schedules that the search finds.

#[path = "../support/golden.rs"]
mod golden;

use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_fronts::coalesce::{Access, Candidate, Found, Measure, Traffic, Warp, search};
use serde_json::Value;
use std::fmt::Write;

fn found(row: &Value) -> Found {
    let texts = |key: &str| row[key].as_array().expect("a list").iter().map(|t| t.as_str().expect("text"));
    let access = |text: &str| Access::new(text.parse().expect(text), 4).expect("an access");
    let accesses: Vec<Access> = texts("reads").chain(texts("writes")).map(access).collect();
    let vector = row["vector"].as_u64().unwrap_or(1);
    let warp = Warp::default().with_vector(vector as u32).expect("a vector");
    search(&accesses, "i", row["n"].as_u64().expect("a number"), warp, &Simplifier::default()).expect("an answer")
}

fn shown(what: &str, traffic: Traffic) -> String {
    let Traffic { gap, sectors, lines, requests, .. } = traffic;
    format!("  {what:<15} gap {gap}, {sectors} sectors, {lines} lines, {requests} requests")
}

fn candidate(what: &str, c: &Candidate) -> String {
    let indices: Vec<String> = c.indices().iter().map(Expr::to_string).collect();
    let (sigma, index) = (c.sigma(), indices.join(", "));
    format!("{}, cost {}\n{:18}sigma = {sigma}\n{:18}index = {index}\n", shown(what, c.traffic()), c.cost(), "", "")
}

#[test]
fn sectors_before_and_after() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/patterns.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus is part of the crate");
    let mut out = String::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("json");
        let found = found(&row).sorted_by(Measure::Gap);
        let first = &found.candidates()[0];
        let fewest = found.candidates().iter().min_by_key(|c| (c.traffic().sectors, c.cost())).expect("not empty");
        assert!(first.traffic().gap <= found.identity().gap, "{line}");
        assert!(fewest.traffic().sectors <= found.identity().sectors, "{line}");
        writeln!(out, "{}: {}", row["id"].as_str().expect("text"), row["what"].as_str().expect("text")).expect("text");
        writeln!(out, "{}", shown("before", found.identity())).expect("text");
        writeln!(out, "{}", shown("sorted", found.optimum())).expect("text");
        out += &candidate("lowest gap", first);
        if fewest.traffic() != first.traffic() {
            out += &candidate("fewest sectors", fewest);
        }
    }
    golden::check("coalesce_patterns.txt", &out);
}
