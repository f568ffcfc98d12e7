//! Merged dimensions of a view, and common loops over the elements of several views.

use crate::views::{Choices, exprs, sizes, table};
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::int;
use quaff_fronts::view::{ViewStack, common_loops, merge_dims};

proptest! {
    /// The addresses follow from the merged dimensions: size, stride, and real size, which is the number of values
    /// before the digit repeats. This also holds for strides and masks that are not canonical.
    #[test]
    fn merged_dimensions_mean_what_they_say(seed in any::<u64>()) {
        let mut choices = Choices::new(seed);
        let rank = choices.below(4) as usize + 1;
        let shape: Vec<i64> = (0..rank).map(|_| choices.below(4) + 1).collect();
        // most strides continue the stride of the next axis
        let mut strides = vec![0; rank];
        let mut run = 1;
        for axis in (0..rank).rev() {
            strides[axis] = match choices.below(4) {
                0 => choices.below(4),
                1 => 0,
                _ => run,
            };
            run = strides[axis] * shape[axis];
        }
        let mask: Vec<(i64, i64)> = shape
            .iter()
            .map(|s| {
                let begin = choices.below(*s);
                [(0, *s), (begin, begin + 1), (begin, *s)][choices.below(3) as usize]
            })
            .collect();
        let mask = (choices.below(3) > 0).then_some(mask);
        let given = mask.as_ref().map(|m| m.iter().map(|(b, e)| (int(*b), int(*e))).collect::<Vec<_>>());
        let merged = merge_dims(&Domain::new(), &exprs(&shape), &exprs(&strides), given.as_deref()).unwrap();
        let merged: Vec<[i64; 3]> =
            merged.iter().map(|m| [&m.size, &m.stride, &m.real].map(|e| e.as_const().unwrap())).collect();
        prop_assert_eq!(merged.iter().map(|m| m[0]).product::<i64>(), shape.iter().product::<i64>());
        let mut difference = None;
        for (number, index) in crate::views::indices(&shape).enumerate() {
            let valid = |m: &Vec<(i64, i64)>| index.iter().zip(m).all(|(x, (b, e))| b <= x && x < e);
            if !mask.as_ref().is_none_or(valid) {
                continue;
            }
            let address: i64 = index.iter().zip(&strides).map(|(x, s)| x * s).sum();
            let mut left = number as i64;
            let mut sum = 0;
            for [size, stride, real] in merged.iter().rev() {
                let digit = left % size;
                left /= size;
                sum += if *real == 0 { 0 } else { stride * (digit % real) };
            }
            prop_assert_eq!(*difference.get_or_insert(address - sum), address - sum, "{:?} {:?} {:?}", shape, strides, mask);
        }
    }

    /// The common loops visit all elements of each view, and all views have the same order of axes.
    #[test]
    fn loops_read_the_same(seed in any::<u64>()) {
        let mut choices = Choices::new(seed);
        let rank = choices.below(4) as usize + 1;
        let shape: Vec<i64> = (0..rank).map(|_| choices.below(3) + 1).collect();
        let view = |choices: &mut Choices| {
            let mut order: Vec<usize> = (0..rank).collect();
            order.sort_by_key(|_| choices.below(3));
            let mut strides = vec![0; rank];
            let mut run = 1;
            for &axis in order.iter().rev() {
                strides[axis] = if choices.below(4) == 0 { 0 } else { run };
                run *= shape[axis];
            }
            let mask: Vec<_> = shape.iter().map(|s| if choices.below(4) == 0 { (int(0), int(s - 1)) } else { (int(0), int(*s)) }).collect();
            ViewStack::strided(Domain::new(), &exprs(&shape), &exprs(&strides), &int(0), Some(&mask)).unwrap()
        };
        let views: Vec<ViewStack> = (0..choices.below(2) + 1).map(|_| view(&mut choices)).collect();
        let common = common_loops(&views).unwrap();
        for (view, looped) in views.iter().zip(&common.views) {
            // the axes in the order of the loops
            let mut order: Vec<usize> = common.axes.concat();
            order.extend((0..rank).filter(|a| !common.axes.concat().contains(a)));
            let permuted = view.permute(&order).unwrap();
            prop_assert_eq!(table(&permuted), table(looped), "{} {} {:?}", view, looped, common.axes);
            prop_assert_eq!(sizes(looped).len(), common.axes.len());
        }
    }
}

#[test]
fn two_transposed_matrices_are_one_loop() {
    let matrix = ViewStack::row_major([6, 4]).unwrap().permute(&[1, 0]).unwrap();
    let common = common_loops(&[matrix.clone(), matrix.clone()]).unwrap();
    assert_eq!(common.axes, [[1, 0]]);
    assert_eq!(common.views[0].to_string(), "(24):(1)");
    let rows = ViewStack::row_major([4, 6]).unwrap();
    assert_eq!(common_loops(&[matrix, rows]).unwrap().axes, [[0], [1]]);
}

#[test]
fn axes_that_are_repeated_everywhere_are_one_loop() {
    let repeated = ViewStack::row_major([1, 1, 1, 1, 5]).unwrap().expand([2, 3, 4, 5, 5]).unwrap();
    assert_eq!(common_loops(&[repeated.clone(), repeated]).unwrap().axes, [vec![0, 1, 2, 3], vec![4]]);
}

#[test]
fn no_element_stays_no_element() {
    let none = ViewStack::row_major([1, 1]).unwrap().pad([(0, 0), (1, 0)]).unwrap().shrink([(0, 1), (0, 1)]).unwrap();
    let common = common_loops(&[none]).unwrap();
    assert!(table(&common.views[0]).iter().all(Option::is_none), "{}", common.views[0]);
    assert!(common_loops(&[]).unwrap().axes.is_empty());
}
