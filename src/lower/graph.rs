//! The result of lowering: typed operations.

use super::error::name_of;
use super::magic::MulAdd;
use crate::domain::Interval;
use crate::expr::{Compare, Expr, Op};
use miette::Diagnostic;
use std::sync::Arc;

/// The C types of values. All are two's complement. `int` has 32 bits, and `long long` has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// The result of a comparison. As a number it is the `int` 0 or 1.
    Bool,
    /// `int`
    Int,
    /// `unsigned`, modulo 2^32.
    Unsigned,
    /// `long long`
    Long,
    /// `unsigned long long`, modulo 2^64.
    UnsignedLong,
}

impl Type {
    /// Whether the type has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, Type::Long | Type::UnsignedLong)
    }

    /// The name of the type in C.
    pub fn c_name(self) -> &'static str {
        match self {
            Type::Bool | Type::Int => "int",
            Type::Unsigned => "unsigned",
            Type::Long => "long long",
            Type::UnsignedLong => "unsigned long long",
        }
    }
}

/// A machine operation. Operands have the type of the result unless the operation says otherwise. A `Bool` may replace
/// an `Int` operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instr {
    /// A constant. For the type `UnsignedLong`, the number has the same 64 bits as the constant.
    Const(i64),
    /// A variable, by its position in [`Lowered::params`].
    Param(u32),
    /// The multiplier that the host prepares for a divisor, by the position of the divisor in [`Lowered::divisors`].
    /// Its type is `Unsigned`.
    FastMultiplier(u32),
    /// The shift that the host prepares for a divisor, by the position of the divisor in [`Lowered::divisors`]. Its
    /// type is `Unsigned`.
    FastShift(u32),
    /// A conversion from any type, modulo the width of the result.
    Cast,
    /// `-a`
    Neg,
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a & b`
    And,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
    /// `a << b` for an unsigned type. `b` is an `Int` or `Unsigned` less than the width.
    Shl,
    /// `a << b` for `Unsigned` and a constant `b`, in a spelling that compilers do not combine with a mask or another
    /// shift.
    FunnelShl,
    /// `a >> b`, arithmetic for signed types. `b` is as in `Shl`.
    Shr,
    /// The upper half of an unsigned product.
    MulHi,
    /// `(int)(((long long)a * multiplier + addend) >> bits)`.
    SignedMulHi(MulAdd),
    /// Unsigned division by a nonzero divisor.
    Div,
    /// Remainder of unsigned division.
    Mod,
    /// The signed division of C, rounded towards zero. The divisor is not 0, and the quotient fits the type.
    TruncDiv,
    /// The remainder of signed division. Defined when [`Instr::TruncDiv`] is defined.
    TruncMod,
    /// A comparison of two operands of one type. The result is `Bool`.
    Compare(Compare),
    /// `a && b` for `Bool` operands.
    LogicalAnd,
    /// `a || b` for `Bool` operands.
    LogicalOr,
    /// `!a` for a `Bool`.
    LogicalNot,
    /// The smaller of two values.
    Min,
    /// The greater of two values.
    Max,
    /// `a ? b : c` with a `Bool` `a`.
    Select,
}

impl Instr {
    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            Instr::Const(_) | Instr::Param(_) | Instr::FastMultiplier(_) | Instr::FastShift(_) => 0,
            Instr::Cast | Instr::Neg | Instr::SignedMulHi(_) | Instr::LogicalNot => 1,
            Instr::Select => 3,
            _ => 2,
        }
    }

    /// The expression operator that computes the same value, if the result fits the type. `None` when there is no such
    /// operator.
    pub(crate) fn op(self) -> Option<Op> {
        Some(match self {
            Instr::Neg => Op::Neg,
            Instr::Add => Op::Add,
            Instr::Sub => Op::Sub,
            Instr::Mul => Op::Mul,
            Instr::And => Op::BitAnd,
            Instr::Or => Op::BitOr,
            Instr::Xor => Op::BitXor,
            Instr::Shl | Instr::FunnelShl => Op::Shl,
            Instr::Shr => Op::Shr,
            Instr::Div => Op::FloorDiv,
            Instr::Mod => Op::FloorMod,
            Instr::TruncDiv => Op::TruncDiv,
            Instr::TruncMod => Op::TruncMod,
            Instr::Compare(compare) => compare.op(),
            Instr::LogicalAnd => Op::And,
            Instr::LogicalOr => Op::Or,
            Instr::LogicalNot => Op::Not,
            Instr::Min => Op::Min,
            Instr::Max => Op::Max,
            Instr::Select => Op::Select,
            Instr::Const(_) | Instr::Param(_) | Instr::FastMultiplier(_) | Instr::FastShift(_) => return None,
            Instr::Cast | Instr::MulHi | Instr::SignedMulHi(_) => return None,
        })
    }

    /// The instruction for an operator whose result bits depend only on operand bits at the same and at lower
    /// positions.
    pub(super) fn of_low_bits(op: &Op) -> Option<Instr> {
        use Instr::{Add, And, Mul, Neg, Or, Sub, Xor};
        [Neg, Add, Sub, Mul, And, Or, Xor].into_iter().find(|instr| instr.op().as_ref() == Some(op))
    }
}

/// An operation with its operands and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The operation.
    pub instr: Instr,
    /// The type of the result.
    pub ty: Type,
    /// The positions of the operands in [`Lowered::values`], which are smaller than the position of this value. Unused
    /// entries are 0.
    pub args: [u32; 3],
}

impl Value {
    /// The positions of the operands.
    pub fn args(&self) -> &[u32] {
        &self.args[..self.instr.arity()]
    }
}

/// An input of the lowered code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name of the variable in the expression.
    pub name: Arc<str>,
    /// The C type: the first of `int`, `unsigned` and `long long` that holds the range of the variable.
    pub ty: Type,
    /// The text that computes the variable, if it is an opaque value, such as `rows[i]`.
    pub text: Option<Arc<str>>,
}

/// A divisor for which the host prepares a multiplier and a shift.
#[derive(Clone, Debug)]
pub struct FastDivisor {
    /// The divisor, an expression over launch-invariant variables with values from 1 to 2^31 - 1.
    pub divisor: Expr,
    /// A short name for the parameter, such as `w3` for `w*3`, or `h_w` for `h*w`. The name is not always an
    /// identifier.
    pub name: Arc<str>,
    /// Whether the divisor may be 1. Then the multiplier has 33 bits and is stored without its top bit, and the
    /// quotient is `(__umulhi(x, m) + x) >> s`. Otherwise the quotient is `__umulhi(x, m) >> s`.
    pub may_be_one: bool,
}

/// A sub-expression that is not computed in 32 bits, although all its operands are.
///
/// The values of the sub-expression exceed 32 bits, or it compares values that do not all fit one 32-bit type. As a
/// diagnostic, it is a warning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[error("`{}` needs 64 bits: {} {range}", name_of(.expr), if .expr.op().is_comparison() { "it compares" } else { "its range is" })]
#[diagnostic(severity(Warning), code(quaff::wide), help("smaller ranges keep an index in 32 bits"))]
pub struct Wide {
    /// The sub-expression.
    pub expr: Expr,
    /// The range of the sub-expression. For a comparison, it is the hull of the ranges of both operands.
    pub range: Interval,
}

/// Expressions as typed operations. See [`lower`](super::lower).
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    pub(super) values: Vec<Value>,
    pub(super) roots: Vec<u32>,
    pub(super) params: Vec<Param>,
    pub(super) divisors: Vec<FastDivisor>,
    pub(super) wide: Vec<Wide>,
}

impl Lowered {
    /// All operations, each once. Operands come before their users. Some operations may be unused, because no root
    /// needs them.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The positions of the results, in the order of the expressions (roots) that were lowered.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// The variables that are used, in the order of their declarations.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The divisors that the host must prepare.
    pub fn divisors(&self) -> &[FastDivisor] {
        &self.divisors
    }

    /// The smallest sub-expressions that are not computed in 32 bits, operands first. Empty when no value needs 64
    /// bits.
    pub fn wide(&self) -> &[Wide] {
        &self.wide
    }

    /// The number of uses of each value by operations and roots. Only users that a root needs are counted, so a value
    /// that no root needs has 0.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut uses = vec![0; self.values.len()];
        for &r in &self.roots {
            uses[r as usize] += 1;
        }
        for (i, value) in self.values.iter().enumerate().rev() {
            if uses[i] > 0 {
                for &a in value.args() {
                    uses[a as usize] += 1;
                }
            }
        }
        uses
    }
}
