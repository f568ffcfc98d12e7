//! The growth of the time of a call with the size of its input: `cargo bench --bench growth`.
//!
//! `cargo run --profile dist --example growth` prints these times as a table and draws them.
#![allow(missing_docs)] // the macros of criterion make public items without documentation

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

/// Inputs of thousands of operations, which show whether a call takes more than about n log n.
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

/// Copies of a gated access, as in an unrolled loop.
fn unrolled(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    let mut group = c.benchmark_group("unrolled copies");
    for n in [1, 16, 128, 512] {
        let (accesses, domain) = (shapes::copies::copies(n), shapes::copies::domain());
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, _| {
            b.iter(|| simplifier.simplify_accesses(black_box(&accesses), &domain));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = growth, large, unrolled
}
criterion_main!(benches);
