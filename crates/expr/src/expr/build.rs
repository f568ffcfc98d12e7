//! Constructors and operators that build expressions in Rust. `/` and `%` are floor division and floor modulo, as
//! everywhere in this crate.

use super::{Expr, Op};
use std::num::TryFromIntError;
use std::ops;
use std::sync::Arc;

/// The unknown `name`.
pub fn var(name: impl Into<Arc<str>>) -> Expr {
    Expr::new(Op::Var(name.into()), [])
}

/// The constant `value`.
pub fn int(value: i64) -> Expr {
    Expr::new(Op::Const(value), [])
}

/// `where(cond, then, otherwise)`.
pub fn select(cond: impl Into<Expr>, then: impl Into<Expr>, otherwise: impl Into<Expr>) -> Expr {
    Expr::new(Op::Select, [cond.into(), then.into(), otherwise.into()])
}

macro_rules! from_integers {
    ($($integer:ty),*) => { $(
        impl From<$integer> for Expr {
            fn from(value: $integer) -> Expr {
                int(value.into())
            }
        }
    )* };
}

from_integers!(i8, i16, i32, i64, u8, u16, u32);

macro_rules! try_from_integers {
    ($($integer:ty),*) => { $(
        impl TryFrom<$integer> for Expr {
            type Error = TryFromIntError;

            /// Converts a number to a constant. Fails for a value outside of `i64`.
            fn try_from(value: $integer) -> Result<Expr, TryFromIntError> {
                Ok(int(value.try_into()?))
            }
        }
    )* };
}

try_from_integers!(isize, usize, u64, i128, u128);

impl From<&Expr> for Expr {
    fn from(e: &Expr) -> Expr {
        e.clone()
    }
}

macro_rules! methods {
    ($($name:ident $op:ident $doc:literal),*) => {
        impl Expr { $(
            #[doc = $doc]
            pub fn $name(&self, rhs: impl Into<Expr>) -> Expr {
                Expr::new(Op::$op, [self.clone(), rhs.into()])
            }
        )* }
    };
}

methods! {
    floor_div FloorDiv "`self // rhs`, rounded towards minus infinity.",
    floor_mod FloorMod "`self % rhs`, with the sign of `rhs`.",
    trunc_div TruncDiv "`self / rhs`, rounded towards zero, as C divides.",
    trunc_mod TruncMod "The remainder of [`trunc_div`](Expr::trunc_div), which has the sign of `self`.",
    min Min "`min(self, rhs)`",
    max Max "`max(self, rhs)`",
    lt Lt "`self < rhs` as 0 or 1.",
    le Le "`self <= rhs` as 0 or 1.",
    gt Gt "`self > rhs` as 0 or 1.",
    ge Ge "`self >= rhs` as 0 or 1.",
    equals Eq "`self == rhs` as 0 or 1.",
    differs Ne "`self != rhs` as 0 or 1.",
    and And "`self and rhs` as 0 or 1.",
    or Or "`self or rhs` as 0 or 1."
}

impl Expr {
    /// `not self` as 0 or 1.
    #[allow(clippy::should_implement_trait)] // `!` on an integer means the bitwise complement to a Rust reader
    pub fn not(&self) -> Expr {
        Expr::new(Op::Not, [self.clone()])
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident),*) => { $(
        impl<R: Into<Expr>> ops::$trait<R> for Expr {
            type Output = Expr;
            fn $method(self, rhs: R) -> Expr {
                Expr::new(Op::$op, [self, rhs.into()])
            }
        }
        impl<R: Into<Expr>> ops::$trait<R> for &Expr {
            type Output = Expr;
            fn $method(self, rhs: R) -> Expr {
                Expr::new(Op::$op, [self.clone(), rhs.into()])
            }
        }
        impl ops::$trait<Expr> for i64 {
            type Output = Expr;
            fn $method(self, rhs: Expr) -> Expr {
                Expr::new(Op::$op, [int(self), rhs])
            }
        }
        impl ops::$trait<&Expr> for i64 {
            type Output = Expr;
            fn $method(self, rhs: &Expr) -> Expr {
                Expr::new(Op::$op, [int(self), rhs.clone()])
            }
        }
    )* };
}

operators! {
    Add add Add, Sub sub Sub, Mul mul Mul, Div div FloorDiv, Rem rem FloorMod,
    BitAnd bitand BitAnd, BitOr bitor BitOr, BitXor bitxor BitXor, Shl shl Shl, Shr shr Shr
}

impl ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::new(Op::Neg, [self])
    }
}

impl ops::Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::new(Op::Neg, [self.clone()])
    }
}
