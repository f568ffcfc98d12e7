//! Builds typed operations, with sharing, conversions and the choice of signed or unsigned types.

use super::graph::{FastDivisor, Instr, Lowered, Type, Value};
use super::plan::{How, is_narrow};
use super::target::Target;
use crate::domain::Interval;
use crate::expr::Compare;
use rustc_hash::FxHashMap;

/// A builder that makes each distinct operation once.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) lowered: Lowered,
    known: FxHashMap<Value, u32>,
    pub(super) fast: FxHashMap<u32, u32>,
    pub(super) target: Target,
}

/// The natural type of a range: the type of an exact value in `range`.
pub fn natural(range: Interval) -> Type {
    if range.fits_i32() {
        Type::Int
    } else if is_narrow(range) {
        Type::Unsigned
    } else {
        Type::Long
    }
}

/// The number that represents `value` in a constant of type `ty`.
fn wrapped(value: i64, ty: Type) -> i64 {
    match ty {
        Type::Bool | Type::Int => value as i32 as i64,
        Type::Unsigned => value as u32 as i64,
        Type::Long | Type::UnsignedLong => value,
    }
}

impl Builder {
    pub(super) fn new(target: &Target) -> Builder {
        Builder { target: *target, ..Builder::default() }
    }

    pub(super) fn ty(&self, id: u32) -> Type {
        self.lowered.values[id as usize].ty
    }

    fn constant(&self, id: u32) -> Option<i64> {
        match self.lowered.values[id as usize] {
            Value { instr: Instr::Const(c), .. } => Some(c),
            _ => None,
        }
    }

    /// A constant, of the first type that can hold `value`.
    pub(super) fn int(&mut self, value: i64) -> u32 {
        self.emit(Instr::Const(value), natural(Interval::point(value)), &[])
    }

    pub(super) fn typed(&mut self, value: i64, ty: Type) -> u32 {
        self.emit(Instr::Const(wrapped(value, ty)), ty, &[])
    }

    /// Adds the given operation, which must be well typed, and returns its position. Operations with a neutral constant
    /// are replaced by their operand.
    pub(super) fn emit(&mut self, instr: Instr, ty: Type, args: &[u32]) -> u32 {
        if let [a, b] = *args {
            match (instr, self.constant(b)) {
                (Instr::Add | Instr::Sub | Instr::Shl | Instr::Shr | Instr::Or | Instr::Xor, Some(0)) => return a,
                (Instr::Mul, Some(1)) => return a,
                (Instr::Mul, Some(0)) => return b,
                _ => {}
            }
        }
        let mut value = Value { instr, ty, args: [0; 3] };
        value.args[..args.len()].copy_from_slice(args);
        if let Some(&id) = self.known.get(&value) {
            return id;
        }
        let id = self.lowered.values.len() as u32;
        self.lowered.values.push(value);
        self.known.insert(value, id);
        id
    }

    /// The value converted to `ty`, modulo its width.
    pub(super) fn cast(&mut self, id: u32, ty: Type) -> u32 {
        let from = self.lowered.values[id as usize];
        if from.ty == ty || (from.ty == Type::Bool && ty == Type::Int) {
            return id;
        }
        match from.instr {
            Instr::Const(c) => self.typed(c, ty),
            // the inner conversion keeps every bit that this one keeps. A conversion between `int` and `unsigned`
            // stays, so that the same number has one name
            Instr::Cast if from.ty.is_wide() => self.cast(from.args[0], ty),
            _ => self.emit(Instr::Cast, ty, &[id]),
        }
    }

    /// An exact value, converted to the natural type of its range.
    pub(super) fn settle(&mut self, id: u32, range: Interval) -> u32 {
        self.cast(id, natural(range))
    }

    /// Whether the value is an `int` without a conversion.
    fn is_int(&self, id: u32) -> bool {
        match self.constant(id) {
            Some(c) => self.ty(id) != Type::UnsignedLong && i32::try_from(c).is_ok(),
            None => matches!(self.ty(id), Type::Int | Type::Bool),
        }
    }

    fn cast_all(&mut self, args: &[u32], ty: Type) -> [u32; 3] {
        let mut out = [0; 3];
        for (slot, &a) in out.iter_mut().zip(args) {
            *slot = self.cast(a, ty);
        }
        out
    }

    /// Adds a ring operation, such as `+` or `*`, with a result in `range`. If `how` needs only the low bits, the
    /// operands may be *wrapped*: known only modulo the width.
    pub(super) fn ring(&mut self, instr: Instr, args: &[u32], how: How, range: Interval) -> u32 {
        let (instr, args) = self.normalised(instr, args);
        let args = &args[..instr.arity()];
        // the condition of a selection keeps its type
        let fixed = usize::from(instr == Instr::Select);
        let make = |b: &mut Builder, ty: Type| {
            let mut all = [0; 3];
            all[..fixed].copy_from_slice(&args[..fixed]);
            let cast = b.cast_all(&args[fixed..], ty);
            all[fixed..].copy_from_slice(&cast[..3 - fixed]);
            b.emit(instr, ty, &all[..args.len()])
        };
        match how {
            How::Exact32 if range.fits_i32() => {
                if args[fixed..].iter().all(|&a| self.is_int(a)) {
                    return make(self, Type::Int);
                }
                let id = make(self, Type::Unsigned);
                self.cast(id, Type::Int)
            }
            How::Exact32 | How::Low32 => make(self, Type::Unsigned),
            How::Exact64 => {
                if args[fixed..].iter().any(|&a| self.ty(a) == Type::UnsignedLong) {
                    let id = make(self, Type::UnsignedLong);
                    return self.cast(id, Type::Long);
                }
                make(self, Type::Long)
            }
            How::Low64 => make(self, Type::UnsignedLong),
            How::Constant(c) => self.int(c),
            How::Skip => self.int(0),
        }
    }

    /// Normalises an operation. Constants move to the right, `a + -3` becomes `a - 3`, and `a * -1` becomes `-a`.
    fn normalised(&mut self, instr: Instr, args: &[u32]) -> (Instr, [u32; 3]) {
        let mut all = [0; 3];
        all[..args.len()].copy_from_slice(args);
        let commutes = matches!(instr, Instr::Add | Instr::Mul | Instr::And | Instr::Or | Instr::Xor);
        if commutes && self.constant(all[0]).is_some() && self.constant(all[1]).is_none() {
            all.swap(0, 1);
        }
        if instr == Instr::Mul && self.constant(all[1]) == Some(-1) {
            return (Instr::Neg, [all[0], 0, 0]);
        }
        let opposite = match instr {
            Instr::Add => Instr::Sub,
            Instr::Sub => Instr::Add,
            _ => return (instr, all),
        };
        match self.constant(all[1]) {
            // constants whose negation needs a larger type stay
            Some(c) if c < 0 && c != i32::MIN as i64 && c != i64::MIN => (opposite, [all[0], self.int(-c), 0]),
            _ => (instr, all),
        }
    }

    /// Converts two exact values to one type that holds both. It is the natural type of the hull of their ranges.
    pub(super) fn common(&mut self, a: u32, b: u32, hull: Interval) -> (u32, u32) {
        let ty = natural(hull);
        (self.cast(a, ty), self.cast(b, ty))
    }

    pub(super) fn compare(&mut self, op: Compare, a: u32, b: u32, hull: Interval) -> u32 {
        let (a, b) = self.common(a, b, hull);
        self.emit(Instr::Compare(op), Type::Bool, &[a, b])
    }

    /// The comparison `id != 0`, or `id` itself if it is a truth value already.
    pub(super) fn truth(&mut self, id: u32, range: Interval) -> u32 {
        if self.ty(id) == Type::Bool {
            return id;
        }
        let zero = self.int(0);
        self.compare(Compare::Ne, id, zero, range.hull(Interval::point(0)))
    }

    /// The position of a divisor that the host prepares.
    pub(super) fn fast_divisor(&mut self, node: u32, make: impl FnOnce() -> FastDivisor) -> u32 {
        let next = self.lowered.divisors.len() as u32;
        let at = *self.fast.entry(node).or_insert(next);
        if at == next {
            self.lowered.divisors.push(make());
        }
        at
    }
}
