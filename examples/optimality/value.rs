//! The values of a program at the points of a case, the operations that compute them, and the least price of these
//! operations.

use quaff::cost::{CostModel, Gpu, Operation};
use quaff::domain::Interval;
use quaff::expr::{Expr, int, select, var};
use std::sync::LazyLock;

/// A set of points, with one bit for each point.
pub(crate) type PointSet = u128;

/// The largest number of points of a case.
pub(crate) const MOST_POINTS: usize = PointSet::BITS as usize;

/// The price of every operation except divisions, remainders and connectives, in tenths of an instruction.
pub(crate) const SIMPLE: u64 = 10;

/// The number of products and of other terms of a sum for which a table has the prices. Larger sums have the price
/// `u64::MAX`.
const MOST_TERMS: usize = 16;

/// The price of a sum of `products` products and `plain` other terms. The constant is one of the other terms. Two
/// compared values count as such terms. So this is also the price of a comparison, without its last step.
pub(crate) fn sum_price(products: usize, plain: usize) -> u64 {
    static PRICES: LazyLock<[[u64; MOST_TERMS]; MOST_TERMS]> = LazyLock::new(|| {
        let price = |products: usize, plain: usize| {
            let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            Gpu.price(&Operation::Sum { products: count(products), plain: count(plain), wide: false }).tenths()
        };
        std::array::from_fn(|products| std::array::from_fn(|plain| price(products, plain)))
    });
    PRICES.get(products).and_then(|row| row.get(plain)).copied().unwrap_or(u64::MAX)
}

/// The operations of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Div,
    Mod,
    /// `a >= b`
    Least,
    Equal,
    Min,
    Max,
    And,
    Or,
    Xor,
    Left,
    Right,
    Times,
}

impl Binary {
    /// The operations that are tried on two computed values.
    pub(crate) const OF_VALUES: [Binary; 10] = [
        Binary::Least,
        Binary::Equal,
        Binary::Min,
        Binary::Max,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Left,
        Binary::Right,
        Binary::Times,
    ];

    pub(crate) fn is_symmetric(self) -> bool {
        !matches!(self, Binary::Div | Binary::Mod | Binary::Least | Binary::Left | Binary::Right)
    }

    /// The value of the operation. If the operation has no value, the result is the greatest `i64`. Divisors are
    /// positive.
    #[inline(always)]
    pub(crate) fn at(self, x: i32, y: i32) -> i64 {
        const NONE: i64 = i64::MAX;
        match self {
            Binary::Div if y > 0 => x.div_euclid(y).into(),
            Binary::Mod if y > 0 => x.rem_euclid(y).into(),
            Binary::Div | Binary::Mod => NONE,
            Binary::Least => (x >= y).into(),
            Binary::Equal => (x == y).into(),
            Binary::Min => x.min(y).into(),
            Binary::Max => x.max(y).into(),
            Binary::And => (x & y).into(),
            Binary::Or => (x | y).into(),
            Binary::Xor => (x ^ y).into(),
            Binary::Left if (0..31).contains(&y) => i64::from(x) << y,
            Binary::Right if (0..31).contains(&y) => (x >> y).into(),
            Binary::Left | Binary::Right => NONE,
            Binary::Times => i64::from(x) * i64::from(y),
        }
    }

    /// The values of the operation at all points. `None` when a value exceeds 32 bits.
    pub(crate) fn values(self, x: &[i32], y: Side<'_>, out: &mut Vec<i32>) -> Option<()> {
        // there is one loop for each operation, so that each loop is compiled separately
        match self {
            Binary::Div => each(x, y, out, |x, y| Binary::Div.at(x, y)),
            Binary::Mod => each(x, y, out, |x, y| Binary::Mod.at(x, y)),
            Binary::Least => each(x, y, out, |x, y| Binary::Least.at(x, y)),
            Binary::Equal => each(x, y, out, |x, y| Binary::Equal.at(x, y)),
            Binary::Min => each(x, y, out, |x, y| Binary::Min.at(x, y)),
            Binary::Max => each(x, y, out, |x, y| Binary::Max.at(x, y)),
            Binary::And => each(x, y, out, |x, y| Binary::And.at(x, y)),
            Binary::Or => each(x, y, out, |x, y| Binary::Or.at(x, y)),
            Binary::Xor => each(x, y, out, |x, y| Binary::Xor.at(x, y)),
            Binary::Left => each(x, y, out, |x, y| Binary::Left.at(x, y)),
            Binary::Right => each(x, y, out, |x, y| Binary::Right.at(x, y)),
            Binary::Times => each(x, y, out, |x, y| Binary::Times.at(x, y)),
        }
    }

    /// The least price for a first operand with values from `low` to `high`. The second operand may be the given
    /// number.
    ///
    /// The ranges are those at the points, which are no wider than the ranges that an engine can prove. A narrower
    /// range never increases a price. The only exception is a shift, which is priced by its wider range.
    pub(crate) fn price(self, low: i32, high: i32, number: Option<i64>) -> u64 {
        let power = |d: i64| d.count_ones() == 1;
        let Some(d) = number.filter(|d| matches!(self, Binary::Div | Binary::Mod) && !power(*d)) else { return SIMPLE };
        let Some(numerator) = Interval::new(low.into(), high.into()) else { return SIMPLE };
        let divisor = Interval::point(d);
        let operation = match self {
            Binary::Div => Operation::Div { numerator, divisor },
            _ => Operation::Mod { numerator, divisor, quotient: false },
        };
        Gpu.price(&operation).tenths().max(SIMPLE)
    }

    pub(crate) fn expr(self, x: Expr, y: Expr) -> Expr {
        match self {
            Binary::Div => x.floor_div(y),
            Binary::Mod => x.floor_mod(y),
            Binary::Least => x.ge(y),
            Binary::Equal => x.equals(y),
            Binary::Min => x.min(y),
            Binary::Max => x.max(y),
            Binary::And => x & y,
            Binary::Or => x | y,
            Binary::Xor => x ^ y,
            Binary::Left => x << y,
            Binary::Right => x >> y,
            Binary::Times => x * y,
        }
    }
}

/// The second operand of an operation at all points.
#[derive(Clone, Copy)]
pub(crate) enum Side<'a> {
    Values(&'a [i32]),
    Number(i32),
}

#[inline(always)]
fn each(x: &[i32], y: Side<'_>, out: &mut Vec<i32>, f: impl Fn(i32, i32) -> i64) -> Option<()> {
    out.clear();
    match y {
        Side::Values(y) => {
            for (x, y) in x.iter().zip(y) {
                out.push(i32::try_from(f(*x, *y)).ok()?);
            }
        }
        Side::Number(y) => {
            for x in x {
                out.push(i32::try_from(f(*x, y)).ok()?);
            }
        }
    }
    Some(())
}

/// An operand: the place of a computed value, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    Known(usize),
    Number(i64),
}

/// A function of conditions, which costs nothing. Bit `i` of `table` is its value if the truth of `conditions[k]` is
/// bit `k` of `i`.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub(crate) conditions: Vec<usize>,
    pub(crate) table: u64,
}

/// The operation that computes a value from earlier ones, which are given by their places.
#[derive(Clone, Debug)]
pub(crate) enum Make {
    Variable(usize),
    /// Terms with their factors, and a constant.
    Sum(Vec<(usize, i64)>, i64),
    Binary(Binary, usize, Operand),
    Select(Truth, Operand, Operand),
}

/// The possible uses of a value. Of two equal values, the one of higher rank can replace the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Rank {
    /// A sum, which is no term of other sums.
    Sum,
    Number,
    /// A number that is a condition, too.
    Truth,
}

impl Rank {
    pub(crate) const ALL: [Rank; 3] = [Rank::Sum, Rank::Number, Rank::Truth];
}

/// A value that a program has computed.
pub(crate) struct Value {
    pub(crate) make: Make,
    pub(crate) values: Vec<i32>,
    /// The result of [`Field::print`] for the values.
    pub(crate) print: u64,
    /// The result of [`Field::free_print`] for the values.
    pub(crate) free_print: u64,
    pub(crate) low: i32,
    pub(crate) high: i32,
    /// The variables that the value depends on, one bit each.
    pub(crate) variables: u32,
    /// A point at which the value differs from the value at the first point.
    pub(crate) other: usize,
    /// For a comparison, the points at which it is 1.
    pub(crate) truth: Option<PointSet>,
    /// The points at which the value equals the wanted value.
    pub(crate) equal: PointSet,
}

impl Value {
    pub(crate) fn is_sum(&self) -> bool {
        matches!(self.make, Make::Sum(..))
    }

    pub(crate) fn rank(&self) -> Rank {
        match self.truth {
            Some(_) => Rank::Truth,
            None if self.is_sum() => Rank::Sum,
            None => Rank::Number,
        }
    }
}

/// The points of a search: the wanted value at each point, and the weights that combine values to one number.
pub(crate) struct Field {
    pub(crate) wanted: Vec<i32>,
    pub(crate) wanted_print: u64,
    weights: Vec<u64>,
    /// The fingerprint of the constant 1.
    pub(crate) one: u64,
    /// The set of all points.
    pub(crate) all: PointSet,
    pub(crate) low: i32,
    pub(crate) high: i32,
    /// The bits that are 1 in some wanted value, and the bits that are 1 in all of them.
    pub(crate) bits: [i32; 2],
}

impl Field {
    pub(crate) fn new(wanted: Vec<i32>) -> Field {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let weights: Vec<u64> = wanted
            .iter()
            .map(|_| {
                // the random generator splitmix64
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ (z >> 31) | 1
            })
            .collect();
        let one = weights.iter().fold(0, |sum, w| w.wrapping_add(sum));
        let all = if wanted.len() >= MOST_POINTS { PointSet::MAX } else { (1 << wanted.len()) - 1 };
        let (low, high) = ends(&wanted);
        let bits = [wanted.iter().fold(0, |x, y| x | y), wanted.iter().fold(-1, |x, y| x & y)];
        let mut field = Field { wanted, wanted_print: 0, weights, one, all, low, high, bits };
        field.wanted_print = field.print(&field.wanted);
        field
    }

    pub(crate) fn len(&self) -> usize {
        self.wanted.len()
    }

    /// The fingerprint of a value at all points. The fingerprint is a linear function of the values, so the fingerprint
    /// of a sum is the sum of the fingerprints.
    pub(crate) fn print(&self, values: &[i32]) -> u64 {
        values.iter().zip(&self.weights).fold(0, |sum, (v, w)| w.wrapping_mul(i64::from(*v) as u64).wrapping_add(sum))
    }

    /// The fingerprint of the differences to the first point. Two values that differ by a constant have the same
    /// result.
    pub(crate) fn free_print(&self, print: u64, first: i32) -> u64 {
        print.wrapping_sub(self.one.wrapping_mul(i64::from(first) as u64))
    }

    pub(crate) fn value(&self, make: Make, values: Vec<i32>, variables: u32) -> Option<Value> {
        let other = values.iter().position(|v| *v != values[0])?;
        let (low, high) = ends(&values);
        // only a comparison makes a number a condition
        let is_truth = matches!(make, Make::Binary(Binary::Least | Binary::Equal, ..));
        let truth = is_truth.then(|| points_where(&values, |_, v| v == 1));
        let equal = points_where(&values, |i, v| v == self.wanted[i]);
        let print = self.print(&values);
        let free_print = self.free_print(print, values[0]);
        Some(Value { print, free_print, make, values, low, high, variables, other, truth, equal })
    }
}

pub(crate) fn ends(values: &[i32]) -> (i32, i32) {
    values.iter().fold((i32::MAX, i32::MIN), |(l, h), v| (l.min(*v), h.max(*v)))
}

pub(crate) fn points_where(values: &[i32], holds: impl Fn(usize, i32) -> bool) -> PointSet {
    values.iter().enumerate().fold(0, |set, (i, v)| set | PointSet::from(holds(i, *v)) << i)
}

/// Writes values as expressions.
pub(crate) struct Writer<'a> {
    pub(crate) known: &'a [Value],
    pub(crate) names: &'a [String],
}

impl Writer<'_> {
    pub(crate) fn known(&self, i: usize) -> Expr {
        match &self.known[i].make {
            Make::Variable(v) => var(self.names[*v].as_str()),
            Make::Sum(terms, constant) => self.sum(terms, *constant),
            Make::Binary(op, x, y) => op.expr(self.known(*x), self.operand(*y)),
            Make::Select(truth, x, y) => select(self.truth(truth), self.operand(*x), self.operand(*y)),
        }
    }

    pub(crate) fn operand(&self, x: Operand) -> Expr {
        match x {
            Operand::Known(i) => self.known(i),
            Operand::Number(k) => int(k),
        }
    }

    pub(crate) fn sum(&self, terms: &[(usize, i64)], constant: i64) -> Expr {
        let parts = terms.iter().map(|(i, c)| if *c == 1 { self.known(*i) } else { self.known(*i) * *c });
        let sum = parts.reduce(|a, b| a + b);
        match sum {
            Some(sum) if constant == 0 => sum,
            Some(sum) => sum + constant,
            None => int(constant),
        }
    }

    /// A disjunction of the rows of the table that are true.
    pub(crate) fn truth(&self, truth: &Truth) -> Expr {
        let literal = |k: usize, on: bool| {
            let condition = self.known(truth.conditions[k]);
            if on { condition } else { condition.not() }
        };
        let rows = 1_u64 << truth.conditions.len();
        let all = if rows == 64 { u64::MAX } else { (1 << rows) - 1 };
        // a single condition is written directly, and a function that is mostly true is written as a negation
        for k in 0..truth.conditions.len() {
            let ones = (0..rows).filter(|row| row >> k & 1 == 1).fold(0, |set, row| set | 1 << row);
            if truth.table == ones || truth.table == all & !ones {
                return literal(k, truth.table == ones);
            }
        }
        let negated = truth.table.count_ones() as u64 * 2 > rows;
        let table = if negated { all & !truth.table } else { truth.table };
        let row = |row: u64| {
            let literals = (0..truth.conditions.len()).map(|k| literal(k, row >> k & 1 == 1));
            literals.reduce(|a, b| a.and(b)).unwrap_or_else(|| int(1))
        };
        let rows = (0..rows).filter(|r| table >> r & 1 == 1).map(row);
        let any = rows.reduce(|a, b| a.or(b)).unwrap_or_else(|| int(0));
        if negated { any.not() } else { any }
    }
}
