//! What is known of the copies of a part of an expression, and what an operator makes of it.

use super::error::IndexError;
use super::family::{Family, Ruled};
use super::general::divided;
use super::idx::REACH;
use crate::domain::{Interval, interval_of_op};
use crate::expr::{EvalError, EvalFailure, Expr, Op, int};
use crate::integer::floor_mod;

/// The copies of one part.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// They share their dynamic part.
    Together(Family),
    /// Each has an expression of its own; all lie in the interval.
    Apart(Vec<Expr>, Interval),
}

impl State {
    pub(super) fn interval(&self) -> Interval {
        match self {
            State::Together(f) => Interval::from_wide(f.bounds().0, f.bounds().1),
            State::Apart(_, interval) => *interval,
        }
    }

    pub(super) fn copy(&self, s: usize) -> Result<Expr, IndexError> {
        match self {
            State::Together(f) => f.copy(s),
            State::Apart(copies, _) => copies.get(s).cloned().ok_or(IndexError::Overflow),
        }
    }

    /// Whether all copies are the same.
    fn is_uniform(&self) -> bool {
        matches!(self, State::Together(f) if f.least() == f.greatest())
    }
}

/// The result of `op`, and what was lost where its copies are apart though those of all operands are together.
pub(super) fn apply(op: &Op, args: &[&State], copies: usize) -> Result<(State, Option<&'static str>), IndexError> {
    let families: Option<Vec<&Family>> =
        args.iter().map(|a| if let State::Together(f) = a { Some(f) } else { None }).collect();
    let together = families.is_some();
    if let Some(families) = families {
        if families.iter().all(|f| f.is_fixed())
            && let Some(family) = evaluated(op, &families, copies)?
        {
            return Ok((State::Together(family), None));
        }
        if let Some(family) = ruled(op, &families)? {
            return Ok((State::Together(family), None));
        }
    }
    let ranges: Vec<Interval> = args.iter().map(|a| a.interval()).collect();
    if matches!(op, Op::FloorDiv | Op::FloorMod) && ranges.get(1).is_none_or(|r| r.contains(0)) {
        return Err(IndexError::ZeroDivisor);
    }
    let interval = interval_of_op(op, &ranges);
    let one = |s: usize| Ok(Expr::new(op.clone(), args.iter().map(|a| a.copy(s)).collect::<Result<Vec<_>, _>>()?));
    if args.iter().all(|a| a.is_uniform()) {
        // computed once for all copies
        let (low, high) = interval.bounded().ok_or(IndexError::Overflow)?;
        let family = Family { offsets: vec![0; copies], m: 1, low: low.into(), high: high.into(), base: one(0)? };
        return Ok((State::Together(family.checked()?), None));
    }
    let all = (0..copies).map(one).collect::<Result<Vec<_>, IndexError>>()?;
    Ok((State::Apart(all, interval), together.then(|| lost(op))))
}

/// What an operator that has no rule for its operands takes from them.
fn lost(op: &Op) -> &'static str {
    match op {
        Op::Mul => "multiples of different copies grow at different rates",
        Op::FloorDiv | Op::Shr => "copies straddle multiples of the divisor",
        Op::FloorMod => "copies wrap around at different dynamic values",
        Op::BitAnd | Op::BitOr | Op::BitXor => "bits of the dynamic part and of the copies mix",
        _ => "the operator is not linear",
    }
}

/// The rules of families; `None` where none applies.
fn ruled(op: &Op, families: &[&Family]) -> Ruled {
    match (op, families) {
        (Op::Neg, [a]) => a.scaled(-1),
        (Op::Add, [a, b]) => a.sum(b, 1),
        (Op::Sub, [a, b]) => a.sum(b, -1),
        (Op::Mul, [a, b]) => a.product(b),
        (Op::FloorDiv | Op::FloorMod, [a, b]) => {
            let Some(c) = b.as_constant() else { return Ok(None) };
            let c = i64::try_from(c).map_err(|_| IndexError::Overflow)?;
            let (a, by) = divided((*a).clone(), c)?;
            match (op, c < 0) {
                (Op::FloorDiv, _) => a.quotient(by),
                (_, false) => a.remainder(by),
                (_, true) => a.remainder(by)?.map_or(Ok(None), |f| f.scaled(-1)),
            }
        }
        (Op::Shl | Op::Shr, [a, b]) => match b.as_constant() {
            Some(by @ 0..=62) if *op == Op::Shl => a.scaled(1 << by),
            Some(by @ 0..=62) => a.quotient(1 << by),
            _ => Ok(None),
        },
        (Op::BitAnd | Op::BitOr | Op::BitXor, [a, b]) => match (a.is_fixed(), b.is_fixed()) {
            (false, true) => bits(op, a, b),
            (true, false) => bits(op, b, a),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Bits of a dynamic family and a fixed one: where the dynamic part is a multiple of a power of two above all offsets of
/// both, the operator works on the offsets alone.
fn bits(op: &Op, dynamic: &Family, fixed: &Family) -> Ruled {
    let dynamic = dynamic.canonical()?;
    let modulus = 1_i128 << dynamic.m.trailing_zeros().min(62);
    let small = |f: &Family| f.least() >= 0 && f.greatest() < modulus;
    if !small(&dynamic) || !small(fixed) || floor_mod(dynamic.m, modulus) != 0 {
        return Ok(None);
    }
    let pairs = dynamic.offsets.iter().zip(&fixed.offsets);
    match op {
        Op::BitAnd => Family::fixed(pairs.map(|(a, b)| a & b).collect()),
        Op::BitOr => Family { offsets: pairs.map(|(a, b)| a | b).collect(), ..dynamic.clone() }.checked().map(Some),
        _ => Family { offsets: pairs.map(|(a, b)| a ^ b).collect(), ..dynamic.clone() }.checked().map(Some),
    }
}

/// The operator on copies that are all known; `None` where constants of 64 bits do not hold them.
fn evaluated(op: &Op, families: &[&Family], copies: usize) -> Ruled {
    let mut offsets = Vec::with_capacity(copies);
    for s in 0..copies {
        let args = families.iter().map(|f| f.copy(s)).collect::<Result<Vec<Expr>, _>>()?;
        match Expr::new(op.clone(), args).eval(|_| None) {
            Ok(value) if (-REACH..=REACH).contains(&value) => offsets.push(value),
            Err(EvalFailure::Undefined(EvalError::DivisionByZero)) => return Err(IndexError::ZeroDivisor),
            _ => return Err(IndexError::Overflow),
        }
    }
    Family::fixed(offsets)
}

/// A constant in all copies.
pub(super) fn constant(c: i64, copies: usize) -> Ruled {
    Family::fixed(vec![c.into(); copies])
}

/// A variable that all copies share: `residue` modulo `modulus`, in `interval`.
pub(super) fn shared(name: &Expr, interval: Interval, modulus: i64, residue: i64, copies: usize) -> Ruled {
    let (low, high) = interval.bounded().ok_or(IndexError::Overflow)?;
    let (m, r) = if modulus > 1 { (modulus, residue) } else { (1, 0) };
    let base = if r == 0 { name.clone() } else { name - int(r) };
    let at = |x: i64| crate::integer::floor_div(i128::from(x) - i128::from(r), m.into());
    let family = Family { offsets: vec![r.into(); copies], m: m.into(), low: at(low), high: at(high), base };
    family.checked().map(Some)
}
