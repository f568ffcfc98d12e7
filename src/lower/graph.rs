//! The result of lowering: typed operations.

use super::error::name_of;
use super::magic::MulAdd;
use crate::domain::Interval;
use crate::expr::{Compare, Expr, Op};
use miette::Diagnostic;
use std::sync::Arc;

/// The C types of values. All are two's complement; `int` has 32 bits and `long long` 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// The outcome of a comparison; where a number is wanted it is an `int` 0 or 1.
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
    /// Whether a value has 64 bits.
    pub fn is_wide(self) -> bool {
        matches!(self, Type::Long | Type::UnsignedLong)
    }

    /// The spelling in C.
    pub fn c_name(self) -> &'static str {
        match self {
            Type::Bool | Type::Int => "int",
            Type::Unsigned => "unsigned",
            Type::Long => "long long",
            Type::UnsignedLong => "unsigned long long",
        }
    }
}

/// One machine operation. Operands have the type of the result unless it says otherwise; where `Int` is wanted, `Bool`
/// is as good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Instr {
    /// A constant; of an `UnsignedLong`, the bits.
    Const(i64),
    /// A variable: position in [`Lowered::params`].
    Param(u32),
    /// Multiplier that the host prepared: position in [`Lowered::divisors`]. `Unsigned`.
    FastMultiplier(u32),
    /// Shift that the host prepared: position in [`Lowered::divisors`]. `Unsigned`.
    FastShift(u32),
    /// Conversion from whatever type, modulo the width of the result.
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
    /// `a << b`, of an unsigned type; `b` is an `Int` or `Unsigned` less than the width.
    Shl,
    /// `a << b` of `Unsigned` by a constant, in a spelling across which no compiler moves a mask or another shift.
    FunnelShl,
    /// `a >> b`: arithmetic for signed types; `b` like in `Shl`.
    Shr,
    /// High half of the unsigned product.
    MulHi,
    /// `(int)(((long long)a * multiplier + addend) >> bits)`.
    SignedMulHi(MulAdd),
    /// Unsigned division; the divisor is not 0.
    Div,
    /// Remainder of unsigned division.
    Mod,
    /// Signed division of the language, rounded towards zero; the divisor is not 0, and the quotient has the type.
    TruncDiv,
    /// Remainder of signed division, where [`Instr::TruncDiv`] has a quotient.
    TruncMod,
    /// Comparison of two operands of one type; `Bool`.
    Compare(Compare),
    /// `a && b` of `Bool`s.
    LogicalAnd,
    /// `a || b` of `Bool`s.
    LogicalOr,
    /// `!a` of a `Bool`.
    LogicalNot,
    /// The smaller one.
    Min,
    /// The greater one.
    Max,
    /// `a ? b : c` with a `Bool` `a`.
    Select,
}

impl Instr {
    /// Number of operands.
    pub fn arity(self) -> usize {
        match self {
            Instr::Const(_) | Instr::Param(_) | Instr::FastMultiplier(_) | Instr::FastShift(_) => 0,
            Instr::Cast | Instr::Neg | Instr::SignedMulHi(_) | Instr::LogicalNot => 1,
            Instr::Select => 3,
            _ => 2,
        }
    }

    /// The operator of expressions that has its value, where that is one of its type.
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

    /// The instruction for an operator whose low bits depend on the same bits of its operands and lower ones alone.
    pub(super) fn of_low_bits(op: &Op) -> Option<Instr> {
        use Instr::{Add, And, Mul, Neg, Or, Sub, Xor};
        [Neg, Add, Sub, Mul, And, Or, Xor].into_iter().find(|instr| instr.op().as_ref() == Some(op))
    }
}

/// An operation with its operands and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// What is computed.
    pub instr: Instr,
    /// The type of the result.
    pub ty: Type,
    /// Positions of the operands in [`Lowered::values`], smaller than the own one; unused ones are 0.
    pub args: [u32; 3],
}

impl Value {
    /// The operands' positions.
    pub fn args(&self) -> &[u32] {
        &self.args[..self.instr.arity()]
    }
}

/// An input of the lowered code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The variable's name in the expression.
    pub name: Arc<str>,
    /// Its C type: the first of `int`, `unsigned` and `long long` that holds its range.
    pub ty: Type,
    /// The text of an opaque value.
    pub text: Option<Arc<str>>,
}

/// A divisor for which the host prepares a multiplier and a shift.
#[derive(Clone, Debug)]
pub struct FastDivisor {
    /// The divisor, an expression over launch-invariant variables, from 1 to 2^31 - 1.
    pub divisor: Expr,
    /// What it is called, for the name of the parameter: `w3` for `w*3`, `h_w` for `h*w`. It need be no identifier.
    pub name: Arc<str>,
    /// Whether 1 is among its values. Then the multiplier is that of 33 bits without its top bit, and the quotient is
    /// `(__umulhi(x, m) + x) >> s`; else it is `__umulhi(x, m) >> s`.
    pub may_be_one: bool,
}

/// A sub-expression that is not computed in 32 bits, while everything that it is made from is.
///
/// Its values leave 32 bits, or it compares values that no 32-bit type holds together. As a diagnostic it is a warning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Diagnostic)]
#[error("`{}` needs 64 bits: {} {range}", name_of(.expr), if .expr.op().is_comparison() { "it compares" } else { "its range is" })]
#[diagnostic(severity(Warning), code(quaff::wide), help("smaller ranges keep an index in 32 bits"))]
pub struct Wide {
    /// The sub-expression.
    pub expr: Expr,
    /// Its range; of a comparison, that of its operands together.
    pub range: Interval,
}

/// Expressions as typed operations; see [`lower`](super::lower).
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    pub(super) values: Vec<Value>,
    pub(super) roots: Vec<u32>,
    pub(super) params: Vec<Param>,
    pub(super) divisors: Vec<FastDivisor>,
    pub(super) wide: Vec<Wide>,
}

impl Lowered {
    /// All operations, operands first, each one once. Some may be used by no root.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Positions of the results, in the order of the roots.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// The variables that occur, in the order in which they were declared.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// The divisors that the host has to prepare.
    pub fn divisors(&self) -> &[FastDivisor] {
        &self.divisors
    }

    /// The smallest sub-expressions that are not computed in 32 bits, operands first; empty when nothing needs 64.
    pub fn wide(&self) -> &[Wide] {
        &self.wide
    }

    /// How many operands and roots refer to each value, counting only users that a root needs. 0: not needed.
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
