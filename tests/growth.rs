//! Time and memory grow about as n log n; benches/growth.rs measures it, this holds a generous bound.

#[path = "../benches/shapes/mod.rs"]
mod shapes;

use quaff::{Simplified, Simplifier};
use std::time::{Duration, Instant};

/// E-nodes that one more term or level may bring.
const NODES_PER_STEP: usize = 24;

/// The large size may take so many times what n log n allows: other programs run on this machine too.
const SLACK: f64 = 8.0;

fn timed(simplifier: &Simplifier, make: shapes::Make, n: usize) -> (Simplified, Duration) {
    let (expr, domain) = make(n);
    let mut best = Duration::MAX;
    let mut answer = None;
    for _ in 0..5 {
        let start = Instant::now();
        answer = Some(simplifier.simplify(&expr, &domain).expect("answered"));
        best = best.min(start.elapsed());
    }
    (answer.expect("called"), best)
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
fn time_grows_about_as_n_log_n() {
    let simplifier = Simplifier::default();
    let n_log_n = |n: usize| n as f64 * (2.0 * n as f64).log2();
    for (name, make) in shapes::GROWING {
        let (small, large) = (16, 256);
        let (_, few) = timed(&simplifier, make, small);
        let (_, many) = timed(&simplifier, make, large);
        let factor = many.as_secs_f64() / few.as_secs_f64();
        let allowed = n_log_n(large) / n_log_n(small) * SLACK;
        assert!(
            factor < allowed,
            "{name}: {few:?} for {small}, {many:?} for {large}: {factor:.0} times, {allowed:.0} allowed"
        );
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
