//! What is known of the copies of a part of an expression, and what an operator makes of it.

use super::error::IndexError;
use super::family::{Family, Ruled};
use super::general::divided;
use super::idx::{REACH, literal};
use super::parts::Parts;
use quaff::domain::{Interval, error_of_op, interval_of_op};
use quaff::expr::{EvalError, EvalFailure, Expr, Op, int};
use quaff::integer::{floor_div, floor_mod, gcd};

/// The copies of one part.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// They share their dynamic part.
    Together(Family),
    /// They share several dynamic parts, each with factors of its own.
    Several(Parts),
    /// Each has an expression of its own.
    Apart(Apart),
}

/// Copies without a common dynamic part.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    copies: Vec<Expr>,
    /// In which all lie.
    pub(super) interval: Interval,
    /// The integers that the copies have together, where these are the same at all values of the dynamic parts; sorted.
    pub(super) set: Option<Vec<i128>>,
}

impl State {
    pub(super) fn interval(&self) -> Interval {
        match self {
            State::Together(f) => Interval::from_wide(f.bounds().0, f.bounds().1),
            State::Several(parts) => parts.interval(),
            State::Apart(apart) => apart.interval,
        }
    }

    pub(super) fn copy(&self, s: usize) -> Result<Expr, IndexError> {
        match self {
            State::Together(f) => f.copy(s),
            State::Several(parts) => parts.copy(s),
            State::Apart(apart) => apart.copies.get(s).cloned().ok_or(IndexError::Overflow),
        }
    }

    /// Whether all copies are the same.
    fn is_uniform(&self) -> bool {
        matches!(self, State::Together(f) if f.least() == f.greatest())
    }
}

/// The result of `op`, and what was lost where its copies share less than those of all operands do.
pub(super) fn apply(op: &Op, args: &[&State], copies: usize) -> Result<(State, Option<&'static str>), IndexError> {
    let families: Option<Vec<&Family>> =
        args.iter().map(|a| if let State::Together(f) = a { Some(f) } else { None }).collect();
    let together = families.is_some();
    let whole = args.iter().all(|a| !matches!(a, State::Apart(_)));
    if let Some(families) = &families {
        if families.iter().all(|f| f.is_fixed())
            && let Some(family) = evaluated(op, families, copies)?
        {
            return Ok((State::Together(family), None));
        }
        if let Some(family) = ruled(op, families)? {
            return Ok((State::Together(family), None));
        }
    }
    if whole && let Some(parts) = several(op, args)? {
        return Ok(match parts.as_family()? {
            Some(family) => (State::Together(family), None),
            None => (State::Several(parts), together.then(|| lost(op))),
        });
    }
    let ranges: Vec<Interval> = args.iter().map(|a| a.interval()).collect();
    if error_of_op(op, &ranges) == Some(EvalError::DivisionByZero) {
        return Err(IndexError::ZeroDivisor);
    }
    let interval = interval_of_op(op, &ranges);
    if let Some(value) = interval.as_point()
        && let Some(family) = constant(value, copies)?
    {
        return Ok((State::Together(family), None));
    }
    let one = |s: usize| Ok(Expr::new(op.clone(), args.iter().map(|a| a.copy(s)).collect::<Result<Vec<_>, _>>()?));
    if args.iter().all(|a| a.is_uniform()) {
        // computed once for all copies
        let (low, high) = interval.bounded().ok_or(IndexError::Overflow)?;
        let family = Family { offsets: vec![0; copies], m: 1, low: low.into(), high: high.into(), base: one(0)? };
        return Ok((State::Together(family.checked()?), None));
    }
    let copies = (0..copies).map(one).collect::<Result<Vec<_>, IndexError>>()?;
    let set = common_set(op, args)?;
    Ok((State::Apart(Apart { copies, interval, set }), whole.then(|| lost(op))))
}

/// The rules of several parts, for operands that have one or several; `None` where none applies.
fn several(op: &Op, args: &[&State]) -> Result<Option<Parts>, IndexError> {
    let parts: Option<Vec<Parts>> = args
        .iter()
        .map(|a| match a {
            State::Together(family) => Some(Parts::of(family)),
            State::Several(parts) => Some(parts.clone()),
            State::Apart(_) => None,
        })
        .collect();
    let constant = |place: usize| match args.get(place) {
        Some(State::Together(family)) => family.as_constant(),
        _ => None,
    };
    match (op, parts.as_deref()) {
        (Op::Neg, Some([a])) => a.scaled(-1),
        (Op::Add, Some([a, b])) => a.sum(b, 1),
        (Op::Sub, Some([a, b])) => a.sum(b, -1),
        (Op::Mul, Some([a, b])) => a.product(b),
        (Op::FloorDiv, Some([a, _])) => constant(1).filter(|c| *c > 0).map_or(Ok(None), |c| a.quotient(c)),
        (Op::FloorMod, Some([a, _])) => constant(1).filter(|c| *c > 0).map_or(Ok(None), |c| a.remainder(c)),
        _ => Ok(None),
    }
}

/// The set of the results of all copies, where it is the same at all values of the dynamic parts though no copy is constant.
fn common_set(op: &Op, args: &[&State]) -> Result<Option<Vec<i128>>, IndexError> {
    let constant = |a: &State| if let State::Together(f) = a { f.as_constant() } else { None };
    let set = match (op, args) {
        (Op::FloorMod, [State::Together(a), b]) => {
            let Some(c) = constant(b).and_then(|c| i64::try_from(c).ok()) else { return Ok(None) };
            let (a, by) = divided(a.clone(), c)?;
            let residues = residues(&a, by);
            residues.map(|all| all.into_iter().map(|r| if c < 0 { -r } else { r }).collect())
        }
        (_, [State::Apart(Apart { set: Some(set), .. })]) => mapped(op, set, |x| [Some(x), None]),
        (_, [State::Apart(Apart { set: Some(set), .. }), b]) => {
            constant(b).and_then(|c| mapped(op, set, |x| [Some(x), Some(c)]))
        }
        (_, [a, State::Apart(Apart { set: Some(set), .. })]) => {
            constant(a).and_then(|c| mapped(op, set, |x| [Some(c), Some(x)]))
        }
        _ => None,
    };
    Ok(set.map(|mut set: Vec<i128>| {
        set.sort_unstable();
        set.dedup();
        set
    }))
}

/// The residues of the copies of `a` modulo `c`, where each step of the dynamic number permutes them.
fn residues(a: &Family, c: i128) -> Option<Vec<i128>> {
    let mut all: Vec<i128> = a.offsets.iter().map(|o| floor_mod(*o, c)).collect();
    all.sort_unstable();
    all.dedup();
    let step = gcd(a.m, c);
    let is_closed = all.iter().all(|r| all.binary_search(&floor_mod(r + step, c)).is_ok());
    is_closed.then_some(all)
}

/// `op` on each member of a set; `None` where it has no value of 64 bits.
fn mapped(op: &Op, set: &[i128], operands: impl Fn(i128) -> [Option<i128>; 2]) -> Option<Vec<i128>> {
    let one = |x: &i128| {
        let args = operands(*x).into_iter().flatten().map(|n| literal(n).ok()).collect::<Option<Vec<Expr>>>()?;
        Expr::try_new(op.clone(), args).ok()?.eval(|_| None).ok()
    };
    set.iter().map(one).collect()
}

/// What an operator that has no rule for its operands takes from them.
fn lost(op: &Op) -> &'static str {
    match op {
        Op::Mul => "multiples of different copies grow at different rates",
        Op::FloorDiv | Op::Shr => "copies straddle multiples of the divisor",
        Op::FloorMod => "copies wrap around at different dynamic values",
        op if op.is_bitwise() => "bits of the dynamic part and of the copies mix",
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
        (op @ (Op::FloorDiv | Op::FloorMod), [a, b]) => {
            let Some(c) = b.as_constant() else { return Ok(None) };
            let c = i64::try_from(c).map_err(|_| IndexError::Overflow)?;
            let (a, by) = divided((*a).clone(), c)?;
            match (op, c < 0) {
                (Op::FloorDiv, _) => a.quotient(by),
                (_, false) => a.remainder(by),
                (_, true) => a.remainder(by)?.map_or(Ok(None), |f| f.scaled(-1)),
            }
        }
        (op, [a, b]) if op.is_shift() => match b.as_constant() {
            Some(by @ 0..=62) if *op == Op::Shl => a.scaled(1 << by),
            Some(by @ 0..=62) => a.quotient(1 << by),
            _ => Ok(None),
        },
        (op, [a, b]) if op.is_bitwise() => bits(op, a, b),
        _ => Ok(None),
    }
}

/// Bits below a power of two that divides both dynamic parts are those of the offsets, and all others are the same in all
/// copies where the rest of the offsets is: the operator works on either by itself.
fn bits(op: &Op, a: &Family, b: &Family) -> Ruled {
    let zeros = |f: &Family| if f.m == 0 { 62 } else { f.m.trailing_zeros().min(62) };
    let modulus = 1_i128 << zeros(a).min(zeros(b));
    let (Some(p), Some(q)) = (High::of(a, modulus)?, High::of(b, modulus)?) else { return Ok(None) };
    let low = |x: &i128| floor_mod(*x, modulus);
    let pairs = a.offsets.iter().map(low).zip(b.offsets.iter().map(low));
    let offsets: Vec<i128> = match op {
        Op::BitAnd => pairs.map(|(x, y)| x & y).collect(),
        Op::BitOr => pairs.map(|(x, y)| x | y).collect(),
        _ => pairs.map(|(x, y)| x ^ y).collect(),
    };
    // nothing above the power of two on one side: the other stays, or nothing does
    match (p.is_zero(), q.is_zero(), op) {
        (true, _, Op::BitAnd) | (_, true, Op::BitAnd) => return Family::fixed(offsets),
        (_, true, _) => return p.with(offsets, a.m),
        (true, ..) => return q.with(offsets, b.m),
        _ => {}
    }
    let interval = interval_of_op(op, &[p.interval, q.interval]);
    High { base: Expr::new(op.clone(), [p.base, q.base]), interval }.with(offsets, modulus)
}

/// What lies above a power of two, the same in all copies.
struct High {
    base: Expr,
    interval: Interval,
}

impl High {
    fn of(family: &Family, modulus: i128) -> Result<Option<High>, IndexError> {
        let high = |x: i128| x - floor_mod(x, modulus);
        let own = high(family.least());
        if own != high(family.greatest()) {
            return Ok(None);
        }
        let base = match (family.m, own) {
            (0, _) => literal(own)?,
            (_, 0) => family.base.clone(),
            _ => &family.base + literal(own)?,
        };
        let interval = Interval::from_wide(own + family.m * family.low, own + family.m * family.high);
        Ok(Some(High { base, interval }))
    }

    fn is_zero(&self) -> bool {
        self.base.as_const() == Some(0)
    }

    /// With these bits below; the multiplier divides the values of the base.
    fn with(self, offsets: Vec<i128>, m: i128) -> Ruled {
        let Some((low, high)) = self.interval.bounded() else { return Err(IndexError::Overflow) };
        let (first, low, high) = (floor_mod(low.into(), m), i128::from(low), i128::from(high));
        let base = if first == 0 { self.base } else { self.base - literal(first)? };
        let offsets = offsets.iter().map(|o| o + first).collect();
        Family { offsets, m, low: floor_div(low - first, m), high: floor_div(high - first, m), base }
            .checked()
            .map(Some)
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
    let at = |x: i64| floor_div(i128::from(x) - i128::from(r), m.into());
    let family = Family { offsets: vec![r.into(); copies], m: m.into(), low: at(low), high: at(high), base };
    family.checked().map(Some)
}
