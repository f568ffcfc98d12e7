//! Reads nested quotients and remainders, such as `i//4%8//2`, as one digit.

use crate::digits::product;
use quaff::expr::{Expr, Op, int};
use quaff::integer::{floor_div, floor_mod};

/// The digit `of // lower % extent`.
#[derive(Clone)]
pub(crate) struct Span {
    pub(crate) of: Expr,
    pub(crate) lower: Expr,
    /// The modulus of the remainder. `None` if there is no remainder.
    pub(crate) extent: Option<Expr>,
}

impl Span {
    pub(crate) fn whole(of: Expr) -> Span {
        Span { of, lower: int(1), extent: None }
    }

    /// Reads `e` as a digit. `None` if it is not a quotient or remainder by a positive divisor that `is_divisor`
    /// accepts.
    pub(crate) fn read(e: &Expr, mut is_divisor: impl FnMut(&Expr) -> bool) -> Option<Span> {
        // the quotients and remainders in `e`, the outermost first
        let mut chain = vec![];
        let mut of = e.clone();
        while let (Op::FloorDiv | Op::FloorMod, [inner, by]) = (of.op(), of.args()) {
            if !is_divisor(by) {
                break;
            }
            chain.push((of.op().clone(), by.clone()));
            of = inner.clone();
        }
        let whole = Span::whole(of);
        let is_digit = !chain.is_empty();
        is_digit.then(|| chain.into_iter().rev().fold(whole, |span, (op, by)| span.of_op(&op, by)))
    }

    fn of_op(self, op: &Op, by: Expr) -> Span {
        let rest = self.extent.as_ref().map(|extent| quotient(extent, &by));
        match (op, rest) {
            (Op::FloorDiv, None) => Span { lower: product(&self.lower, &by), ..self },
            (Op::FloorDiv, Some(Some(rest))) => Span { lower: product(&self.lower, &by), extent: Some(rest), ..self },
            (Op::FloorDiv, Some(None)) => Span { of: self.expr(), lower: by, extent: None },
            (_, None | Some(Some(_))) => Span { extent: Some(by), ..self },
            (_, Some(None)) => Span { of: self.expr(), lower: int(1), extent: Some(by) },
        }
    }

    pub(crate) fn expr(&self) -> Expr {
        let is_whole = self.lower.as_const() == Some(1);
        let above = if is_whole { self.of.clone() } else { self.of.floor_div(&self.lower) };
        self.extent.as_ref().map_or(above.clone(), |extent| above.floor_mod(extent))
    }
}

/// The quotient `a / b`, if it is proved to be an integer.
pub(crate) fn quotient(a: &Expr, b: &Expr) -> Option<Expr> {
    if a == b {
        return Some(int(1));
    }
    exact_quotient(a.as_const()?, b.as_const()?).map(int)
}

pub(crate) fn exact_quotient(a: i64, b: i64) -> Option<i64> {
    let is_exact = b != 0 && floor_mod(a.into(), b.into()) == 0;
    is_exact.then(|| i64::try_from(floor_div(a.into(), b.into())).ok()).flatten()
}
