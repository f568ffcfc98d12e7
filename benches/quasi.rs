//! Compares the time of the exact procedure with the time of an enumeration of every point.
#![allow(missing_docs)] // the macros of criterion make public items without documentation

#[path = "shapes/hostile.rs"]
mod hostile;

use criterion::{Criterion, criterion_group, criterion_main};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Canonical, Options, Verdict, decide, enumerate};
use std::hint::black_box;
use std::time::Duration;

struct Case {
    name: &'static str,
    a: &'static str,
    b: &'static str,
    ranges: &'static [(&'static str, i64)],
}

/// Cases from a part of a tile to a whole tensor. The number of points in the box grows, but the exact procedure visits few points.
const CASES: [Case; 4] = [
    Case { name: "tile", a: "(x*64 + y)//64%16*64 + (x*64 + y)%64", b: "x*64 + y", ranges: &[("x", 16), ("y", 64)] },
    Case {
        name: "period",
        a: "(8*x + 2*y)//16 + x%12//4",
        b: "x//2 + x//4 - 3*(x//12)",
        ranges: &[("x", 1 << 18), ("y", 4)],
    },
    Case {
        name: "gate",
        a: "where(not r + a < 1 and r + a*2 < 34 and not s + b < 1 and s + b*2 < 34, (r + a*2 + s*33 + b*66 + 6500)%6534, -1)",
        b: "where(not r + a < 1 and r + a*2 < 34 and not s + b < 1 and s + b*2 < 34, r + a*2 + s*33 + b*66 - 34, -1)",
        ranges: &[("a", 17), ("b", 17), ("r", 3), ("s", 3)],
    },
    Case {
        name: "tensor",
        a: "(r4 + r2*64 + r0*768 + r3*2304 + r1*177408)//2304%77*768 + (r4 + r2*64)%768",
        b: "r3*768 + r2*64 + r4",
        ranges: &[("r0", 3), ("r1", 4), ("r2", 12), ("r3", 77), ("r4", 64)],
    },
];

fn verdicts(c: &mut Criterion) {
    let mut group = c.benchmark_group("quasi");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    let options = Options { smt_timeout: Duration::ZERO, ..Options::default() };
    for case in CASES {
        let mut domain = Domain::new();
        for (name, count) in case.ranges {
            domain.add_bounds(*name, 0..*count);
        }
        let (a, b): (Expr, Expr) = (case.a.parse().expect("valid"), case.b.parse().expect("valid"));
        let exact = decide(&a, &b, &domain, &options);
        let plain = enumerate(&a, &b, &domain, &options);
        assert_eq!((&exact.verdict, &plain.verdict), (&Verdict::Equal, &Verdict::Equal), "{}", case.name);
        println!("{}: {} points by the exact procedure, {} in all", case.name, exact.points, plain.points);
        group.bench_function(format!("{}/exact", case.name), |bench| {
            bench.iter(|| decide(black_box(&a), black_box(&b), &domain, &options));
        });
        group.bench_function(format!("{}/enumeration", case.name), |bench| {
            bench.iter(|| enumerate(black_box(&a), black_box(&b), &domain, &options));
        });
    }
    let e: Expr = "(x + 3)//4*7 + x%60//5 - 11*x//6".parse().expect("valid");
    group.bench_function("canonical", |bench| bench.iter(|| Canonical::of(black_box(&e), "x")));
    group.finish();
}

/// Sizes of the classes that are hard to compare. The time should grow by a factor of about four from size to size.
const SIZES: [usize; 4] = [1_000, 4_000, 16_000, 64_000];

fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("growth");
    group.sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    let options = Options { smt_timeout: Duration::ZERO, ..Options::default() };
    for (name, make) in hostile::CLASSES.into_iter().chain(hostile::LIMITED) {
        for n in SIZES {
            let (a, b, domain) = make(n);
            let d = decide(&a, &b, &domain, &options);
            println!("{name}, {n}: {} steps, {} evaluations, {}", d.steps, d.evaluations, d.verdict);
            group.bench_function(format!("{name}/{n}"), |bench| {
                bench.iter(|| decide(black_box(&a), black_box(&b), &domain, &options));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, verdicts, growth);
criterion_main!(benches);
