//! Makes instances with symbolic sizes: products of variables, sums such as `n*v + d` with `d` below `n`, and products
//! `n*(x//n)`.
//!
//! These instances are for rules that the plain instances never match, because such a rule needs terms that depend on
//! one another.

use super::{Generator, Role};
use crate::domain::Interval;
use crate::expr::{Expr, int, var};

/// Ranges of symbolic sizes. They are so short that all points can be tried.
const SIZES: [(i64, i64); 4] = [(1, 3), (1, 4), (2, 5), (3, 3)];

impl Generator<'_> {
    /// One of the positive variables, or a new positive variable.
    fn size(&mut self) -> Expr {
        let known: Vec<&'static str> = self.variables.iter().filter(|v| v.divides).map(|v| v.name).collect();
        if known.len() >= 2 || !known.is_empty() && self.random.chance(60) {
            return var(self.random.pick(&known));
        }
        let (lo, hi) = self.random.pick(&SIZES);
        self.declare(format!("{lo}..{hi}"), Interval::from_wide(lo.into(), hi.into()), true)
    }

    /// A divisor: a size, a product of two sizes, or a sum.
    pub(super) fn size_divisor(&mut self) -> Expr {
        let first = self.size();
        match self.random.below(4) {
            0 | 1 => first,
            2 => first * self.size(),
            _ => first + self.random.pick(&[1, 2]),
        }
    }

    /// A value for a name: usually a size, and otherwise another variable.
    pub(super) fn size_value(&mut self) -> Expr {
        if self.random.chance(60) { self.size() } else { self.variable() }
    }

    /// A sum that contains values which were made before.
    pub(super) fn size_sum(&mut self) -> Expr {
        let factor = self.number(&[1, 1, 2, -1]);
        let part = match self.random.below(6) {
            0 => self.digits(),
            1 => self.product() * factor,
            2 => self.left_by_remainder() * factor,
            3 => self.negated_truth(),
            4 => self.remainder(),
            _ => self.variable() * factor,
        };
        match self.random.below(4) {
            0 => part + self.random.pick(&[-1, 1, 2]),
            1 => part + self.product() * factor,
            _ => part,
        }
    }

    /// `n*v` plus a digit below `n`, or a similar sum with other signs.
    fn digits(&mut self) -> Expr {
        let radix = self.size();
        let name = radix.to_string();
        let digit = self.declare(format!("0..{name} - 1"), Interval::from_wide(0, 4), false);
        let high = self.variable() * &radix;
        match self.random.below(4) {
            0 => high + digit,
            1 => high - digit - 1,
            2 => high - self.variable() * radix + digit,
            _ => self.variable() * radix - high - digit - 1,
        }
    }

    /// The product of two or three values of names or sizes.
    fn product(&mut self) -> Expr {
        let mut out = self.earlier();
        for _ in 0..self.random.pick(&[1, 1, 2, 2]) {
            out = out * self.earlier();
        }
        out
    }

    fn earlier(&mut self) -> Expr {
        let known: Vec<Expr> = self.names.iter().filter_map(|n| self.bound.get(n.0).cloned()).collect();
        if known.is_empty() || self.random.chance(20) {
            self.size()
        } else {
            known[self.random.below(known.len())].clone()
        }
    }

    /// `n*(x//n)` for the values of two names `n` and `x`.
    fn left_by_remainder(&mut self) -> Expr {
        let symbols = self.names.iter().filter(|n| n.1 == Role::Divisor).find_map(|n| self.bound.get(n.0).cloned());
        let number = |known: Vec<i64>| if known.is_empty() { None } else { Some(known) };
        let Some(first) = symbols.or_else(|| number(self.known()).map(|known| int(self.random.pick(&known)))) else {
            return int(0);
        };
        let x = self.sums.first().cloned().unwrap_or_else(|| int(3));
        &first * (x / &first)
    }

    /// `x - n*(x//n)` for the values of two names `n` and `x`.
    fn remainder(&mut self) -> Expr {
        let x = self.sums.first().cloned().unwrap_or_else(|| int(3));
        x - self.left_by_remainder()
    }

    /// A term that is not 0 only if an earlier sum is negative.
    fn negated_truth(&mut self) -> Expr {
        let earlier = self.sums.first().cloned().unwrap_or_else(|| int(0));
        earlier.lt(0) * self.variable()
    }
}
