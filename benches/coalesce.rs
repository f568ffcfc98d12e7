//! The time of a search for schedules, by the number of digits and by the number of elements.
#![allow(missing_docs)] // the macros of criterion make public items without documentation

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use quaff::Simplifier;
use quaff_fronts::coalesce::{Access, Warp, search};
use std::hint::black_box;

/// The binary digits of `i` in reverse order. No index over the same range has more digits.
fn reversed(bits: u32) -> String {
    let digit = |bit: u32| format!("i//{}%2*{}", 1_u64 << bit, 1_u64 << (bits - 1 - bit));
    (0..bits).map(digit).collect::<Vec<_>>().join(" + ")
}

fn searches(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    let mut group = c.benchmark_group("coalesce");
    group.sample_size(10);
    let mut time = |name: &str, size: u64, index: &str, n: u64| {
        let access = Access::new(index.parse().expect(index), 4).expect("an access");
        group.bench_with_input(BenchmarkId::new(name, size), &access, |b, access| {
            let accesses = std::slice::from_ref(access);
            b.iter(|| black_box(search(accesses, "i", n, Warp::default(), &simplifier).expect("an answer")));
        });
    };
    for bits in [6, 8, 10, 12, 14, 16, 18, 20] {
        time("digits", bits.into(), &reversed(bits), 1 << bits);
    }
    for bits in [8, 12, 16, 20] {
        let side = 1_u64 << (bits / 2);
        time("elements", 1 << bits, &format!("i%{side}*{side} + i//{side}"), 1 << bits);
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
