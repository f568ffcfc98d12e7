//! The work and the memory of a call grow about as n log n. These tests count e-nodes and allocations;
//! `benches/growth.rs` measures time.

use crate::shapes;
use allocation_counter::{AllocationInfo, measure};
use quaff::Simplifier;

/// The largest number of e-nodes that one more term or level of the input may add.
const NODES_PER_STEP: usize = 24;

/// The factor by which the work may grow faster than n log n. From 16 to 256 terms, quadratic work would grow 9 times
/// faster than n log n.
const SLACK: f64 = 2.0;

fn work(simplifier: &Simplifier, make: shapes::Make, n: usize) -> AllocationInfo {
    let (expr, domain) = make(n);
    measure(|| drop(simplifier.simplify(&expr, &domain).expect("answered")))
}

#[test]
fn e_nodes_grow_linearly() {
    let simplifier = Simplifier::default();
    for (name, make) in shapes::GROWING {
        for n in shapes::sizes() {
            let (expr, domain) = make(n);
            let nodes = simplifier.simplify(&expr, &domain).expect("answered").nodes();
            assert!(nodes <= NODES_PER_STEP * (n + 4), "{name} of size {n}: {nodes} e-nodes");
        }
    }
}

#[test]
fn work_grows_about_as_n_log_n() {
    let simplifier = Simplifier::default();
    let n_log_n = |n: usize| n as f64 * (2.0 * n as f64).log2();
    let (small, large) = (16, 256);
    let allowed = n_log_n(large) / n_log_n(small) * SLACK;
    for (name, make) in shapes::GROWING {
        let (few, many) = (work(&simplifier, make, small), work(&simplifier, make, large));
        for (what, few, many) in [
            ("allocations", few.count_total, many.count_total),
            ("bytes allocated", few.bytes_total, many.bytes_total),
            ("bytes held at once", few.bytes_max, many.bytes_max),
        ] {
            let factor = many as f64 / few as f64;
            println!("{name}: {few} {what} for {small}, {many} for {large}: {factor:.1} times, {allowed:.1} allowed");
            assert!(factor < allowed, "{name}: {few} {what} for {small}, {many} for {large}: {factor:.1} times");
        }
    }
}

#[test]
fn tiling_falls_away_at_every_size() {
    let simplifier = Simplifier::default();
    for n in [2, 16, 64] {
        let (expr, domain) = shapes::tiled_digits(n);
        let text = simplifier.simplify(&expr, &domain).expect("answered").expr().to_string();
        assert!(!text.contains('/') && !text.contains('%'), "{n}: {text}");
    }
}
