//! Layouts over bits, against what they do with each number.

use crate::oracle::{Random, index};
use quaff::expr::{Expr, Program, var};
use quaff_fronts::banks::Swizzle;
use quaff_fronts::layout::{Layout, LinearLayout};
use std::collections::BTreeSet;

fn random(random: &mut Random, inputs: i64, most: u64, bits: usize) -> LinearLayout {
    let bases: Vec<Vec<i64>> =
        (0..inputs).map(|_| (0..random.below(most + 1)).map(|_| random.below(1 << bits)).collect()).collect();
    LinearLayout::new(&bases, bits).expect("few bits")
}

/// Every coordinate, the first input fastest.
fn coordinates(layout: &LinearLayout) -> Vec<Vec<i64>> {
    layout.bases().iter().rev().fold(vec![Vec::new()], |all, bases| {
        let longer =
            |rest: &Vec<i64>| (0..1_i64 << bases.len()).map(|c| [&[c], &rest[..]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

/// The number with the bits of all coordinates.
fn joined(layout: &LinearLayout, at: &[i64]) -> i64 {
    layout.bases().iter().zip(at).rev().fold(0, |n, (bases, c)| (n << bases.len()) | c)
}

#[test]
fn functions_of_bits() {
    let mut source = Random(21);
    let (mut inverted, mut divided) = (0, 0);
    for _ in 0..4_000 {
        let bits = 1 + source.below(4) as usize;
        let (inputs, most) = (1 + source.below(2), 3);
        let a = random(&mut source, inputs, most, bits);
        let all = coordinates(&a);
        let indices: Vec<i64> = all.iter().map(|at| a.apply(at).expect("in range")).collect();
        for (x, i) in all.iter().zip(&indices) {
            for (y, j) in all.iter().zip(&indices) {
                let both: Vec<i64> = x.iter().zip(y).map(|(x, y)| x ^ y).collect();
                assert_eq!(a.apply(&both), Some(i ^ j), "{a} is linear");
            }
        }
        let different: BTreeSet<i64> = indices.iter().copied().collect();
        assert_eq!(a.is_injective(), different.len() == indices.len(), "{a}");
        assert_eq!(a.is_surjective(), different.len() == 1 << bits, "{a}");
        assert_eq!(1 << a.rank(), different.len(), "{a}");
        match a.invert() {
            Ok(inverse) => {
                inverted += 1;
                for (at, index) in all.iter().zip(&indices) {
                    assert_eq!(inverse.apply(&[*index]), Some(joined(&a, at)), "{inverse} of {a}");
                }
            }
            Err(_) => assert!(!(a.is_injective() && a.is_surjective()), "{a}"),
        }
        let outer = random(&mut source, a.bases().len() as i64, 2, 3);
        let product = a.product(&outer).expect("few bits");
        for at in coordinates(&product) {
            let split = |part: fn(i64, i64) -> i64| -> Vec<i64> {
                at.iter().zip(a.bases()).map(|(c, bases)| part(*c, 1 << bases.len())).collect()
            };
            let (low, high) = (split(|c, size| c % size), split(|c, size| c / size));
            let expected = a.apply(&low).expect("in range") + (outer.apply(&high).expect("in range") << bits);
            assert_eq!(product.apply(&at), Some(expected), "{a} times {outer}");
        }
        assert_eq!(product.divide_left(&a), Some(outer), "{product} by {a}");
        let other = random(&mut source, a.bases().len() as i64, 2, 2);
        if let Some(rest) = a.divide_left(&other) {
            divided += 1;
            assert_eq!(other.product(&rest).expect("few bits"), a);
        }
        let total: usize = a.bases().iter().map(Vec::len).sum();
        let inner = random(&mut source, 2, 3, total.min(3));
        let after = a.compose(&inner).expect("its indices are coordinates");
        for at in coordinates(&inner) {
            let number = inner.apply(&at).expect("in range");
            let place = all.iter().find(|c| joined(&a, c) == number).expect("a coordinate");
            assert_eq!(after.apply(&at), a.apply(place), "{a} after {inner}");
        }
    }
    assert!(inverted > 100 && divided > 50, "{inverted} {divided}");
}

#[test]
fn the_index_is_that_of_the_bits() {
    let mut source = Random(22);
    for _ in 0..1_000 {
        let a = random(&mut source, 2, 4, 6);
        let names: Vec<Expr> = ["x", "y"].map(var).to_vec();
        let index = a.index(&names).expect("two coordinates");
        let program = Program::new(&[index], &["x", "y"]).expect("two variables");
        for at in coordinates(&a) {
            let wide: Vec<i128> = at.iter().map(|c| i128::from(*c)).collect();
            assert_eq!(program.eval(&wide)[0], Ok(a.apply(&at).expect("in range").into()), "{a} at {at:?}");
        }
    }
}

#[test]
fn layouts_of_powers_of_two_are_linear_and_back() {
    let mut source = Random(23);
    let mut made = 0;
    for case in 0..4_000 {
        let mut layout = source.layout(&[1, 2, 4, 8], &[0, 1, 2, 4, 8, 16, 32, 3]);
        if case % 2 == 0 {
            layout = layout.swizzled(Swizzle::new(2, 0, 2).expect("a swizzle")).expect("no negative strides");
        }
        let Ok(linear) = LinearLayout::of_layout(&layout) else { continue };
        made += 1;
        for at in coordinates(&linear) {
            assert_eq!(linear.apply(&at), layout.at_coordinate(&at), "{layout} and {linear} at {at:?}");
        }
        if let Ok(back) = linear.to_layout() {
            for c in 0..layout.size() {
                assert_eq!(index(&back, c), index(&layout, c), "{layout} and {back}");
            }
        } else {
            assert!(case % 2 == 0, "{layout} without a swizzle has no carry");
        }
    }
    assert!(made > 1_000, "{made}");
    let three: Layout = "(4,2):(3,1)".parse().expect("a layout");
    assert!(LinearLayout::of_layout(&three).expect_err("it carries").to_string().contains("carries"));
}
