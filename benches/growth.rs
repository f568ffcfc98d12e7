//! How the time of a call grows with the size of its input: `cargo bench --bench growth`.
//!
//! `cargo run --profile dist --example growth` prints the same as a table and draws it.
#![allow(missing_docs)] // of what the macros of criterion make

mod shapes;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use quaff::Simplifier;
use std::hint::black_box;

fn growth(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    for (name, make) in shapes::GROWING {
        let mut group = c.benchmark_group(name);
        for n in shapes::sizes() {
            let (expr, domain) = make(n);
            group.throughput(Throughput::Elements(n as u64));
            group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, _| {
                b.iter(|| simplifier.simplify(black_box(&expr), &domain));
            });
        }
    }
}

/// Thousands of operations: what takes more than about n log n is slow here.
fn large(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    for (name, make) in shapes::large::LARGE {
        let mut group = c.benchmark_group(name);
        for n in [256, 1024, 4096] {
            let (expr, domain) = make(n);
            group.throughput(Throughput::Elements(n as u64));
            group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, _| {
                b.iter(|| simplifier.simplify(black_box(&expr), &domain));
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = growth, large
}
criterion_main!(benches);
