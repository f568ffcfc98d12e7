//! Variables in the sizes of views. Chains of movements, such as reshapes, are right for random values of the sizes.
//! The tests also decide whether a chain is one view.

use crate::views::Choices;
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff_fronts::view::{ViewError, ViewStack};
use std::sync::Arc;

fn sizes() -> Domain {
    Domain::new().with("n", 3..=64).with("m", 3..=64)
}

/// A movement whose arguments may have variables.
#[derive(Clone, Debug)]
enum Move {
    Reshape(Vec<Expr>),
    Permute(Vec<usize>),
    Pad(Vec<(Expr, Expr)>),
    Shrink(Vec<(Expr, Expr)>),
    Flip(usize),
}

impl Move {
    /// Applies the movement, with `value` for every argument.
    fn apply(&self, stack: &ViewStack, value: &dyn Fn(&Expr) -> Expr) -> Result<ViewStack, ViewError> {
        let pairs = |all: &[(Expr, Expr)]| all.iter().map(|(a, b)| (value(a), value(b))).collect::<Vec<_>>();
        match self {
            Move::Reshape(shape) => stack.reshape(shape.iter().map(value)),
            Move::Permute(axes) => stack.permute(axes),
            Move::Pad(amounts) => stack.pad(pairs(amounts)),
            Move::Shrink(bounds) => stack.shrink(pairs(bounds)),
            Move::Flip(axis) => stack.flip(&[*axis]),
        }
    }
}

/// A random movement of a stack. `axes` has the factors of each axis.
fn drawn(stack: &ViewStack, axes: &mut Vec<Vec<Expr>>, choices: &mut Choices) -> Move {
    let rank = axes.len();
    let shape = |axes: &[Vec<Expr>]| {
        let product = |factors: &Vec<Expr>| factors.iter().cloned().reduce(|a, b| a * b).unwrap_or(int(1));
        Move::Reshape(axes.iter().map(product).collect())
    };
    let pick = choices.below(rank as i64) as usize;
    match choices.below(6) {
        0 if rank > 1 => {
            let outer = pick.min(rank - 2);
            let second = axes.remove(outer + 1);
            axes[outer].extend(second);
            shape(axes)
        }
        1 => {
            let half = axes[pick].len() / 2;
            let rest = axes[pick].split_off(half);
            axes.insert(pick + 1, rest);
            shape(axes)
        }
        2 => {
            let mut order: Vec<usize> = (0..rank).collect();
            order.sort_by_key(|_| choices.below(1 << 20));
            *axes = order.iter().map(|&a| axes[a].clone()).collect();
            Move::Permute(order)
        }
        3 => {
            let amount = [int(1), int(2), var("m"), var("n")][choices.below(4) as usize].clone();
            let pads = (0..rank).map(|a| if a == pick { (amount.clone(), int(1)) } else { (int(0), int(0)) });
            axes[pick] = vec![&stack.shape()[pick] + amount.clone() + 1];
            Move::Pad(pads.collect())
        }
        4 if axes[pick].iter().any(|f| f.as_const().is_none()) => {
            let bounds = stack.shape().iter().enumerate();
            let bounds = bounds.map(|(a, s)| if a == pick { (int(1), s - 1) } else { (int(0), s.clone()) });
            axes[pick] = vec![&stack.shape()[pick] - 2];
            Move::Shrink(bounds.collect())
        }
        _ => Move::Flip(pick),
    }
}

/// The addresses that a stack reads for these values of its variables, in row-major order.
fn table(stack: &ViewStack, value: &dyn Fn(&str) -> Option<i64>) -> Vec<Option<i64>> {
    let number = |e: &Expr, value: &dyn Fn(&str) -> Option<i64>| i64::try_from(e.eval(value).unwrap()).unwrap();
    let names = stack.index_names();
    let raw = stack.at(&names.iter().map(|n| var(n.clone())).collect::<Vec<_>>()).unwrap();
    let shape: Vec<i64> = stack.shape().iter().map(|s| number(s, value)).collect();
    crate::views::indices(&shape)
        .map(|index| {
            let position = |name: &str| names.iter().position(|v: &Arc<str>| **v == *name);
            let value = |name: &str| value(name).or_else(|| position(name).map(|k| index[k]));
            (number(&raw.valid, &value) != 0).then(|| number(&raw.address, &value))
        })
        .collect()
}

proptest! {
    /// For all sizes, a chain with variables reads the same elements as the chain with numbers.
    #[test]
    fn chains_are_right_for_all_sizes(seed in any::<u64>(), length in 1usize..6, n in 3i64..6, m in 3i64..6) {
        let value = |name: &str| match name {
            "n" => Some(n),
            "m" => Some(m),
            _ => None,
        };
        let put_in = |e: &Expr| int(i64::try_from(e.eval(value).unwrap()).unwrap());
        let mut choices = Choices::new(seed);
        let mut axes = vec![vec![var("n")], vec![int(2), var("m")]];
        let mut symbolic = ViewStack::row_major_in(sizes(), [var("n"), var("m") * 2]).unwrap();
        let mut constant = ViewStack::row_major([n, 2 * m]).unwrap();
        let mut chain = Vec::new();
        for _ in 0..length {
            let movement = drawn(&symbolic, &mut axes, &mut choices);
            // a movement whose condition is not proved for all sizes is an error
            let Ok(next) = movement.apply(&symbolic, &Expr::clone) else { break };
            symbolic = next;
            constant = movement.apply(&constant, &put_in).unwrap();
            chain.push(movement);
            let elements: i64 = crate::views::sizes(&constant).iter().product();
            prop_assume!(elements < 3000);
        }
        prop_assert_eq!(table(&symbolic, &value), table(&constant, &value), "{:?}: {}", chain, symbolic);
    }
}

fn one(stack: Result<ViewStack, ViewError>) -> String {
    let stack = stack.unwrap();
    assert!(stack.as_view().is_some(), "{stack}");
    stack.to_string()
}

#[test]
fn products_are_split_and_merged() {
    let start = |shape: [Expr; 2]| ViewStack::row_major_in(sizes(), shape).unwrap();
    let (n, m) = (var("n"), var("m"));
    let stack = start([&n * 4, m.clone()]);
    assert_eq!(one(stack.reshape([n.clone(), int(4), m.clone()])), "(n, 4, m):(m*4, m, 1)");
    assert_eq!(one(stack.reshape([&m * &n * 4])), "(n*m*4):(1)");
    assert_eq!(one(stack.reshape([&n * 2, &m * 2])), "(n*2, m*2):(m*2, 1)");
    assert_eq!(one(stack.stride(&[4, 1])), "(n, m):(m*4, 1)");
    assert_eq!(
        one(stack.shrink([(int(0), &n * 4 - 1), (int(0), m.clone())]).unwrap().stride(&[2, 1])),
        "(n*2, m):(m*2, 1)"
    );
    let transposed = stack.permute(&[1, 0]).unwrap();
    assert_eq!(one(transposed.reshape([m.clone(), n.clone(), int(4)])), "(m, n, 4):(1, m*4, m)");
    assert_eq!(transposed.reshape([&n * &m * 4]).unwrap().to_string(), "(m, n*4):(1, m) then (n*m*4):(1)");
}

#[test]
fn whether_there_is_one_view_is_known_or_not() {
    let transposed = ViewStack::row_major_in(sizes(), [var("n"), var("m")]).unwrap().permute(&[1, 0]).unwrap();
    assert_eq!(transposed.is_one_view(), Some(true));
    let flat = transposed.reshape([var("n") * var("m")]).unwrap();
    assert_eq!((flat.views().len(), flat.is_one_view()), (2, Some(false)));
    // after a reshape to the original shape, it is one view again
    assert_eq!(one(flat.reshape([var("m"), var("n")])), "(m, n):(1, m)");
}

#[test]
fn padding_by_variables() {
    let (n, m) = (var("n"), var("m"));
    let stack = ViewStack::row_major_in(sizes(), [n.clone(), int(8)]).unwrap();
    let padded = stack.pad([(m.clone(), int(1)), (int(0), int(0))]).unwrap();
    assert_eq!(padded.to_string(), "(n + m + 1, 8):(8, 1) + m*-8, mask (m, n + m) (0, 8)");
    assert_eq!(one(padded.reshape([(&n + &m + 1) * 8])), "(n*8 + m*8 + 8):(1) + m*-8, mask (m*8, n*8 + m*8)");
    assert_eq!(one(padded.shrink([(m.clone(), &n + &m), (int(0), int(8))])), "(n, 8):(8, 1)");
    // the chain removes the padding, so the result is contiguous
    let back = padded.reshape([(&n + &m + 1) * 8]).unwrap().shrink([(&m * 8, (&n + &m) * 8)]).unwrap();
    assert!(back.is_contiguous(), "{back}");
}
