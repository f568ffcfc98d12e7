//! Access functions with recorded costs of three schedules: the identity, the best order of prime digits, and the
//! optimum.

use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Verdict, equivalent};
use quaff_fronts::coalesce::{Access, Candidate, Found, Measure, Schedule, Traffic, Warp, search};
use serde_json::Value;

fn rows() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/coalesce.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus is part of the crate");
    text.lines().map(|line| serde_json::from_str(line).expect("json")).collect()
}

/// The gap (a distance measure of neighbouring lanes) and the sectors of the values of `f` at `elements`. The elements
/// are split into groups of `warp` lanes. The costs are computed from the definition of the corpus, without the code
/// under test.
fn measured(f: &Expr, elements: &[i64], n: i64, warp: usize) -> (u128, u128) {
    let (mut gap, mut sectors) = (0, 0);
    for group in elements.chunks(warp) {
        let inside = group.iter().filter(|i| **i < n);
        let values: Vec<i128> = inside.map(|i| f.eval(|_| Some(*i)).expect("a value")).collect();
        gap += values.windows(2).map(|p| if p[1] == p[0] + 1 { 0 } else { (p[1] - p[0]).unsigned_abs() }).sum::<u128>();
        let touched: std::collections::BTreeSet<i128> = values.iter().map(|v| v.div_euclid(8)).collect();
        sectors += touched.len() as u128;
    }
    (gap, sectors)
}

fn elements(schedule: &Schedule) -> Vec<i64> {
    (0..schedule.extent()).map(|u| schedule.value(u)).collect()
}

/// Checks a candidate: its schedule is a bijection, and its texts and costs are right.
fn assert_honest(id: &str, candidate: &Candidate, f: &Expr, n: i64, warp: usize) {
    let schedule = candidate.schedule();
    let all = elements(schedule);
    let mut inside: Vec<i64> = all.iter().copied().filter(|i| *i < n).collect();
    inside.sort_unstable();
    assert!(inside.iter().copied().eq(0..n), "{id}: {} is no bijection", candidate.sigma());
    assert_eq!(
        (candidate.traffic().gap, candidate.traffic().sectors),
        measured(f, &all, n, warp),
        "{id}: {}",
        candidate.sigma()
    );
    for (u, i) in (0..).zip(&all) {
        assert_eq!(candidate.sigma().eval(|_| Some(u)), Ok(i128::from(*i)), "{id}: {}", candidate.sigma());
        if *i < n {
            let value = f.eval(|_| Some(*i)).expect("a value");
            assert_eq!(candidate.indices()[0].eval(|_| Some(u)), Ok(value), "{id}: {}", candidate.indices()[0]);
        }
    }
    let lanes = Domain::new().with("u", 0..schedule.extent());
    assert_eq!(equivalent(candidate.sigma(), &schedule.expr("u"), &lanes), Verdict::Equal, "{id}");
}

fn found(row: &Value) -> (Expr, i64, usize, Found) {
    let f: Expr = row["f"].as_str().expect("text").parse().expect("an expression");
    let number = |key: &str| row[key].as_i64().expect("a number");
    let (n, warp) = (number("N"), number("W"));
    let access = Access::new(f.clone(), 4).expect("an access");
    let lanes = Warp::new(warp as u32).expect("a warp");
    let found = search(&[access], "i", n as u64, lanes, &Simplifier::default()).expect("an answer");
    (f, n, warp as usize, found.sorted_by(Measure::Gap))
}

#[test]
fn coalesce_rows() {
    let rows = rows();
    println!("{} rows", rows.len());
    assert!(!rows.is_empty());
    // totals over the rows without padding: gaps, sectors, and rows that reach the optimum
    let (mut gaps, mut sectors, mut optimal, mut unpadded) = (0, 0, 0, 0);
    for row in &rows {
        let id = row["id"].as_str().expect("text");
        let wide = |key: &str| u128::from(row[key].as_u64().expect("a number"));
        let (f, n, warp, found) = found(row);
        let Traffic { gap, sectors: touched, .. } = found.identity();
        assert_eq!((gap, touched), (wide("identity"), wide("sectors_identity")), "{id}");
        let best = found.optimum();
        assert_eq!((best.gap, best.sectors), (wide("optimum"), wide("sectors_sorted")), "{id}");
        for candidate in found.candidates().iter().chain(found.padded()) {
            assert_honest(id, candidate, &f, n, warp);
        }
        let first = found.candidates()[0].traffic();
        assert!(first.gap <= wide("identity"), "{id}: worse than the identity");
        assert!(
            first.gap <= wide("best_digit_perm"),
            "{id}: {} with an order of prime digits",
            wide("best_digit_perm")
        );
        if row["padded_to"] == row["N"] {
            unpadded += 1;
            gaps += first.gap;
            sectors += first.sectors;
            optimal += u32::from(first.gap == best.gap);
            assert!(first.gap <= wide("heuristic"), "{id}: {} was found before", wide("heuristic"));
            if first.gap != best.gap {
                println!("{id} {f}: gap {} of {}, {}", first.gap, best.gap, found.candidates()[0].sigma());
            }
        }
    }
    println!("{unpadded} rows without padding: gap {gaps}, sectors {sectors}, {optimal} optimal");
    assert!(gaps < 5_901 && sectors < 1_393 && optimal > 43);
}
