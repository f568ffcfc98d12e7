//! The state of the copies of a subexpression, and the effect of each operator on it.

use super::error::IndexError;
use super::family::{Family, Ruled};
use super::general::divided;
use super::idx::{REACH, literal};
use super::parts::Parts;
use quaff::domain::{Interval, error_of_op, interval_of_op};
use quaff::expr::{EvalError, EvalFailure, Expr, Op, int};
use quaff::integer::{floor_div, floor_mod, gcd};

/// The copies of one subexpression, one for each unrolled iteration.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// The copies share one dynamic part.
    Together(Family),
    /// The copies share several dynamic parts, each with a separate factor for every copy.
    Several(Parts),
    /// Each copy has a separate expression.
    Apart(Apart),
}

/// Copies without a common dynamic part.
#[derive(Clone, Debug)]
pub(super) struct Apart {
    copies: Vec<Expr>,
    /// The interval that contains the values of all copies.
    pub(super) interval: Interval,
    /// The sorted set of the integers of all copies, if it is the same at all values of the dynamic parts.
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

    /// Whether all copies have the same value.
    fn is_uniform(&self) -> bool {
        matches!(self, State::Together(f) if f.least() == f.greatest())
    }
}

/// The state of the result of `op`. If its copies share less than the copies of the operands, the second value is the
/// reason.
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
        // the interval is computed once for all copies
        let (low, high) = interval.bounded().ok_or(IndexError::Overflow)?;
        let family = Family { offsets: vec![0; copies], m: 1, low: low.into(), high: high.into(), base: one(0)? };
        return Ok((State::Together(family.checked()?), None));
    }
    let copies = (0..copies).map(one).collect::<Result<Vec<_>, IndexError>>()?;
    let set = common_set(op, args)?;
    Ok((State::Apart(Apart { copies, interval, set }), whole.then(|| lost(op))))
}

/// The rules for operands with several dynamic parts. An operand may also have only one part. `None` if no rule
/// applies.
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

/// The set of the results of all copies, if it is the same for all values of the dynamic parts. A single copy need not
/// be constant.
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

/// The set of residues of the copies of `a` modulo `c`, if it is the same for all dynamic numbers.
fn residues(a: &Family, c: i128) -> Option<Vec<i128>> {
    let mut all: Vec<i128> = a.offsets.iter().map(|o| floor_mod(*o, c)).collect();
    all.sort_unstable();
    all.dedup();
    let step = gcd(a.m, c);
    let is_closed = all.iter().all(|r| all.binary_search(&floor_mod(r + step, c)).is_ok());
    is_closed.then_some(all)
}

/// The results of `op` for the members of a set. `None` if a result has no value of 64 bits.
fn mapped(op: &Op, set: &[i128], operands: impl Fn(i128) -> [Option<i128>; 2]) -> Option<Vec<i128>> {
    let one = |x: &i128| {
        let args = operands(*x).into_iter().flatten().map(|n| literal(n).ok()).collect::<Option<Vec<Expr>>>()?;
        Expr::try_new(op.clone(), args).ok()?.eval(|_| None).ok()
    };
    set.iter().map(one).collect()
}

/// The reason why copies share fewer dynamic parts after an operator without a rule for its operands.
fn lost(op: &Op) -> &'static str {
    match op {
        Op::Mul => "multiples of different copies grow at different rates",
        Op::FloorDiv | Op::Shr => "copies straddle multiples of the divisor",
        Op::FloorMod => "copies wrap around at different dynamic values",
        op if op.is_bitwise() => "bits of the dynamic part and of the copies mix",
        _ => "the operator is not linear",
    }
}

/// The rules for families. `None` if no rule applies.
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

/// A bitwise operator on two families. A power of two that divides both dynamic parts separates the bits. The bits
/// below this power come from the offsets only. The bits above it must be the same in all copies. The operator is
/// applied to both groups of bits separately.
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
    // if one side has no bits above the power of two, the result has the high bits of the other side, or none for an
    // `and`
    match (p.is_zero(), q.is_zero(), op) {
        (true, _, Op::BitAnd) | (_, true, Op::BitAnd) => return Family::fixed(offsets),
        (_, true, _) => return p.with(offsets, a.m),
        (true, ..) => return q.with(offsets, b.m),
        _ => {}
    }
    let interval = interval_of_op(op, &[p.interval, q.interval]);
    High { base: Expr::new(op.clone(), [p.base, q.base]), interval }.with(offsets, modulus)
}

/// The bits above a power of two, which are the same in all copies.
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

    /// The family with these high bits and with `offsets` as low bits. The multiplier `m` divides every value of the
    /// base, which is the shared dynamic part.
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

/// The operator on copies that are all constants. Returns an error if a result exceeds the reach of types.
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

/// A constant with the same value in all copies.
pub(super) fn constant(c: i64, copies: usize) -> Ruled {
    Family::fixed(vec![c.into(); copies])
}

/// A variable in `interval` that all copies share and that is `residue` modulo `modulus`.
pub(super) fn shared(name: &Expr, interval: Interval, modulus: i64, residue: i64, copies: usize) -> Ruled {
    let (low, high) = interval.bounded().ok_or(IndexError::Overflow)?;
    let (m, r) = if modulus > 1 { (modulus, residue) } else { (1, 0) };
    let base = if r == 0 { name.clone() } else { name - int(r) };
    let at = |x: i64| floor_div(i128::from(x) - i128::from(r), m.into());
    let family = Family { offsets: vec![r.into(); copies], m: m.into(), low: at(low), high: at(high), base };
    family.checked().map(Some)
}
