//! The latency of a call for each kind of expression, for a corpus, and for whole kernels: `cargo bench --bench simplify`.
#![allow(missing_docs)] // the macros of criterion make public items without documentation

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, parse};
use quaff_lab::experiment::{Asked, Line};
use std::hint::black_box;
use std::path::Path;

/// The name, expression and declarations of a typical case of each kind.
const KINDS: [(&str, &str, &[&str]); 7] = [
    ("linear", "(i*64 + j)*4 + k", &["i=0..63", "j=0..63", "k=0..3"]),
    ("reshape", "(i*512 + j)//512*600 + (i*512 + j)%512", &["i=0..1023", "j=0..511"]),
    ("irreducible", "x//7*5 + x%11*3 + (x//3 + 2)%13", &["x=0..99999"]),
    (
        "transpose",
        "(a*480 + b*16 + c)//16%30*64 + (a*480 + b*16 + c)//480*1920 + (a*480 + b*16 + c)%16*4",
        &["a=0..7", "b=0..29", "c=0..15"],
    ),
    ("symbolic", "(r*w + c)//w*h + (r*w + c)%w", &["w=1..4096", "h=1..4096", "c=0..w-1", "r=0..99"]),
    ("gated", "where(r + a >= 1 and r + a*2 < 34, (r + a*2 + 6500)%6534, -1)", &["a=0..16", "r=0..2"]),
    ("bits", "(x & 15) + (x >> 4 << 4)", &["x=0..65535"]),
];

fn kinds(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    let mut group = c.benchmark_group("kind");
    for (name, text, declarations) in KINDS {
        let expr: Expr = text.parse().expect(text);
        let mut domain = Domain::new();
        declarations.iter().for_each(|d| domain.declare(d).expect(d));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| simplifier.simplify(black_box(&expr), &domain).expect(text));
        });
    }
}

/// Reads five megabytes of text. `tests/expr/parse.rs` checks that the work is linear.
fn reading(c: &mut Criterion) {
    let text = format!("x{}", " + (i*16 + j)//4%8".repeat(280_000));
    let mut group = c.benchmark_group("reading");
    group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("five megabytes", |b| b.iter(|| drop(parse(black_box(&text)).expect("valid"))));
}

fn corpora(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    let mut group = c.benchmark_group("corpus");
    group.sample_size(10);
    for name in ["tinygrad_kernels", "inductor_kernels"] {
        let cases = load(name);
        group.throughput(Throughput::Elements(cases.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| {
                for (expr, domain) in &cases {
                    let _ = black_box(simplifier.simplify(expr, domain));
                }
            });
        });
    }
}

/// Kernels of the corpus: some of a median size with and without masks, and the largest kernels of each origin.
const KERNELS: [&str; 6] = [
    "inductor/encoder/14",
    "tinygrad/maxpool_17x11_k3s1p1d2c0_bwd/1.noopt",
    "tinygrad/conv_b1_5_7x7_10_k2s1p1d1g5_bwd/0.l16",
    "inductor/lnperm/3",
    "tinygrad/attn_causal/4",
    "tinygrad/conv1d_3_31_5_3s2p1d1/0",
];

fn kernels(c: &mut Criterion) {
    let simplifier = Simplifier::default();
    let mut group = c.benchmark_group("kernel");
    let text = read("kernels");
    for name in KERNELS {
        let line = text.lines().find(|l| l.contains(&format!("\"id\": \"{name}\""))).expect(name);
        let (Asked::Accesses(_, accesses), domain) = Line::read(line.as_bytes()).expect(name).asked().expect(name)
        else {
            panic!("{name}: no accesses")
        };
        group.throughput(Throughput::Elements(accesses.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| simplifier.simplify_accesses(black_box(&accesses), &domain).expect(name));
        });
    }
}

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).with_extension("jsonl");
    std::fs::read_to_string(&path).expect("the corpus is part of the repository")
}

fn load(name: &str) -> Vec<(Expr, Domain)> {
    let case = |line: &str| {
        let v: serde_json::Value = serde_json::from_str(line).expect(line);
        let mut domain = Domain::new();
        for (name, ends) in v["vars"].as_object().expect(line) {
            domain.add_bounds(name.as_str(), ends[0].as_i64().expect(line)..=ends[1].as_i64().expect(line));
        }
        (parse(v["expr"].as_str().expect(line)).expect(line).into_expr(), domain)
    };
    read(name).lines().map(case).collect()
}

criterion_group!(benches, kinds, reading, corpora, kernels);
criterion_main!(benches);
