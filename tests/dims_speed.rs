//! Large programs: generous bounds, so that only a wrong complexity fails. `benches/dims.rs` has the figures.

use quaff::dims::{Dim, Dims, DimsError, Unroll};
use quaff::expr::{Expr, var};
use std::time::{Duration, Instant};

/// Unoptimised builds on busy machines; the bound for an optimised one is a tenth.
const BOUND: Duration = Duration::from_millis(1000);

fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*seed >> 33) % below as u64) as usize
}

/// 1,000 dimensions of sizes 2^i * 3^j, `stated` of them given, and 2,000 equations `a * b * x = c * y`.
fn thousand(stated: usize) -> Result<(Dims, Vec<Dim>, Vec<i64>), DimsError> {
    let mut seed = 7;
    let mut dims = Dims::new();
    let exponents: Vec<(u32, u32)> =
        (0..1000).map(|_| (random(&mut seed, 4) as u32, random(&mut seed, 3) as u32)).collect();
    let sizes: Vec<i64> = exponents.iter().map(|&(i, j)| 2i64.pow(i) * 3i64.pow(j)).collect();
    let all: Vec<Dim> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| dims.dim(&format!("d{i}"), (i < stated).then_some(size)))
        .collect::<Result<_, _>>()?;
    for i in 0..2000 {
        let [b, c] = [0; 2].map(|_| random(&mut seed, 1000));
        let a = if i < 1000 { i } else { random(&mut seed, 1000) };
        let excess = |x: [u32; 3]| (x[2].saturating_sub(x[0] + x[1]), (x[0] + x[1]).saturating_sub(x[2]));
        let (l2, r2) = excess([exponents[a].0, exponents[b].0, exponents[c].0]);
        let (l3, r3) = excess([exponents[a].1, exponents[b].1, exponents[c].1]);
        let (left, right) = (2i64.pow(l2) * 3i64.pow(l3), 2i64.pow(r2) * 3i64.pow(r3));
        dims.eq((all[a], all[b], left), (all[c], right))?;
    }
    Ok((dims, all, sizes))
}

#[test]
fn thousand_sizes() -> Result<(), DimsError> {
    // 300 given: mostly one unknown at a time; 0 given: one system of 1,000 tied sizes
    for stated in [300, 30, 0] {
        let (mut dims, all, sizes) = thousand(stated)?;
        let start = Instant::now();
        dims.init()?;
        let took = start.elapsed();
        println!("{stated} stated: {took:?}");
        assert!(took < BOUND * if stated == 0 { 8 } else { 1 }, "{stated} stated: {took:?}");
        for (&d, &size) in all.iter().zip(&sizes) {
            assert_eq!(dims.size(d)?, size);
        }
    }
    Ok(())
}

#[test]
fn sizes_without_small_factors() -> Result<(), DimsError> {
    let mut seed = 11;
    for bits in [17, 31, 62] {
        let mut dims = Dims::new();
        let mut pairs = vec![];
        for i in 0..1000 {
            let size = ((random(&mut seed, 1 << 31) << 31 | random(&mut seed, 1 << 31)) as i64 >> (62 - bits)) + 1;
            let (d, e) = (dims.dim(&format!("d{i}"), size)?, dims.dim(&format!("e{i}"), None)?);
            dims.eq((d, 6), (e, 3, 2))?;
            dims.eq((e, 5), (5, d))?;
            pairs.push((e, size));
        }
        let start = Instant::now();
        dims.known_size(pairs[0].0)?;
        let took = start.elapsed();
        println!("sizes of {bits} bits: {took:?}");
        assert!(took < BOUND, "{took:?}");
        for (e, size) in pairs {
            assert_eq!(dims.size(e)?, size);
        }
    }
    Ok(())
}

#[test]
fn a_change_costs_what_it_solves() -> Result<(), DimsError> {
    let mut dims = Dims::new();
    let mut blocks: Vec<[Dim; 3]> = vec![];
    for i in 0..5000 {
        let (a, b) = (dims.dim(&format!("a{i}"), 4)?, dims.dim(&format!("b{i}"), 8)?);
        blocks.push([dims.dim_eq(&format!("n{i}"), (a, b))?, a, b]);
    }
    let mut ix = dims.init()?;
    for [n, ..] in &blocks[1..] {
        ix.set(*n, var("t"))?;
    }
    let addresses = |values: Vec<Expr>| values.iter().map(Expr::address).collect::<Vec<_>>();
    let read = |ix: &quaff::dims::Indices| blocks[1..].iter().map(|[_, a, _]| ix.get_raw(*a)).collect::<Result<_, _>>();
    let before: Vec<Expr> = read(&ix)?;
    let start = Instant::now();
    for _ in 0..5000 {
        let mut ix = ix.loop_over(blocks[0][1], "i", Unroll::Auto)?;
        ix.set(blocks[0][2], var("j"))?;
        assert!(ix.get_raw(blocks[0][0]).is_ok());
    }
    let took = start.elapsed();
    println!("5,000 loops beside 5,000 equations: {took:?}");
    assert!(took < BOUND, "{took:?}");
    // the others are not merely equal: they were not built again
    assert_eq!(addresses(read(&ix)?), addresses(before));
    Ok(())
}

#[test]
fn long_chains_do_not_recurse() -> Result<(), DimsError> {
    let mut dims = Dims::new();
    let first = dims.dim("d", 7)?;
    let mut last = first;
    for _ in 0..50_000 {
        last = dims.dim_eq("d", last)?;
    }
    let mut ix = dims.init()?;
    assert_eq!(ix.size(last)?, 7);
    ix.set(first, var("x"))?;
    assert_eq!(ix.get_raw(last)?, var("x"));
    // a side of many terms
    let mut dims = Dims::new();
    let parts = (0..20_000).map(|i| dims.dim("p", if i < 30 { 2 } else { 1 })).collect::<Result<Vec<_>, _>>()?;
    let whole = dims.dim_eq("whole", &parts[..])?;
    let mut ix = dims.init()?;
    ix.set(whole, var("x"))?;
    assert_eq!(ix.get_raw(parts[29])?.to_string(), "x%2");
    Ok(())
}
