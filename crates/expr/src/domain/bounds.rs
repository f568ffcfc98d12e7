//! Ranges of whole expressions, computed from the ranges of their unknowns.

use super::Interval;
use crate::expr::{Dag, EvalError, Expr, Op};

/// An interval that holds every defined value of `op` when its operands have the ranges `args`.
///
/// Points at which the operator has no value, because of a division by 0 or a shift outside of 0..=126, are left out.
/// If no point remains, the result is [`Interval::ALL`]. A constant gives its value, and an unknown gives
/// [`Interval::ALL`]. An operand without a range in `args` may have any value.
pub fn interval_of_op(op: &Op, args: &[Interval]) -> Interval {
    match args.get(..3) {
        Some(args) => of_op(op, args),
        None => {
            let mut all = [Interval::ALL; 3];
            all.iter_mut().zip(args).for_each(|(known, range)| *known = *range);
            of_op(op, &all)
        }
    }
}

/// Computes [`interval_of_op`] when `args` has a range for each of three operands. Ranges past the operator's arity are
/// ignored.
fn of_op(op: &Op, args: &[Interval]) -> Interval {
    match op {
        Op::Const(c) => Interval::point(*c),
        Op::Var(_) => Interval::ALL,
        Op::Neg => args[0].scaled(-1),
        Op::Add => args[0].plus(args[1]),
        Op::Sub => args[0].plus(args[1].scaled(-1)),
        Op::Mul => args[0].times(args[1]),
        Op::FloorDiv => without_zero(args[1], |b| args[0].floor_div(b)),
        Op::FloorMod => without_zero(args[1], |b| args[0].floor_mod(b)),
        Op::TruncDiv => without_zero(args[1], |b| args[0].trunc_div(b)),
        Op::TruncMod => without_zero(args[1], |b| args[0].trunc_mod(b)),
        Op::Min => args[0].min(args[1]),
        Op::Max => args[0].max(args[1]),
        Op::Lt => truth(less(args[0], args[1])),
        Op::Gt => truth(less(args[1], args[0])),
        Op::Ge => truth(less(args[0], args[1]).map(|t| !t)),
        Op::Le => truth(less(args[1], args[0]).map(|t| !t)),
        Op::Eq => truth(same(args[0], args[1])),
        Op::Ne => truth(same(args[0], args[1]).map(|t| !t)),
        Op::Not => truth(nonzero(args[0]).map(|t| !t)),
        Op::And => truth(match (nonzero(args[0]), nonzero(args[1])) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }),
        Op::Or => truth(match (nonzero(args[0]), nonzero(args[1])) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        }),
        Op::Select => match nonzero(args[0]) {
            Some(true) => args[1],
            Some(false) => args[2],
            None => args[1].hull(args[2]),
        },
        Op::BitAnd => args[0].bit_and(args[1]),
        Op::BitOr => args[0].bit_or(args[1]),
        Op::BitXor => args[0].bit_xor(args[1]),
        Op::Shl => args[0].shift_left(args[1]),
        Op::Shr => args[0].shift_right(args[1]),
    }
}

/// The error that `op` may give on operands with these ranges. `None` when `op` has a value for all values in them.
///
/// ```
/// use quaff_expr::domain::{Interval, error_of_op};
/// use quaff_expr::expr::{EvalError, Op};
///
/// let (x, divisor) = (Interval::ALL, Interval::new(0, 9).unwrap());
/// assert_eq!(error_of_op(&Op::FloorDiv, &[x, divisor]), Some(EvalError::DivisionByZero));
/// assert_eq!(error_of_op(&Op::Shr, &[x, divisor]), None);
/// ```
pub fn error_of_op(op: &Op, args: &[Interval]) -> Option<EvalError> {
    let second = args.get(1).copied().unwrap_or(Interval::ALL);
    if op.is_division() {
        second.contains(0).then_some(EvalError::DivisionByZero)
    } else if op.is_shift() {
        (!second.within(0, 126)).then_some(EvalError::Shift)
    } else {
        None
    }
}

/// The range of every node of `dag`, in the order of the nodes. `range_of` returns the range of each unknown, given its
/// name.
///
/// Each operation is evaluated on its own. With `x` in `0..=9`, the range of `x - x` is `-9..=9` and not 0. The ranges
/// are therefore sound, but not exact.
pub fn intervals_of(dag: &Dag, range_of: impl Fn(&str) -> Interval) -> Vec<Interval> {
    intervals_within(dag, range_of, |_| Interval::ALL)
}

/// Computes [`intervals_of`], given a further range `known` for each node, which the caller has proved. A narrower
/// range of a node also narrows the ranges of the nodes that use it.
pub fn intervals_within(
    dag: &Dag,
    range_of: impl Fn(&str) -> Interval,
    known: impl Fn(u32) -> Interval,
) -> Vec<Interval> {
    let mut ranges: Vec<Interval> = Vec::with_capacity(dag.nodes().len());
    for (i, node) in dag.nodes().iter().enumerate() {
        let range = match &node.op {
            Op::Var(name) => range_of(name),
            op => {
                let mut args = [Interval::ALL; 3];
                for (i, a) in node.args().iter().enumerate() {
                    args[i] = ranges[*a as usize];
                }
                of_op(op, &args)
            }
        };
        // a node whose known range contradicts its computed range is never evaluated
        ranges.push(range.meet(known(i as u32)).unwrap_or(range));
    }
    ranges
}

/// The range of `expr`. `range_of` returns the range of each unknown, given its name. See [`intervals_of`].
///
/// ```
/// use quaff_expr::domain::{Interval, interval_of};
/// use quaff_expr::expr::Expr;
///
/// let e: Expr = "(i*16 + 3) // 8".parse()?;
/// let range = interval_of(&e, |_| Interval::new(0, 9).unwrap());
/// assert_eq!(range.bounded(), Some((0, 18)));
/// # Ok::<(), quaff_expr::expr::ParseError>(())
/// ```
pub fn interval_of(expr: &Expr, range_of: impl Fn(&str) -> Interval) -> Interval {
    let dag = Dag::new(std::slice::from_ref(expr));
    intervals_of(&dag, range_of)[dag.roots()[0] as usize]
}

/// The smallest interval that holds the quotients by the negative divisors and those by the positive divisors.
fn without_zero(divisor: Interval, divide: impl Fn(Interval) -> Option<Interval>) -> Interval {
    let negative = Interval::new(i64::MIN, -1).and_then(|h| divisor.meet(h)).and_then(&divide);
    let positive = Interval::new(1, i64::MAX).and_then(|h| divisor.meet(h)).and_then(&divide);
    match (negative, positive) {
        (Some(n), Some(p)) => n.hull(p),
        (n, p) => n.or(p).unwrap_or(Interval::ALL),
    }
}

/// `Some(true)` if `a < b` for all values of both ranges, `Some(false)` if for none, and `None` otherwise.
fn less(a: Interval, b: Interval) -> Option<bool> {
    match (a.hi(), b.lo(), a.lo(), b.hi()) {
        (Some(ah), Some(bl), _, _) if ah < bl => Some(true),
        (_, _, Some(al), Some(bh)) if al >= bh => Some(false),
        _ => None,
    }
}

fn same(a: Interval, b: Interval) -> Option<bool> {
    if a.meet(b).is_none() {
        return Some(false);
    }
    (a.as_point()? == b.as_point()?).then_some(true)
}

fn nonzero(a: Interval) -> Option<bool> {
    if !a.contains(0) { Some(true) } else { a.as_point().map(|v| v != 0) }
}

fn truth(known: Option<bool>) -> Interval {
    known.map_or(Interval::BOOL, |t| Interval::point(i64::from(t)))
}
