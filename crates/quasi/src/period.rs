//! Periods and slopes of quasi-affine expressions.
//!
//! An expression built of `+`, `-`, products with constants, and `//` and `%` by constants is quasi-periodic in each of
//! its variables. That is, a length `L` and a rise `P` exist with `f(x + L) = f(x) + P` for *all* integers `x`, for all
//! values of the other variables. By induction:
//!
//! | expression | length | rise |
//! |---|---|---|
//! | constant, another variable | 1 | 0 |
//! | `x` | 1 | 1 |
//! | `a + b` | `L = lcm(La, Lb)` | `Pa*L/La + Pb*L/Lb` |
//! | `k*a` | `La` | `k*Pa` |
//! | `a // c` | `La*n`, with `n = c/gcd(c, Pa)` | `Pa*n/c` |
//! | `a % c` | `La*n` | 0 |
//!
//! The outer divisors matter: `(x//2)//3` has length 6, not 2. `min`, `max` and selections are quasi-periodic, too, if
//! the slopes `P/L` of their operands or branches are equal. So are comparisons of operands with equal slopes. Every
//! operator whose operands do not rise is also quasi-periodic.
//!
//! ```
//! use quaff_expr::expr::Expr;
//! use quaff_quasi::{Canonical, Period};
//!
//! let e: Expr = "(x//2)//3 + y".parse()?;
//! assert_eq!(Period::of(&e, "x"), Some(Period { length: 6, rise: 1 }));
//! assert_eq!(Period::of(&e, "y"), Some(Period { length: 1, rise: 1 }));
//!
//! let (a, b): (Expr, Expr) = ("x//2 + (x + 1)//2".parse()?, "x".parse()?);
//! assert_eq!(Canonical::of(&a, "x")?, Canonical::of(&b, "x")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The code that proposes simpler expressions uses these periods. The decision procedure has its own derivation,
//! [`shift`](super::shift), so a mistake in one derivation is found by the other.

use quaff_expr::expr::{Dag, Expr, Op};
use quaff_expr::integer::{floor_div, gcd, lcm};
use smallvec::SmallVec;

/// A period: `f(x + length) = f(x) + rise` for all integers `x`.
///
/// The length that [`Period::of`] gives is a period, but not always the least one. [`Canonical`](super::Canonical) has
/// the least period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Period {
    /// The length of the period, at least 1.
    pub length: i128,
    /// The change of the value over one length.
    pub rise: i128,
}

impl Period {
    const CONSTANT: Period = Period { length: 1, rise: 0 };

    /// The period of `expr` in `variable`. `None` if the rules in the table of this module find no period, or if a
    /// number exceeds 128 bits.
    ///
    /// The time is linear in the number of shared nodes.
    pub fn of(expr: &Expr, variable: &str) -> Option<Period> {
        let dag = Dag::new(std::slice::from_ref(expr));
        periods(&dag, variable)[dag.roots()[0] as usize]
    }

    /// The slope `rise / length` in lowest terms, with a positive denominator.
    pub fn slope(self) -> (i128, i128) {
        let g = gcd(self.rise, self.length).max(1); // 0 for an invalid period
        (floor_div(self.rise, g), floor_div(self.length, g))
    }

    /// The period of the same function with the given length, which must be a multiple of `self.length`.
    fn stretched(self, length: i128) -> Option<Period> {
        let rise = self.rise.checked_mul(floor_div(length, self.length))?;
        Some(Period { length, rise })
    }

    fn scaled(self, c: i128) -> Option<Period> {
        Some(Period { length: self.length, rise: self.rise.checked_mul(c)? })
    }

    /// The two periods, stretched to a common length.
    fn joined(a: Period, b: Period) -> Option<(Period, Period)> {
        let length = lcm(a.length, b.length)?;
        Some((a.stretched(length)?, b.stretched(length)?))
    }

    /// The periods of `a // c` and of `a % c`.
    fn divided(self, c: i128) -> Option<(Period, Period)> {
        let a = if c < 0 { self.scaled(-1)? } else { self };
        let c = c.checked_abs().filter(|c| *c > 0)?;
        let times = floor_div(c, gcd(c, a.rise));
        #[cfg(test)]
        let times = mutant::shorter(times);
        let longer = a.stretched(a.length.checked_mul(times)?)?;
        let quotient = Period { length: longer.length, rise: floor_div(longer.rise, c) };
        Some((quotient, Period { length: longer.length, rise: 0 }))
    }
}

/// The period of every node of `dag` in `variable`.
fn periods(dag: &Dag, variable: &str) -> Vec<Option<Period>> {
    let mut all: Vec<Option<Period>> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let of = |i: usize| all.get(node.args[i] as usize).copied().flatten();
        let constant = |i: usize| match dag.nodes()[node.args[i] as usize].op {
            Op::Const(c) => Some(i128::from(c)),
            _ => None,
        };
        let period = match &node.op {
            Op::Const(_) => Some(Period::CONSTANT),
            Op::Var(name) => Some(Period { length: 1, rise: i128::from(&**name == variable) }),
            Op::Neg => of(0).and_then(|a| a.scaled(-1)),
            Op::Add => both(of(0), of(1), |a, b| a.checked_add(b)),
            Op::Sub => both(of(0), of(1), |a, b| a.checked_sub(b)),
            Op::Mul => match (constant(0), constant(1)) {
                (Some(c), _) => of(1).and_then(|b| b.scaled(c)),
                (_, Some(c)) => of(0).and_then(|a| a.scaled(c)),
                _ => flat(&[of(0), of(1)]),
            },
            Op::FloorDiv | Op::FloorMod | Op::Shr => {
                let divisor = if node.op == Op::Shr { constant(1).and_then(power_of_two) } else { constant(1) };
                match divisor {
                    Some(c) => {
                        of(0).and_then(|a| a.divided(c)).map(|(q, r)| if node.op == Op::FloorMod { r } else { q })
                    }
                    None => flat(&[of(0), of(1)]),
                }
            }
            Op::Shl => match constant(1).and_then(power_of_two) {
                Some(c) => of(0).and_then(|a| a.scaled(c)),
                None => flat(&[of(0), of(1)]),
            },
            op if op.is_bitwise() => match (constant(0), constant(1)) {
                (Some(c), _) => of(1).and_then(|b| with_constant(&node.op, b, c)),
                (_, Some(c)) => of(0).and_then(|a| with_constant(&node.op, a, c)),
                _ => flat(&[of(0), of(1)]),
            },
            op if op.is_extremum() => both(of(0), of(1), |a, b| (a == b).then_some(a)),
            op if op.is_comparison() => both(of(0), of(1), |a, b| (a == b).then_some(0)),
            Op::Select => flat(&[of(0)]).and_then(|c| {
                let branches = both(of(1), of(2), |a, b| (a == b).then_some(a))?;
                both(Some(c), Some(branches), |_, b| Some(b))
            }),
            op => flat(&(0..op.arity()).map(of).collect::<SmallVec<[_; 3]>>()),
        };
        all.push(period);
    }
    all
}

/// The period of an operator with two operands. `rise` computes the rise of the result from the rises of the operands
/// over a common length.
fn both(a: Option<Period>, b: Option<Period>, rise: impl Fn(i128, i128) -> Option<i128>) -> Option<Period> {
    let (a, b) = Period::joined(a?, b?)?;
    Some(Period { length: a.length, rise: rise(a.rise, b.rise)? })
}

/// The period of an operator whose operands do not rise.
fn flat(operands: &[Option<Period>]) -> Option<Period> {
    let mut length = 1;
    for operand in operands {
        let p = (*operand)?;
        if p.rise != 0 {
            return None;
        }
        length = lcm(length, p.length)?;
    }
    Some(Period { length, rise: 0 })
}

fn power_of_two(by: i128) -> Option<i128> {
    (0..=126).contains(&by).then(|| 1 << by)
}

/// The period of a bit operation with the constant `c`. All bits of `c` above some power of two are equal. If the
/// operand grows by a multiple of that power, the result grows by the same amount, stays the same, or shrinks by that
/// amount. Which of these holds depends on the high bits of `c`.
fn with_constant(op: &Op, a: Period, c: i128) -> Option<Period> {
    let high = c < 0;
    let bits = 128 - (if high { !c } else { c }).leading_zeros();
    let (_, low) = a.divided(power_of_two(i128::from(bits))?)?;
    let a = a.stretched(low.length)?;
    let rise = match (op, high) {
        (Op::BitAnd, false) | (Op::BitOr, true) => 0,
        (Op::BitXor, true) => a.rise.checked_neg()?,
        _ => a.rise,
    };
    Some(Period { length: a.length, rise })
}

/// Wrong periods, half as long as they should be. Tests use them to show that the decision procedure notices mistakes.
#[cfg(test)]
mod mutant {
    use quaff_expr::integer::floor_div;
    use std::cell::Cell;

    thread_local! {
        static IN_USE: Cell<bool> = const { Cell::new(false) };
    }

    /// Calls `f` with wrong periods on this thread.
    pub(super) fn with_half_periods<T>(f: impl FnOnce() -> T) -> T {
        IN_USE.set(true);
        let value = f();
        IN_USE.set(false);
        value
    }

    pub(super) fn shorter(times: i128) -> i128 {
        if IN_USE.get() { floor_div(times, 2).max(1) } else { times }
    }
}

#[cfg(test)]
mod tests {
    use super::{Period, mutant};
    use crate::{FloorSum, Verdict, equivalent};
    use quaff_expr::domain::Domain;
    use quaff_expr::expr::{Expr, int};
    use quaff_expr::integer::floor_mod;

    /// The decision procedure shares no code with the derivation that proposes simpler expressions. With wrong periods
    /// the proposals are wrong, and the procedure finds each of them.
    #[test]
    fn wrong_periods_are_found_out() {
        let domain = Domain::new().with("x", ..);
        for (text, period) in [("x//2 + x//4", 4), ("x//3*3 + (x*2 + 2001)%3", 3)] {
            let e: Expr = text.parse().unwrap();
            let form = || FloorSum::of(&e, "x").unwrap().to_expr("x").unwrap_or_else(|| int(0));
            let right = form();
            assert_eq!(equivalent(&e, &right, &domain), Verdict::Equal, "{text}");
            mutant::with_half_periods(|| {
                assert_ne!(Period::of(&e, "x").unwrap().length, period, "{text}");
                let wrong = form();
                assert!(matches!(equivalent(&e, &wrong, &domain), Verdict::Differs { .. }), "{text}: {wrong}");
                assert_eq!(equivalent(&e, &right, &domain), Verdict::Equal, "{text}");
            });
        }
    }

    #[test]
    fn outer_divisors_and_bit_operations_count() {
        let cases = [
            ("x//2//3", 6, 1),
            ("2*x % 6", 3, 0),
            ("4*x // 6", 3, 2),
            ("x // -3", 3, -1),
            ("x >> 3", 8, 1),
            ("x & 7", 8, 0),
            ("x | 5", 8, 8),
            ("x ^ -6", 8, -8),
            ("x & -8", 8, 8),
            ("min(x%4, y)", 4, 0),
            ("max(x//2, (x + 3)//2)", 2, 1),
            ("x//2 < (x + 3)//2", 2, 0),
            ("where(x%3 < 1, x, x + y)", 3, 3),
        ];
        for (text, length, rise) in cases {
            let e: Expr = text.parse().expect(text);
            assert_eq!(Period::of(&e, "x"), Some(Period { length, rise }), "{text}");
            for (x, y) in (-40..40).map(|x| (x, floor_mod(i128::from(x), 5) as i64 - 2)) {
                let at = |x: i64| e.eval(|v| Some(if v == "x" { x } else { y })).expect(text);
                assert_eq!(at(x + length as i64), at(x) + rise, "{text} at {x}");
            }
        }
        for text in ["x*x", "x*y", "x//y", "min(x, 3)", "x < 3", "not x", "where(x, 1, 2)", "1 << x"] {
            assert_eq!(Period::of(&text.parse().expect(text), "x"), None, "{text}");
        }
        assert_eq!(Period::of(&"x*y".parse().expect("valid"), "z"), Some(Period { length: 1, rise: 0 }));
    }

    #[test]
    fn slopes_are_reduced() {
        assert_eq!(Period { length: 12, rise: -8 }.slope(), (-2, 3));
        assert_eq!(Period { length: 12, rise: 0 }.slope(), (0, 1));
    }
}
