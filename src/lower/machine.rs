//! Executes lowered operations like a machine, in two's complement, and detects all undefined behaviour of C.

use super::graph::{FastDivisor, Instr, Lowered, Type, Value};
use crate::expr::{Dag, EvalError, Expr, Program, UnknownVariable};
use crate::integer::{trunc_div, trunc_mod};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The reason why the code has no result, or no result that the C standard defines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A result does not fit its signed type.
    #[error("an overflow: {value} in {} bits with sign", if .ty.is_wide() { 64 } else { 32 })]
    Overflow {
        /// The type of the result.
        ty: Type,
        /// The mathematical result.
        value: i128,
    },
    /// A shift count is negative, or at least the number of bits.
    #[error("a shift of `{}` by {amount}", .ty.c_name())]
    Shift {
        /// The type of the shifted value.
        ty: Type,
        /// The shift count.
        amount: i128,
    },
    /// A division by 0.
    #[error("a division by 0")]
    DivisionByZero,
    /// The value of a variable does not fit its type.
    #[error("`{name}` is {value}, which is no `{}`", .ty.c_name())]
    Argument {
        /// The name of the variable.
        name: Arc<str>,
        /// The type of the variable.
        ty: Type,
        /// The value of the variable.
        value: i64,
    },
    /// The point gives no value for a variable that the code uses, or the code returns too few values.
    #[error("no value is given")]
    NoValue,
    /// The host cannot prepare a divisor. The divisor or a part of it does not fit `int`, or the divisor is below 1.
    #[error("a divisor for the host is {value}")]
    Divisor {
        /// The value of the divisor.
        value: i128,
    },
    /// An operation has operands of wrong types, which C would convert.
    #[error("operation {at} has operands of the wrong type")]
    Types {
        /// The position of the operation in [`Lowered::values`].
        at: u32,
    },
}

/// Executes the operations of a [`Lowered`] at many points.
///
/// Every operation that a root needs is executed, even in branches that are not taken, because lowering makes every
/// operation safe.
///
/// ```
/// use quaff::domain::Domain;
/// use quaff::expr::{Dag, Expr};
/// use quaff::lower::{Fault, Machine, Type, lower};
///
/// let vars = Domain::new().with("x", 0..=2_000_000_000).resolve()?;
/// let sum: Expr = "(x + x)//7".parse()?;
/// let lowered = lower(&Dag::new(&[sum]), &vars)?;
/// let machine = Machine::new(&lowered, &["x"])?;
/// // the sum is computed in `unsigned`: it is no `int`
/// assert_eq!(machine.run(&[2_000_000_000]), Ok(vec![571_428_571]));
/// let far = Fault::Argument { name: "x".into(), ty: Type::Int, value: 1 << 40 };
/// assert_eq!(machine.run(&[1 << 40]), Err(far));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Machine<'l> {
    lowered: &'l Lowered,
    /// Whether a root needs each value.
    live: Vec<bool>,
    /// The position of each parameter in a point.
    params: Vec<usize>,
    /// For each prepared divisor, the expressions that the host computes. The divisor itself is the last expression.
    divisors: Vec<Program>,
}

impl<'l> Machine<'l> {
    /// A machine for points that have the values of `variables`, in their order.
    ///
    /// # Errors
    /// [`UnknownVariable`] when a variable of `lowered` is not among `variables`.
    pub fn new(lowered: &'l Lowered, variables: &[&str]) -> Result<Machine<'l>, UnknownVariable> {
        let places: FxHashMap<&str, usize> = variables.iter().enumerate().map(|(i, v)| (*v, i)).collect();
        let place =
            |name: &Arc<str>| places.get(&**name).copied().ok_or_else(|| UnknownVariable { name: name.clone() });
        Ok(Machine {
            lowered,
            live: lowered.use_counts().into_iter().map(|uses| uses > 0).collect(),
            params: lowered.params().iter().map(|p| place(&p.name)).collect::<Result<_, _>>()?,
            divisors: lowered.divisors().iter().map(|d| parts(d, variables)).collect::<Result<_, _>>()?,
        })
    }

    /// A machine that computes only the values that `roots` need. [`Machine::run_into`] returns them.
    ///
    /// # Errors
    /// [`UnknownVariable`], for the same reason as in [`Machine::new`].
    pub(crate) fn of_values(
        lowered: &'l Lowered,
        variables: &[&str],
        roots: &[u32],
    ) -> Result<Machine<'l>, UnknownVariable> {
        let mut live = vec![false; lowered.values().len()];
        roots.iter().for_each(|&r| live[r as usize] = true);
        for (i, value) in lowered.values().iter().enumerate().rev() {
            if live[i] {
                value.args().iter().for_each(|&a| live[a as usize] = true);
            }
        }
        Ok(Machine { live, ..Machine::new(lowered, variables)? })
    }

    /// The values of the roots at `point`, which has a value for each variable given to [`Machine::new`].
    ///
    /// # Errors
    /// The [`Fault`] of the first operation that fails.
    pub fn run(&self, point: &[i64]) -> Result<Vec<i128>, Fault> {
        let mut values = Vec::new();
        self.run_into(point, &mut values)?;
        Ok(self.lowered.roots().iter().map(|&r| values[r as usize]).collect())
    }

    /// Like [`Machine::run`], but with a buffer that receives all values. Values that no root needs are 0.
    ///
    /// # Errors
    /// [`Fault`], for the same reasons as in [`Machine::run`].
    pub fn run_into(&self, point: &[i64], values: &mut Vec<i128>) -> Result<(), Fault> {
        let prepared = self.divisors.iter().zip(self.lowered.divisors());
        let prepared: Vec<Prepared> =
            prepared.map(|(program, d)| Prepared::new(program, point, d.may_be_one)).collect::<Result<_, _>>()?;
        values.clear();
        values.reserve(self.live.len());
        for (at, value) in self.lowered.values().iter().enumerate() {
            let result = match value.instr {
                _ if !self.live[at] => 0,
                Instr::Param(i) => self.argument(i, point)?,
                Instr::FastMultiplier(i) => prepared[i as usize].multiplier.into(),
                Instr::FastShift(i) => prepared[i as usize].shift.into(),
                _ => {
                    self.operation(at as u32, value, value.args.map(|a| values.get(a as usize).copied().unwrap_or(0)))?
                }
            };
            values.push(result);
        }
        Ok(())
    }

    fn argument(&self, i: u32, point: &[i64]) -> Result<i128, Fault> {
        let param = &self.lowered.params()[i as usize];
        let value = *point.get(self.params[i as usize]).ok_or(Fault::NoValue)?;
        let fault = || Fault::Argument { name: param.name.clone(), ty: param.ty, value };
        (wrapped(value.into(), param.ty) == i128::from(value)).then_some(value.into()).ok_or_else(fault)
    }

    fn operation(&self, at: u32, value: &Value, [a, b, c]: [i128; 3]) -> Result<i128, Fault> {
        let &Value { instr, ty, args } = value;
        let operand = |i: usize| self.lowered.values()[args[i] as usize].ty;
        // a comparison is an `int` in C
        let is = |i: usize, ty: Type| operand(i) == ty || ty == Type::Int && operand(i) == Type::Bool;
        let signed = matches!(ty, Type::Int | Type::Long);
        let typed = match instr {
            Instr::Cast => true,
            Instr::Const(c) => ty == Type::UnsignedLong || wrapped(c.into(), ty) == i128::from(c),
            Instr::LogicalAnd | Instr::LogicalOr => {
                ty == Type::Bool && operand(0) == Type::Bool && operand(1) == Type::Bool
            }
            Instr::LogicalNot => ty == Type::Bool && operand(0) == Type::Bool,
            Instr::Select => operand(0) == Type::Bool && is(1, ty) && is(2, ty),
            Instr::Compare(_) => ty == Type::Bool && (is(0, operand(1)) || is(1, operand(0))),
            Instr::Shl | Instr::Shr => {
                is(0, ty) && (is(1, Type::Int) || is(1, Type::Unsigned)) && !(signed && instr == Instr::Shl)
            }
            Instr::SignedMulHi(_) => ty == Type::Int && is(0, Type::Int),
            Instr::FunnelShl => ty == Type::Unsigned && is(0, ty) && (is(1, Type::Int) || is(1, Type::Unsigned)),
            Instr::MulHi | Instr::Div | Instr::Mod => !signed && is(0, ty) && is(1, ty),
            Instr::TruncDiv | Instr::TruncMod => signed && is(0, ty) && is(1, ty),
            _ => (0..instr.arity()).all(|i| is(i, ty)),
        };
        if !typed {
            return Err(Fault::Types { at });
        }
        let ring = |value: i128| {
            let result = wrapped(value, ty);
            if signed && result != value { Err(Fault::Overflow { ty, value }) } else { Ok(result) }
        };
        let amount = || {
            let bits = if ty.is_wide() { 64 } else { 32 };
            if (0..bits).contains(&b) { Ok(b as u32) } else { Err(Fault::Shift { ty, amount: b }) }
        };
        let divisor = || if b == 0 { Err(Fault::DivisionByZero) } else { Ok(b) };
        let truth = |t: bool| Ok(i128::from(t));
        match instr {
            Instr::Const(c) => Ok(wrapped(c.into(), ty)),
            Instr::Cast => Ok(wrapped(a, ty)),
            Instr::Neg => ring(-a),
            Instr::Add => ring(a + b),
            Instr::Sub => ring(a - b),
            // a product of two unsigned 64-bit numbers may exceed signed 128 bits, but fits unsigned 128 bits
            Instr::Mul if !signed => Ok(wrapped((a as u128).wrapping_mul(b as u128) as i128, ty)),
            Instr::Mul => ring(a * b),
            Instr::And => Ok(a & b),
            Instr::Or => Ok(a | b),
            Instr::Xor => Ok(a ^ b),
            Instr::Shl | Instr::FunnelShl => Ok(wrapped(a << amount()?, ty)),
            Instr::Shr => Ok(a >> amount()?),
            Instr::MulHi => Ok(((a as u128 * b as u128) >> if ty.is_wide() { 64 } else { 32 }) as i128),
            Instr::SignedMulHi(m) => {
                let sum = a * i128::from(m.multiplier) + i128::from(m.addend);
                if wrapped(sum, Type::Long) != sum {
                    return Err(Fault::Overflow { ty: Type::Long, value: sum });
                }
                if m.bits >= 64 {
                    return Err(Fault::Shift { ty: Type::Long, amount: m.bits.into() });
                }
                Ok(wrapped(sum >> m.bits, ty))
            }
            // both operands are nonnegative
            Instr::Div => Ok(a.div_euclid(divisor()?)),
            Instr::Mod => Ok(a.rem_euclid(divisor()?)),
            Instr::TruncDiv => ring(trunc_div(a, divisor()?)),
            // the remainder is undefined where the quotient is undefined
            Instr::TruncMod => ring(trunc_div(a, divisor()?)).map(|_| trunc_mod(a, b)),
            Instr::Compare(op) => truth(op.holds(a, b)),
            Instr::LogicalAnd => truth(a != 0 && b != 0),
            Instr::LogicalOr => truth(a != 0 || b != 0),
            Instr::LogicalNot => truth(a == 0),
            Instr::Min => Ok(a.min(b)),
            Instr::Max => Ok(a.max(b)),
            Instr::Select => Ok(if a != 0 { b } else { c }),
            Instr::Param(_) | Instr::FastMultiplier(_) | Instr::FastShift(_) => Err(Fault::Types { at }),
        }
    }
}

/// The number of type `ty` that is equal to `value` modulo its width.
fn wrapped(value: i128, ty: Type) -> i128 {
    match ty {
        Type::Bool | Type::Int => i128::from(value as i32),
        Type::Unsigned => i128::from(value as u32),
        Type::Long => i128::from(value as i64),
        Type::UnsignedLong => i128::from(value as u64),
    }
}

fn parts(divisor: &FastDivisor, variables: &[&str]) -> Result<Program, UnknownVariable> {
    let dag = Dag::new(std::slice::from_ref(&divisor.divisor));
    let parts: Vec<Expr> = (0..dag.nodes().len() as u32).map(|i| dag.origin(i).clone()).collect();
    Program::new(&parts, variables)
}

/// The multiplier and the shift that the host computes for a divisor.
struct Prepared {
    multiplier: u32,
    shift: u32,
}

impl Prepared {
    /// Executes the steps of `quaff_fastdivmod` or `quaff_fastdivmod_any`, on an argument that the host computes in
    /// `int`.
    fn new(program: &Program, point: &[i64], any: bool) -> Result<Prepared, Fault> {
        let point: Vec<i128> = point.iter().copied().map(i128::from).collect();
        let mut divisor = 0;
        for part in program.eval(&point) {
            let value = part.map_err(|e| match e {
                EvalError::NoValue => Fault::NoValue,
                _ => Fault::Divisor { value: 0 },
            })?;
            divisor = i32::try_from(value).map_err(|_| Fault::Divisor { value })?;
        }
        // the multiplier of the divisor 1 has 33 bits
        if divisor < if any { 1 } else { 2 } {
            return Err(Fault::Divisor { value: divisor.into() });
        }
        let d = divisor as u64;
        let first: u64 = if any { 1 } else { 2 };
        let shift = (0..31).find(|s| first << s >= d).unwrap_or(31);
        let multiplier = match any {
            true => ((((1 << shift) - d) << 32) + d - 1).div_euclid(d),
            false => ((1 << (32 + shift)) + d - 1).div_euclid(d),
        };
        Ok(Prepared { multiplier: multiplier as u32, shift })
    }
}

#[cfg(test)]
mod tests;
