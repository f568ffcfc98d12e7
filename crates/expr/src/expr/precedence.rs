//! How tightly the operators of the infix text bind: Python's order, shared by the parser and the printer.

use super::Op;

pub(super) const CONDITIONAL: u8 = 1;
pub(super) const OR: u8 = 2;
pub(super) const AND: u8 = 3;
pub(super) const NOT: u8 = 4;
pub(super) const COMPARE: u8 = 5;
pub(super) const UNARY: u8 = 12;
/// A name, a number without sign, a call.
pub(super) const ATOM: u8 = 13;

/// The precedence of `op` where it is written in infix text.
pub(super) fn of(op: &Op) -> u8 {
    match op {
        Op::Or => OR,
        Op::And => AND,
        Op::Not => NOT,
        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => COMPARE,
        Op::BitOr => 6,
        Op::BitXor => 7,
        Op::BitAnd => 8,
        Op::Shl | Op::Shr => 9,
        Op::Add | Op::Sub => 10,
        Op::Mul | Op::FloorDiv | Op::FloorMod => 11,
        Op::Neg => UNARY,
        Op::Const(c) if *c < 0 => UNARY,
        Op::Const(_) | Op::Var(_) | Op::Min | Op::Max | Op::Select => ATOM,
    }
}
