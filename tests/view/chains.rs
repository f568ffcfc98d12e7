//! Random chains of movements, compared with arrays that are moved element by element.

use crate::views::{Choices, is_one_view, sizes, table};
use proptest::prelude::*;
use quaff::quasi::{Verdict, equivalent};
use quaff_fronts::view::ViewStack;
use quaff_fronts::view::chain::Chain;

/// An array of addresses, in which some places have no address.
#[derive(Clone, Debug)]
struct Array {
    shape: Vec<i64>,
    values: Vec<Option<i64>>,
}

impl Array {
    /// The array with `value` at every index of `shape`.
    fn of(shape: Vec<i64>, value: impl Fn(&[i64]) -> Option<i64>) -> Array {
        let values = crate::views::indices(&shape).map(|i| value(&i)).collect();
        Array { shape, values }
    }

    fn at(&self, index: &[i64]) -> Option<i64> {
        let inside = index.iter().zip(&self.shape).all(|(x, size)| (0..*size).contains(x));
        let number = index.iter().zip(&self.shape).fold(0, |n, (x, size)| n * size + x);
        if inside { self.values[usize::try_from(number).expect("inside")] } else { None }
    }
}

/// The maximum number of elements of an array.
const MOST: i64 = 300;

/// One random movement of the stack and the array. Both stay unchanged if no movement of the drawn kind fits.
fn step(stack: ViewStack, array: Array, choices: &mut Choices) -> (ViewStack, Array) {
    let shape = array.shape.clone();
    let rank = shape.len();
    let each = |choices: &mut Choices, most: &dyn Fn(usize) -> i64| -> Vec<i64> {
        (0..rank).map(|axis| choices.below(most(axis) + 1)).collect()
    };
    match choices.below(7) {
        0 => {
            let new = choices.factors(shape.iter().product());
            (stack.reshape(new.clone()).unwrap(), Array { shape: new, ..array })
        }
        1 => {
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.sort_by_key(|_| choices.below(1 << 20));
            let moved = Array::of(axes.iter().map(|&a| shape[a]).collect(), |index| {
                let mut from = vec![0; rank];
                axes.iter().zip(index).for_each(|(&a, x)| from[a] = *x);
                array.at(&from)
            });
            (stack.permute(&axes).unwrap(), moved)
        }
        2 if rank < 4 && choices.below(3) == 0 => {
            let front = choices.below(3) + 1;
            let new: Vec<i64> = std::iter::once(front).chain(shape.iter().copied()).collect();
            let moved = Array::of(new.clone(), |index| array.at(&index[1..]));
            (stack.expand(new).unwrap(), moved)
        }
        2 => {
            let more = each(choices, &|axis| if shape[axis] == 1 { 3 } else { 0 });
            let new: Vec<i64> =
                shape.iter().zip(&more).map(|(s, m)| if *s == 1 { [1, 1, 2, 3][*m as usize] } else { *s }).collect();
            let moved = Array::of(new.clone(), |index| {
                array.at(&index.iter().zip(&shape).map(|(x, s)| if *s == 1 { 0 } else { *x }).collect::<Vec<_>>())
            });
            (stack.expand(new).unwrap(), moved)
        }
        3 => {
            let (before, after) = (each(choices, &|_| 2), each(choices, &|_| 2));
            let new: Vec<i64> = (0..rank).map(|a| shape[a] + before[a] + after[a]).collect();
            let moved =
                Array::of(new, |index| array.at(&index.iter().zip(&before).map(|(x, b)| x - b).collect::<Vec<_>>()));
            (stack.pad(before.iter().copied().zip(after)).unwrap(), moved)
        }
        4 => {
            let begin = each(choices, &|axis| if shape[axis] > 1 { 1 } else { 0 });
            let less = each(choices, &|axis| if shape[axis] > 2 { 1 } else { 0 });
            let end: Vec<i64> = shape.iter().zip(&less).map(|(s, l)| s - l).collect();
            let new = begin.iter().zip(&end).map(|(b, e)| e - b).collect();
            let moved =
                Array::of(new, |index| array.at(&index.iter().zip(&begin).map(|(x, b)| x + b).collect::<Vec<_>>()));
            (stack.shrink(begin.iter().copied().zip(end)).unwrap(), moved)
        }
        5 => {
            let axes: Vec<usize> = (0..rank).filter(|_| choices.below(2) == 1).collect();
            let moved = Array::of(shape.clone(), |index| {
                let flip = |(a, x): (usize, &i64)| if axes.contains(&a) { shape[a] - 1 - x } else { *x };
                array.at(&index.iter().enumerate().map(flip).collect::<Vec<_>>())
            });
            (stack.flip(&axes).unwrap(), moved)
        }
        _ => {
            let steps: Vec<i64> = each(choices, &|_| 5).into_iter().map(|s| [1, 1, 1, 2, 3, -1][s as usize]).collect();
            let new = shape.iter().zip(&steps).map(|(s, step)| (s + step.abs() - 1) / step.abs()).collect();
            let moved = Array::of(new, |index| {
                let from =
                    |((x, step), size): ((&i64, &i64), &i64)| if *step < 0 { size - 1 + x * step } else { x * step };
                array.at(&index.iter().zip(&steps).zip(&shape).map(from).collect::<Vec<_>>())
            });
            (stack.stride(&steps).unwrap(), moved)
        }
    }
}

proptest! {
    /// Address and validity are those of the array. The stack is a single view exactly if the array is a single view.
    /// The result of `simplify` is also right for several views.
    #[test]
    fn chains_read_what_arrays_hold(seed in any::<u64>(), length in 1usize..9) {
        let mut choices = Choices::new(seed);
        let shape: Vec<i64> = (0..choices.below(4) + 1).map(|_| choices.below(5) + 1).collect();
        let mut stack = ViewStack::row_major(shape.clone()).unwrap();
        let mut array = Array::of(shape, |_| None);
        array.values = (0..array.values.len() as i64).map(Some).collect();
        for _ in 0..length {
            let next = step(stack.clone(), array.clone(), &mut choices);
            if next.1.values.len() as i64 > MOST {
                continue;
            }
            (stack, array) = next;
            prop_assert_eq!(sizes(&stack), array.shape.clone());
            prop_assert_eq!(table(&stack), array.values.clone(), "{}", stack);
            prop_assert_eq!(stack.views().len() == 1, is_one_view(&array.shape, &array.values), "{}", stack);
        }
        // the printed form of a stack is read as the same stack
        let printed: Chain = stack.to_string().parse().unwrap();
        prop_assert_eq!(&printed.stack(stack.domain()).unwrap(), &stack, "{}", stack);
        // `merged.rs` compares the groups of axes with a table
        prop_assert!(!stack.merged().unwrap().is_empty() || stack.rank() == 0, "{}", stack);
        let names = stack.index_names();
        let domain = stack.index_domain(&names).unwrap();
        let answer = stack.simplify(&quaff::Simplifier::default(), &names).unwrap();
        let access = &answer.accesses()[0];
        let indices: Vec<_> = names.iter().map(|n| quaff::expr::var(n.clone())).collect();
        let raw = stack.at(&indices).unwrap();
        let valid = access.gate().condition().cloned().unwrap_or(i64::from(access.gate() != &quaff::access::Gate::Never).into());
        let select = |valid, address| quaff::expr::select(valid, address, -1);
        if !array.values.is_empty() {
            let ours = select(valid, access.index().clone());
            prop_assert_eq!(equivalent(&select(raw.valid, raw.address), &ours, &domain), Verdict::Equal, "{}", stack);
        }
    }
}
