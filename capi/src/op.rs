//! The operators of nodes.

/// The operators of `quaff_node`. A comparison is 1 or 0. Arithmetic is on integers without bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_op {
    /// The integer `value`.
    Const = 0,
    /// The variable with name number `value`.
    Var = 1,
    /// `-a`
    Neg = 2,
    /// `a + b`
    Add = 3,
    /// `a - b`
    Sub = 4,
    /// `a * b`
    Mul = 5,
    /// `a / b`, rounded down.
    FloorDiv = 6,
    /// The remainder of `QUAFF_OP_FLOOR_DIV`, with the sign of `b`.
    FloorMod = 7,
    /// The smaller of `a` and `b`.
    Min = 8,
    /// The larger of `a` and `b`.
    Max = 9,
    /// `a < b`
    Lt = 10,
    /// `a <= b`
    Le = 11,
    /// `a > b`
    Gt = 12,
    /// `a >= b`
    Ge = 13,
    /// `a == b`
    Eq = 14,
    /// `a != b`
    Ne = 15,
    /// 1 if both operands are not 0. `b` is not evaluated if `a` is 0.
    And = 16,
    /// 1 if at least one operand is not 0. `b` is not evaluated if `a` is not 0.
    Or = 17,
    /// 1 if `a` is 0.
    Not = 18,
    /// `b` if `a` is not 0, else `c`. The other operand is not evaluated.
    Select = 19,
    /// `a & b`
    BitAnd = 20,
    /// `a | b`
    BitOr = 21,
    /// `a ^ b`
    BitXor = 22,
    /// `a << b`
    Shl = 23,
    /// `a >> b`, which is `a / 2^b` rounded down.
    Shr = 24,
    /// `a / b`, rounded towards zero as in C.
    TruncDiv = 25,
    /// The remainder of `QUAFF_OP_TRUNC_DIV`, with the sign of `a`.
    TruncMod = 26,
}

#[cfg(test)]
mod tests {
    use super::quaff_op;
    use quaff::expr::Op;

    #[test]
    fn codes_are_those_of_the_library() {
        use quaff_op as o;
        let here = [
            o::Neg,
            o::Add,
            o::Sub,
            o::Mul,
            o::FloorDiv,
            o::FloorMod,
            o::Min,
            o::Max,
            o::Lt,
            o::Le,
            o::Gt,
            o::Ge,
            o::Eq,
            o::Ne,
            o::And,
            o::Or,
            o::Not,
            o::Select,
            o::BitAnd,
            o::BitOr,
            o::BitXor,
            o::Shl,
            o::Shr,
            o::TruncDiv,
            o::TruncMod,
        ];
        assert_eq!(here.len(), Op::all().len());
        for (own, op) in here.iter().zip(Op::all()) {
            assert_eq!(*own as i64, op.code());
            assert_eq!(format!("{own:?}"), format!("{op:?}"));
        }
        assert_eq!((o::Const as i64, o::Var as i64), (Op::Const(0).code(), Op::Var("x".into()).code()));
    }
}
