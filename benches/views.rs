//! The time of chains of movements, and its growth with the length of the chain and the number of dimensions.
#![allow(missing_docs)] // the macros of criterion make public items without documentation

use criterion::{Criterion, criterion_group, criterion_main};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{int, var};
use quaff_fronts::view::ViewStack;
use std::hint::black_box;
use std::time::Duration;

/// The numbers of movements and of dimensions of the chains. The documentation quotes the time of the first chain.
const CHAINS: [(usize, usize); 5] = [(20, 6), (10, 6), (40, 6), (20, 3), (20, 9)];

/// A chain of `movements` valid movements. A cycle of ten movements transposes, pads, flattens and shrinks the tensor. It then reshapes the
/// flattened rest to the previous shape, which needs another view.
fn chain(start: &ViewStack, movements: usize) -> ViewStack {
    let rank = start.rank();
    let first_axis = |pair: (i64, i64)| (0..rank).map(move |axis| if axis == 0 { pair } else { (0, 0) });
    let (mut stack, mut before) = (start.clone(), start.shape().to_vec());
    for movement in 0..movements {
        let elements = || stack.shape().iter().cloned().reduce(|a, b| a * b).unwrap_or(int(1));
        let transposed = || before.iter().rev().cloned();
        let next = match movement % 10 {
            0 => stack.permute(&(0..rank).rev().collect::<Vec<_>>()),
            1 => stack.pad(first_axis((1, 1))),
            2 => stack.flip(&[0]),
            3 | 6 => stack.reshape([elements()]),
            4 => stack.reshape(transposed().enumerate().map(|(axis, s)| if axis == 0 { s + 2 } else { s })),
            5 => {
                stack.shrink(transposed().enumerate().map(|(a, s)| if a == 0 { (int(1), s + 1) } else { (int(0), s) }))
            }
            7 => stack.reshape(before.iter().cloned()),
            8 => stack.flip(&[rank - 1]),
            _ => stack.permute(&(1..rank).chain([0]).collect::<Vec<_>>()),
        };
        stack = next.expect("a movement that fits");
        if movement % 10 == 9 {
            before = stack.shape().to_vec();
        }
    }
    stack
}

fn chains(c: &mut Criterion) {
    let mut group = c.benchmark_group("views");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for (movements, rank) in CHAINS {
        let start = ViewStack::row_major((0..rank as i64).map(|k| 2 + k % 3)).expect("a shape");
        let end = chain(&start, movements);
        println!("{movements} movements of {rank} dimensions: {} views", end.views().len());
        group.bench_function(format!("{movements}_movements/{rank}_dimensions"), |bench| {
            bench.iter(|| chain(black_box(&start), movements));
        });
    }
    let (start, simplifier) = (ViewStack::row_major([2, 3, 4, 2, 3, 4]).expect("a shape"), Simplifier::default());
    let end = chain(&start, 20);
    let names = end.index_names();
    group.bench_function("20_movements/6_dimensions/simplify", |bench| {
        bench.iter(|| black_box(&end).simplify(&simplifier, &names));
    });
    let sizes = Domain::new().with("n", 1..=64);
    let start = ViewStack::row_major_in(sizes, [var("n"), int(3), int(4), int(2), int(3), int(4)]).expect("a shape");
    group.bench_function("10_movements/6_dimensions/one_variable", |bench| {
        bench.iter(|| chain(black_box(&start), 10));
    });
    group.finish();
}

criterion_group!(benches, chains);
criterion_main!(benches);
