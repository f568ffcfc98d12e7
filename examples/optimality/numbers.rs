//! The constants that programs use.

use quaff::expr::Expr;
use std::collections::HashSet;

/// The number of divisors that are tried.
const DIVISORS: usize = 40;
/// The number of factors that are tried, without signs.
const FACTORS: usize = 20;
/// The number of constants that are compared with values or added to them, with signs.
const BOUNDS: usize = 40;
/// The number of constants of each kind that are tried for values other than variables.
const LATER: usize = 24;
/// The largest constant. Values have 32 bits.
const LARGEST: i64 = 1 << 24;

/// The constants of one case. An operation that is solved for may have any constant. All other operations take their
/// constants from these lists.
pub(crate) struct Numbers {
    /// The divisors, from 2 on.
    pub(crate) divisors: Vec<i64>,
    /// The factors with both signs, without 1 and -1.
    pub(crate) factors: Vec<i64>,
    /// The constants that are compared with values and added to them, with both signs, and 0.
    pub(crate) bounds: Vec<i64>,
    /// The masks.
    pub(crate) masks: Vec<i64>,
}

impl Numbers {
    /// The constants of a case: those of the answer, those of the question, small numbers, ends of ranges, products and
    /// quotients, in this order.
    pub(crate) fn new(answer: &Expr, question: &Expr, ends: &[(i64, i64)]) -> Numbers {
        let mut written: Vec<i64> = Vec::new();
        for e in [answer, question] {
            let (mut stack, mut seen) = (vec![e.clone()], HashSet::new());
            while let Some(e) = stack.pop() {
                if seen.insert(e.address()) {
                    written.extend(e.as_const());
                    stack.extend(e.args().iter().cloned());
                }
            }
        }
        let positive = distinct(written.iter().map(|c| c.saturating_abs()).filter(|c| *c > 1));
        let pairs = || positive.iter().take(8).flat_map(|&a| positive.iter().take(8).map(move |&b| (a, b)));
        let quotients = pairs().filter(|(a, b)| a.rem_euclid(*b) == 0).map(|(a, b)| a.div_euclid(b));
        let products = pairs().map(|(a, b)| a.saturating_mul(b));
        let widths = ends.iter().map(|(low, high)| high.saturating_sub(*low).saturating_add(1));
        let powers = (1..12).map(|i| 1_i64 << i);
        let sizes = positive.iter().copied().chain(2..10).chain(quotients).chain(powers).chain(widths).chain(products);
        let sizes = distinct(sizes.filter(|c| (2..LARGEST).contains(c)));
        let divisors: Vec<i64> = sizes.iter().copied().take(DIVISORS).collect();
        let factors = sizes.iter().take(FACTORS).flat_map(|&c| [c, -c]).collect();
        let near = written.iter().flat_map(|&c| [c, c.saturating_add(1), c.saturating_sub(1), c.saturating_neg()]);
        let of_ends = ends.iter().flat_map(|&(low, high)| [low.saturating_add(1), high]);
        let bounds = [0, 1, -1].into_iter().chain(near).chain(of_ends).chain([2, -2, 3, 4, 5]);
        let bounds = distinct(bounds.filter(|c| c.abs() < LARGEST)).into_iter().take(BOUNDS).collect();
        // one bit, all bits above it, and all bits up to the next one
        let bits = (0..10).flat_map(|i| [1 << i, -(2_i64 << i), (4 << i) - 1]);
        let masks = distinct(positive.into_iter().take(8).chain(bits).filter(|c| c.abs() < LARGEST));
        Numbers { divisors, factors, bounds, masks }
    }
}

/// The part of `numbers` that is tried for variables, or for other values.
pub(crate) fn of_step(numbers: &[i64], on_variables: bool) -> &[i64] {
    if on_variables { numbers } else { &numbers[..numbers.len().min(LATER)] }
}

fn distinct(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut seen = HashSet::new();
    numbers.filter(|c| seen.insert(*c)).collect()
}
