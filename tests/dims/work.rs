//! Large programs take work in proportion to their size, counted in allocations. `benches/dims.rs` measures time.

use allocation_counter::{AllocationInfo, measure};
use quaff::expr::{Expr, var};
use quaff_fronts::dims::{Dim, Dims, DimsError, Unroll};
use quaff_fronts::kernel::{Kernel, KernelError};

/// Fails if four times the size takes more than `most` times the work.
fn assert_growth(what: &str, few: AllocationInfo, many: AllocationInfo, most: f64) {
    for (unit, few, many) in
        [("allocations", few.count_total, many.count_total), ("bytes allocated", few.bytes_total, many.bytes_total)]
    {
        let factor = many as f64 / few.max(1) as f64;
        println!("{what}: {few} {unit}, {many} for four times the size: {factor:.2} times");
        assert!(factor <= most, "{what}: {few} {unit}, {many} for four times the size: {factor:.2} times");
    }
}

/// The work of one call.
fn work<T>(call: impl FnOnce() -> T) -> (T, AllocationInfo) {
    let mut result = None;
    let work = measure(|| result = Some(call()));
    (result.expect("called"), work)
}

fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ((*seed >> 33) % below as u64) as usize
}

/// `count` dimensions of sizes 2^i * 3^j, of which `stated` have a stated size, and twice as many equations
/// `a * b * x = c * y`.
fn random_program(count: usize, stated: usize) -> Result<(Dims, Vec<Dim>, Vec<i64>), DimsError> {
    let mut seed = 7;
    let mut dims = Dims::new();
    let exponents: Vec<(u32, u32)> =
        (0..count).map(|_| (random(&mut seed, 4) as u32, random(&mut seed, 3) as u32)).collect();
    let sizes: Vec<i64> = exponents.iter().map(|&(i, j)| 2i64.pow(i) * 3i64.pow(j)).collect();
    let all: Vec<Dim> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| dims.dim(&format!("d{i}"), (i < stated).then_some(size)))
        .collect::<Result<_, _>>()?;
    for i in 0..2 * count {
        let [b, c] = [0; 2].map(|_| random(&mut seed, count));
        let a = if i < count { i } else { random(&mut seed, count) };
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
    // if 300 of 1,000 sizes are stated, most equations have one unknown. If none is stated, the sizes are one system of
    // equations, and the elimination of a dense system takes cubic time
    for (per_thousand, most) in [(300, 5.0), (30, 8.0), (0, 50.0)] {
        let solve = |count: usize| {
            let (mut dims, all, sizes) = random_program(count, count / 250 * per_thousand / 4)?;
            let (solved, work) = work(|| dims.init().map(drop));
            solved?;
            for (&d, &size) in all.iter().zip(&sizes) {
                assert_eq!(dims.size(d)?, size);
            }
            Ok::<_, DimsError>(work)
        };
        assert_growth(&format!("{per_thousand} of 1,000 given"), solve(250)?, solve(1000)?, most);
    }
    Ok(())
}

#[test]
fn sizes_without_small_factors() -> Result<(), DimsError> {
    for bits in [17, 31, 62] {
        let solve = |count: usize| {
            let mut seed = 11;
            let mut dims = Dims::new();
            let mut pairs = vec![];
            for i in 0..count {
                let size = ((random(&mut seed, 1 << 31) << 31 | random(&mut seed, 1 << 31)) as i64 >> (62 - bits)) + 1;
                let (d, e) = (dims.dim(&format!("d{i}"), size)?, dims.dim(&format!("e{i}"), None)?);
                dims.eq((d, 6), (e, 3, 2))?;
                dims.eq((e, 5), (5, d))?;
                pairs.push((e, size));
            }
            let (known, work) = work(|| dims.known_size(pairs[0].0));
            known?;
            for (e, size) in pairs {
                assert_eq!(dims.size(e)?, size);
            }
            Ok::<_, DimsError>(work)
        };
        assert_growth(&format!("sizes of {bits} bits"), solve(250)?, solve(1000)?, 5.0);
    }
    Ok(())
}

/// The work of 500 loops over one group of dimensions, beside `others` groups that the loops do not affect.
fn loops_beside(others: usize) -> Result<AllocationInfo, DimsError> {
    let mut dims = Dims::new();
    let mut blocks: Vec<[Dim; 3]> = vec![];
    for i in 0..=others {
        let (a, b) = (dims.dim(&format!("a{i}"), 4)?, dims.dim(&format!("b{i}"), 8)?);
        blocks.push([dims.dim_eq(&format!("n{i}"), (a, b))?, a, b]);
    }
    let mut ix = dims.init()?;
    for [n, ..] in &blocks[1..] {
        ix.set(*n, var("t"))?;
    }
    let addresses = |values: Vec<Expr>| values.iter().map(Expr::address).collect::<Vec<_>>();
    let read =
        |ix: &quaff_fronts::dims::Indices| blocks[1..].iter().map(|[_, a, _]| ix.get_raw(*a)).collect::<Result<_, _>>();
    let before: Vec<Expr> = read(&ix)?;
    let (done, work) = work(|| {
        for _ in 0..500 {
            let mut ix = ix.loop_over(blocks[0][1], "i", Unroll::Auto)?;
            ix.set(blocks[0][2], var("j"))?;
            assert!(ix.get_raw(blocks[0][0]).is_ok());
        }
        Ok::<_, DimsError>(())
    });
    done?;
    // the other indices are the same objects, so they were not built again
    assert_eq!(addresses(read(&ix)?), addresses(before));
    Ok(work)
}

#[test]
fn a_change_costs_what_it_solves() -> Result<(), DimsError> {
    let (few, many) = (loops_beside(50)?, loops_beside(5_000)?);
    println!("500 loops: {few:?} beside 50 equations, {many:?} beside 5,000");
    assert!(many.count_total <= few.count_total + 100, "{few:?} beside 50 equations, {many:?} beside 5,000");
    assert!(many.bytes_total <= few.bytes_total * 2, "{few:?} beside 50 equations, {many:?} beside 5,000");
    Ok(())
}

/// A kernel of `count` equations `e = f * g` whose indices are all set and requested. Returns the work to record the
/// kernel, and the work to print it.
fn all_wanted(count: usize) -> Result<[AllocationInfo; 2], KernelError> {
    let mut dims = Dims::new();
    let mut all: Vec<[Dim; 3]> = vec![];
    for i in 0..count {
        let (f, g) = (dims.dim(&format!("f{i}"), 4)?, dims.dim(&format!("g{i}"), 8)?);
        all.push([dims.dim_eq(&format!("e{i}"), (f, g))?, f, g]);
    }
    let mut kernel = Kernel::new("all", dims.init()?);
    let (recorded, recording) = work(|| {
        kernel.body(|b| {
            for (i, [_, f, g]) in all.iter().enumerate() {
                b.bind(*f, &format!("x{i}"), &format!("x({i})"))?;
                b.bind(*g, &format!("y{i}"), &format!("y({i})"))?;
            }
            for (i, [e, ..]) in all.iter().enumerate() {
                b.frame(|b| b.inside(&[*e], |b| b.index(&format!("e{i}"), *e)))?;
            }
            Ok(())
        })
    });
    recorded?;
    let (text, printing) = work(|| kernel.emit());
    assert!(text?.source.contains("x0 * 8 + y0"));
    Ok([recording, printing])
}

#[test]
fn a_kernel_costs_what_it_asks_for() -> Result<(), KernelError> {
    let ([recording, printing], [recordings, printings]) = (all_wanted(100)?, all_wanted(400)?);
    assert_growth("indices that are wanted", recording, recordings, 5.0);
    assert_growth("printing them", printing, printings, 6.0);
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
    // a side of an equation may have many factors
    let mut dims = Dims::new();
    let parts = (0..20_000).map(|i| dims.dim("p", if i < 30 { 2 } else { 1 })).collect::<Result<Vec<_>, _>>()?;
    let whole = dims.dim_eq("whole", &parts[..])?;
    let mut ix = dims.init()?;
    ix.set(whole, var("x"))?;
    assert_eq!(ix.get_raw(parts[29])?.to_string(), "x%2");
    Ok(())
}
