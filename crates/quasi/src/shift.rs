//! Computes how far a variable must move until expressions repeat, and how their values change then. The decision
//! procedure uses this to know how many points are enough.
//!
//! For *one* length, a pass over the operators computes whether every operator changes by a constant when the variable
//! grows by that length:
//!
//! | operator | changes by | if |
//! |---|---|---|
//! | constant, another variable | 0 | |
//! | the variable | the length | |
//! | `a + b`, `a - b`, `-a`, `a*c` | sum, difference, `-`, product of the changes | |
//! | `a // c` | the change of `a`, divided by `c` | `c` divides it |
//! | `a % c` | 0 | `c` divides the change of `a` |
//! | `min`, `max`, branches of a selection | the change of both | both change by the same |
//! | a comparison | 0 | both operands change by the same |
//! | any other operator | 0 | its operands change by 0 |
//!
//! This pass alone proves that an expression repeats, so it does not matter how the length was guessed. [`shift`]
//! begins with the length 1. If a divisor does not divide a change, the length is multiplied by the missing factor, and
//! the pass is repeated.
//!
//! The code that proposes simpler expressions derives its lengths separately, in [`Period`](super::Period). The two
//! derivations share no code. Otherwise one mistake could lead to a wrong proposal and also make that proposal look
//! right here.

use super::budget::Budget;
use quaff_expr::domain::Interval;
use quaff_expr::expr::{Dag, DagNode, Op};
use quaff_expr::integer::{floor_div, gcd};

/// How much the roots of a graph change when a variable grows by a length. The changes are the same at all values of
/// all variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shift {
    /// The length, at least 1.
    pub(super) length: i128,
    /// The change of each root.
    pub(super) changes: Vec<i128>,
}

/// The reason why a length does not work.
enum Obstacle {
    /// A change is not a multiple of a divisor. Multiplying the length by this number makes it a multiple.
    TooShort(i128),
    /// No multiple of this length is known to make the change constant, or a number exceeds 128 bits.
    Never,
    /// The budget is spent.
    Spent,
}

/// The shift of `variable` by the least length that the table finds. `Some(None)` if there is no such length, and
/// `None` if the budget is spent.
///
/// Each pass takes the number of visited nodes from `budget`. There are few passes, because the length at least doubles
/// from one pass to the next.
pub(super) fn shift(dag: &Dag, variable: &str, budget: &Budget) -> Option<Option<Shift>> {
    let mut length: i128 = 1;
    loop {
        match changes(dag, variable, length, budget) {
            Ok(changes) => return Some(Some(Shift { length, changes })),
            Err(Obstacle::TooShort(by)) => match length.checked_mul(by) {
                Some(longer) => length = longer,
                None => return Some(None),
            },
            Err(Obstacle::Never) => return Some(None),
            Err(Obstacle::Spent) => return None,
        }
    }
}

/// The changes of all roots of `dag` when `variable` grows by `length`. The number of visited nodes is taken from
/// `budget`.
fn changes(dag: &Dag, variable: &str, length: i128, budget: &Budget) -> Result<Vec<i128>, Obstacle> {
    let mut all: Vec<i128> = Vec::with_capacity(dag.nodes().len());
    let walked = dag.nodes().iter().try_for_each(|node| {
        all.push(change_of(node, dag, variable, length, &all)?);
        Ok(())
    });
    budget.spend_on_periods(all.len() + 1).ok_or(Obstacle::Spent)?;
    walked.map(|()| dag.roots().iter().map(|r| all[*r as usize]).collect())
}

/// The change of `node`. The changes of its operands are in `all`.
fn change_of(node: &DagNode, dag: &Dag, variable: &str, length: i128, all: &[i128]) -> Result<i128, Obstacle> {
    let change = |i: usize| all[node.args[i] as usize];
    let constant = |i: usize| match dag.nodes()[node.args[i] as usize].op {
        Op::Const(c) => Some(i128::from(c)),
        _ => None,
    };
    let of_flat = || match node.args().iter().all(|a| all[*a as usize] == 0) {
        true => Ok(0),
        false => Err(Obstacle::Never),
    };
    let same = |i: usize, j: usize| if change(i) == change(j) { Ok(change(i)) } else { Err(Obstacle::Never) };
    let multiplied = |i: usize, by: i128| change(i).checked_mul(by).ok_or(Obstacle::Never);
    Ok(match &node.op {
        Op::Const(_) => 0,
        Op::Var(name) if &**name == variable => length,
        Op::Var(_) => 0,
        Op::Neg => multiplied(0, -1)?,
        Op::Add => change(0).checked_add(change(1)).ok_or(Obstacle::Never)?,
        Op::Sub => change(0).checked_sub(change(1)).ok_or(Obstacle::Never)?,
        Op::Mul => match (constant(0), constant(1)) {
            (Some(c), _) => multiplied(1, c)?,
            (_, Some(c)) => multiplied(0, c)?,
            _ => of_flat()?,
        },
        Op::Shl => match constant(1).and_then(power_of_two) {
            Some(c) => multiplied(0, c)?,
            None => of_flat()?,
        },
        Op::FloorDiv => match constant(1).filter(|c| *c != 0) {
            Some(c) => over(change(0), c)?,
            None => of_flat()?,
        },
        Op::Shr => match constant(1).and_then(power_of_two) {
            Some(c) => over(change(0), c)?,
            None => of_flat()?,
        },
        Op::FloorMod => match constant(1).filter(|c| *c != 0) {
            Some(c) => over(change(0), c).map(|_| 0)?,
            None => of_flat()?,
        },
        op if op.is_bitwise() => match (constant(0), constant(1)) {
            (Some(mask), _) => masked(&node.op, change(1), mask)?,
            (_, Some(mask)) => masked(&node.op, change(0), mask)?,
            _ => of_flat()?,
        },
        op if op.is_extremum() => same(0, 1)?,
        op if op.is_comparison() => same(0, 1).map(|_| 0)?,
        Op::Select if change(0) == 0 => same(1, 2)?,
        Op::Select => return Err(Obstacle::Never),
        _ => of_flat()?,
    })
}

/// `change` divided by `c`, which is not 0. Returns an [`Obstacle`] if `change` is not a multiple of `c`.
fn over(change: i128, c: i128) -> Result<i128, Obstacle> {
    let common = gcd(change, c);
    match floor_div(c, common).checked_abs() {
        Some(1) => Ok(floor_div(change, c)),
        Some(missing) => Err(Obstacle::TooShort(missing)),
        None => Err(Obstacle::Never),
    }
}

/// The change of `a & mask`, `a | mask` or `a ^ mask` when `a` changes by `change`. Above some power of two, all bits
/// of `mask` are equal, and `change` must be a multiple of that power. The bits of `a` below the power stay the same.
/// The bits above it are kept, replaced by those of the mask, or inverted.
fn masked(op: &Op, change: i128, mask: i128) -> Result<i128, Obstacle> {
    let ones = mask < 0;
    let width = i128::BITS - if ones { mask.leading_ones() } else { mask.leading_zeros() };
    over(change, power_of_two(width.into()).ok_or(Obstacle::Never)?)?;
    match (op, ones) {
        (Op::BitAnd, false) | (Op::BitOr, true) => Ok(0),
        (Op::BitXor, true) => change.checked_neg().ok_or(Obstacle::Never),
        _ => Ok(change),
    }
}

fn power_of_two(by: i128) -> Option<i128> {
    (0..=126).contains(&by).then(|| 1 << by)
}

/// The number of points that are enough for a variable, if a difference changes by `change` when the variable grows by
/// `length`. If `change` is 0, the values repeat, so one length is enough. Otherwise the difference has different
/// values at two points that are one length apart. Two lengths contain such a pair if the range does.
pub(super) fn needed(length: i128, change: i128) -> Option<i128> {
    if change == 0 { Some(length) } else { length.checked_mul(2) }
}

/// The first value and the number of values that must be compared for a variable in `range`. The number is `wanted`. If
/// `range` has fewer values, or if `wanted` is `None`, all values are compared. The result is `None` if a number does
/// not fit 64 bits.
pub(super) fn stretch(range: Interval, wanted: Option<i128>) -> Option<(i64, u64)> {
    let all = match (range.lo(), range.hi()) {
        (Some(lo), Some(hi)) => Some(i128::from(hi) - i128::from(lo) + 1),
        _ => None,
    };
    let count = match (all, wanted) {
        (Some(all), Some(wanted)) => all.min(wanted),
        (all, wanted) => all.or(wanted)?,
    };
    let count = u64::try_from(count).ok()?;
    let start = match (range.lo(), range.hi()) {
        (Some(lo), _) => lo,
        (None, Some(hi)) => i64::try_from(i128::from(hi) - i128::from(count) + 1).ok()?,
        (None, None) => 0,
    };
    i64::try_from(i128::from(start) + i128::from(count)).ok()?;
    Some((start, count))
}

#[cfg(test)]
mod tests {
    use super::{Budget, Dag, shift};
    use quaff_expr::expr::Expr;
    use quaff_expr::integer::floor_mod;

    /// The length and the change of one expression in `x`.
    fn of(text: &str) -> Option<(i128, i128)> {
        let expr: Expr = text.parse().expect(text);
        let found = shift(&Dag::new(&[expr]), "x", &Budget::new(1 << 20)).expect("little work");
        found.map(|s| (s.length, s.changes[0]))
    }

    #[test]
    fn expressions_change_by_a_constant() {
        let cases = [
            ("y", 1, 0),
            ("x", 1, 1),
            ("x//2//3", 6, 1),
            ("2*x % 6", 3, 0),
            ("4*x // 6", 3, 2),
            ("x // -3", 3, -1),
            ("x % -3", 3, 0),
            ("x//4 + x//6", 12, 5),
            ("x//4 - x//6*y*0", 0, 0),
            ("x >> 3", 8, 1),
            ("x << 3", 1, 8),
            ("x & 7", 8, 0),
            ("x | 5", 8, 8),
            ("x ^ -6", 8, -8),
            ("x & -8", 8, 8),
            ("x | -8", 8, 0),
            ("min(x%4, y)", 4, 0),
            ("max(x//2, (x + 3)//2)", 2, 1),
            ("x//2 < (x + 3)//2", 2, 0),
            ("where(x%3 < 1, x, x + y)", 3, 3),
            ("(x%4)*(x%3)", 12, 0),
            ("not x%2 and y//(x%3 + 1)", 6, 0),
        ];
        for (text, length, change) in cases {
            if length == 0 {
                assert_eq!(of(text), None, "{text}");
                continue;
            }
            assert_eq!(of(text), Some((length, change)), "{text}");
            let e: Expr = text.parse().expect(text);
            for (x, y) in (-40..40).map(|x| (x, floor_mod(i128::from(x), 5) as i64 - 2)) {
                let at = |x: i64| e.eval(|v| Some(if v == "x" { x } else { y })).expect(text);
                assert_eq!(at(x + length as i64), at(x) + change, "{text} at {x}");
            }
        }
    }

    #[test]
    fn some_never_come_back() {
        for text in ["x*x", "x*y", "x//y", "min(x, 3)", "x < 3", "not x", "where(x, 1, 2)", "1 << x", "x//0", "x & y"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn all_roots_have_one_length() {
        let roots: Vec<Expr> = ["x//4", "x//6 + y", "y%5"].map(|t| t.parse().expect(t)).into();
        let found = shift(&Dag::new(&roots), "x", &Budget::new(1 << 20)).flatten().expect("a shift");
        assert_eq!((found.length, found.changes), (12, vec![3, 2, 0]));
    }

    #[test]
    fn work_is_counted() {
        let expr: Expr = "x//2//3//5//7".parse().expect("valid");
        assert_eq!(shift(&Dag::new(&[expr]), "x", &Budget::new(8)), None);
    }
}
