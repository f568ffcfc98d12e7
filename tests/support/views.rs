//! Views in tests: movements as data, and the element that a stack of views reads at each index.

use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use quaff_fronts::view::{ViewError, ViewStack};
use serde_json::Value;

/// The integers of a JSON list.
pub(crate) fn integers(value: &Value) -> Vec<i64> {
    value.as_array().expect("a list").iter().map(|v| v.as_i64().expect("an integer")).collect()
}

/// The pairs of a JSON list.
pub(crate) fn pairs(value: &Value) -> Vec<(i64, i64)> {
    let pair = |v: &Value| <[i64; 2]>::try_from(integers(v)).expect("a pair").into();
    value.as_array().expect("a list").iter().map(pair).collect()
}

pub(crate) fn exprs(values: &[i64]) -> Vec<Expr> {
    values.iter().map(|v| int(*v)).collect()
}

/// The view with the fields `shape`, `strides`, `offset` and `mask`.
pub(crate) fn view(value: &Value) -> Result<ViewStack, ViewError> {
    let mask = value["mask"].is_array().then(|| pairs(&value["mask"]));
    let mask = mask.map(|m| m.into_iter().map(|(b, e)| (int(b), int(e))).collect::<Vec<_>>());
    ViewStack::strided(
        Domain::new(),
        &exprs(&integers(&value["shape"])),
        &exprs(&integers(&value["strides"])),
        &int(value["offset"].as_i64().expect("an integer")),
        mask.as_deref(),
    )
}

/// The stack after the movement `[name, argument]`.
pub(crate) fn moved(stack: &ViewStack, op: &Value) -> Result<ViewStack, ViewError> {
    let axes = || integers(&op[1]).into_iter().map(|a| usize::try_from(a).expect("an axis")).collect::<Vec<_>>();
    match op[0].as_str().expect("a name") {
        "reshape" => stack.reshape(integers(&op[1])),
        "permute" => stack.permute(&axes()),
        "expand" => stack.expand(integers(&op[1])),
        "pad" => stack.pad(pairs(&op[1])),
        "shrink" => stack.shrink(pairs(&op[1])),
        "flip" => stack.flip(&axes()),
        "stride" => stack.stride(&integers(&op[1])),
        other => panic!("no movement is named {other}"),
    }
}

/// The sizes of a stack without variables.
pub(crate) fn sizes(stack: &ViewStack) -> Vec<i64> {
    stack.shape().iter().map(|s| s.as_const().expect("a constant size")).collect()
}

/// All indices of a shape in row-major order.
pub(crate) fn indices(shape: &[i64]) -> impl Iterator<Item = Vec<i64>> + '_ {
    let count: i64 = shape.iter().product();
    (0..count).map(move |mut at| {
        let mut index = vec![0; shape.len()];
        for (x, size) in index.iter_mut().zip(shape).rev() {
            (*x, at) = (at % size, at / size);
        }
        index
    })
}

/// The address that the stack reads at each index, in row-major order. `None` if the index is masked. The expressions
/// of the stack are evaluated.
pub(crate) fn table(stack: &ViewStack) -> Vec<Option<i64>> {
    indices(&sizes(stack))
        .map(|index| {
            let located = stack.at(&exprs(&index)).expect("an index for each axis");
            let value = |e: &Expr| i64::try_from(e.eval(|_| None).expect("a value")).expect("64 bits");
            (value(&located.valid) != 0).then(|| value(&located.address))
        })
        .collect()
}

/// Whether a table of addresses is a single view: its valid indices are a box, and the addresses of neighbours along
/// each axis have a constant difference.
pub(crate) fn is_one_view(shape: &[i64], table: &[Option<i64>]) -> bool {
    let valid: Vec<(Vec<i64>, i64)> =
        indices(shape).zip(table).filter_map(|(index, address)| Some((index, (*address)?))).collect();
    let Some((first, base)) = valid.first().cloned() else { return true };
    let ends: Vec<i64> =
        (0..shape.len()).map(|axis| valid.iter().map(|(i, _)| i[axis]).max().unwrap_or(0) + 1).collect();
    let volume: i64 = first.iter().zip(&ends).map(|(b, e)| e - b).product();
    if volume != valid.len() as i64 || valid.iter().any(|(i, _)| i.iter().zip(&first).any(|(x, b)| x < b)) {
        return false;
    }
    let stride = |axis: usize| {
        let next: Vec<i64> = first.iter().enumerate().map(|(a, x)| x + i64::from(a == axis)).collect();
        valid.iter().find(|(i, _)| *i == next).map_or(0, |(_, address)| address - base)
    };
    let strides: Vec<i64> = (0..shape.len()).map(stride).collect();
    valid.iter().all(|(index, address)| {
        let steps = index.iter().zip(&first).zip(&strides);
        *address == base + steps.map(|((x, b), s)| (x - b) * s).sum::<i64>()
    })
}

/// A generator of pseudo-random choices.
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn new(seed: u64) -> Choices {
        Choices(seed | 1)
    }

    /// A random number in `0..n`.
    pub(crate) fn below(&mut self, n: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % n.max(1) as u64) as i64
    }

    /// A random shape of `count` elements.
    pub(crate) fn factors(&mut self, count: i64) -> Vec<i64> {
        let (mut left, mut shape) = (count, Vec::new());
        while shape.len() < 3 && left > 1 {
            let divisors: Vec<i64> = (1..=left).filter(|d| left % d == 0).collect();
            let size = divisors[self.below(divisors.len() as i64) as usize];
            shape.push(size);
            left /= size;
        }
        if left != 1 || shape.is_empty() || self.below(3) == 0 {
            shape.push(left);
        }
        shape
    }
}
