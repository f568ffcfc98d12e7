//! Expressions of unrolled copies, written so that their constants come last.
//!
//! A sum has the constant as its last term. An exclusive or with a constant has the constant as its last operand. So
//! the dynamic part is computed once for all copies.

use super::family::Family;
use super::state::State;
use quaff::domain::{Interval, interval_of_op};
use quaff::expr::{Expr, Op};
use quaff::integer::floor_mod;

/// The exponent of the greatest power of two that is tried to separate bits.
const MAX_BITS: u32 = 62;

/// An expression in which variables represent the constants of the copies.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// The form `base + constant`.
    Sum { base: Expr, constant: Option<Expr> },
    /// The form `(base ^ constant) + offset`. If `bits` is below [`MAX_BITS`], `base` and the constant are in
    /// `0..2^bits`.
    Xor { base: Expr, constant: Expr, bits: u32, offset: Option<Expr> },
    /// Any other expression.
    Other(Expr),
}

impl Form {
    /// The form as an expression.
    pub(super) fn expr(&self) -> Expr {
        let plus = |base: &Expr, constant: &Option<Expr>| match constant {
            None => base.clone(),
            Some(constant) if base.as_const() == Some(0) => constant.clone(),
            Some(constant) => base + constant,
        };
        match self {
            Form::Sum { base, constant } => plus(base, constant),
            Form::Xor { base, constant, offset, .. } => plus(&(base ^ constant), offset),
            Form::Other(expr) => expr.clone(),
        }
    }

    /// The form of `op`, if the copies of its result share no dynamic part.
    pub(super) fn apart(op: &Op, args: &[(&Form, &State)]) -> Form {
        let found = match (op, args) {
            (Op::BitXor, &[a, b]) => xor(a, b).or_else(|| xor(b, a)),
            (Op::Add, &[a, b]) => sum(a, b).or_else(|| sum(b, a)),
            _ => None,
        };
        found.unwrap_or_else(|| Form::Other(Expr::new(op.clone(), args.iter().map(|(form, _)| form.expr()))))
    }
}

/// `a ^ (base + c)` is `(a ^ base) ^ c` if `base` and all `c` have no bits in common.
fn xor((a, of_a): (&Form, &State), (b, of_b): (&Form, &State)) -> Option<Form> {
    let (State::Together(family), Form::Sum { base, constant: Some(constant) }) = (of_b, b) else { return None };
    let Form::Sum { base: other, constant: None } = a else { return None };
    let dynamic = Interval::from_wide(family.m * family.low, family.m * family.high);
    (0..=MAX_BITS).find(|&bits| is_disjoint(family, dynamic, bits))?;
    let below = |i: Interval| i.bounded().filter(|(lo, _)| *lo >= 0).map(|(_, hi)| i64::BITS - hi.leading_zeros());
    let constants = Interval::from_wide(family.least(), family.greatest());
    let inner = interval_of_op(&Op::BitXor, &[of_a.interval(), dynamic]);
    // the bit position from which on no bit is set, or the maximum if a value may be negative
    let bits = below(inner).zip(below(constants)).map_or(MAX_BITS, |(x, y)| x.max(y));
    let base = if family.m == 0 { other.clone() } else { other ^ base };
    Some(Form::Xor { base, constant: constant.clone(), bits, offset: None })
}

/// Whether a power of two separates the bits: either the dynamic part is below `2^bits` and the constants are multiples
/// of `2^bits`, or the reverse.
fn is_disjoint(family: &Family, dynamic: Interval, bits: u32) -> bool {
    let power = 1i128 << bits;
    let multiples = family.offsets.iter().all(|o| floor_mod(*o, power) == 0);
    let small = family.least() >= 0 && family.greatest() < power;
    multiples && dynamic.within(0, power - 1) || small && floor_mod(family.m, power) == 0
}

/// `(a + c) + ((b ^ d) + e)` is `((a + b) ^ d) + c + e` if `b` and `d` are below a power of two that divides `a`.
fn sum((a, of_a): (&Form, &State), (b, _): (&Form, &State)) -> Option<Form> {
    let (State::Together(family), Form::Sum { base, constant }) = (of_a, a) else { return None };
    let Form::Xor { base: x, constant: d, bits, offset } = b else { return None };
    let is_multiple = |x: i128| floor_mod(x, 1 << bits) == 0;
    // without a variable for the constant, the base includes the offset that all copies share
    let own = if constant.is_none() { family.least() } else { 0 };
    if *bits >= MAX_BITS || family.m == 0 || !is_multiple(family.m) || !is_multiple(own) {
        return None;
    }
    let offset = match (constant, offset) {
        (Some(c), Some(e)) => Some(c + e),
        (c, e) => c.clone().or_else(|| e.clone()),
    };
    // the new base also has the bits of `a`
    Some(Form::Xor { base: base + x, constant: d.clone(), bits: MAX_BITS, offset })
}
