//! The time to solve sizes, and to compute indices.

#![allow(missing_docs)] // `criterion_group!` writes a public function without documentation

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use quaff::expr::var;
use quaff_fronts::dims::{Dim, Dims, Indices, Scope, Unroll};
use std::hint::black_box;

fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*seed >> 33) % below as u64) as usize
}

/// 1,000 dimensions whose sizes are powers of two, and 2,000 equations. If no sizes are stated, all equations depend on each other.
fn thousand(stated: usize) -> Dims {
    let mut seed = 7;
    let mut dims = Dims::new();
    let exponents: Vec<u32> = (0..1000).map(|_| random(&mut seed, 8) as u32).collect();
    let size = |i: usize| (i < stated).then_some(1i64 << exponents[i]);
    let all: Vec<Dim> = (0..1000).map(|i| dims.dim(&format!("d{i}"), size(i)).expect("a size")).collect();
    for i in 0..2000 {
        let [b, c] = [0; 2].map(|_| random(&mut seed, 1000));
        let a = if i < 1000 { i } else { random(&mut seed, 1000) };
        let (left, right) = (exponents[a] + exponents[b], exponents[c]);
        let common = left.min(right);
        dims.eq((all[a], all[b], 1i64 << (right - common)), (all[c], 1i64 << (left - common))).expect("an equation");
    }
    dims
}

/// A tensor-core kernel: dimensions, and the scope that loads one operand.
fn kernel() -> (Indices, [Dim; 5], Scope) {
    let build = || {
        let mut dims = Dims::new();
        let (thread, warp, lane) = (dims.dim("thread", 128)?, dims.dim("warp", 4)?, dims.dim("lane", 32)?);
        dims.eq(thread, (warp, lane))?;
        let (k, n) = (dims.dim("k", 128)?, dims.dim("n", 128)?);
        let (kt, nt, kit, nit) =
            (dims.dim("kt", 8)?, dims.dim("nt", 8)?, dims.dim("kit", None)?, dims.dim("nit", None)?);
        dims.eq(k, (kit, kt))?;
        dims.eq(n, (warp, nit, nt))?;
        let (g, s, v) = (dims.dim("g", 8)?, dims.dim("s", 4)?, dims.dim("v", 2)?);
        dims.eq(lane, (g, s))?;
        let matrix = dims.dim_eq("matrix", (n, k))?;
        let load = dims.new_scope("load")?;
        dims.scope(load)?.eq(nt, g)?;
        dims.scope(load)?.eq(kt, (s, v))?;
        Ok::<_, quaff_fronts::dims::DimsError>((dims.init()?, [thread, kit, nit, v, matrix], load))
    };
    build().expect("a kernel")
}

fn bench(c: &mut Criterion) {
    for stated in [300, 0] {
        let name = format!("sizes: 1000 dims, 2000 equations, {stated} stated");
        c.bench_function(&name, |b| {
            b.iter_batched(|| thousand(stated), |mut dims| black_box(dims.init().is_ok()), BatchSize::LargeInput)
        });
    }
    let (ix, [thread, kit, nit, v, matrix], load) = kernel();
    c.bench_function("indices: one operand load of a tensor-core kernel", |b| {
        let mut ix = ix.clone();
        ix.set(thread, var("t")).expect("free");
        b.iter(|| {
            let mut ix = ix.scope(load)?;
            let mut ix = ix.loop_over(kit, "i", Unroll::Auto)?;
            let mut ix = ix.loop_over(nit, "j", Unroll::Full)?;
            let ix = ix.vectorize(v, 2)?;
            ix.get_raw(matrix)
        })
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
