//! The operators. Each is declared once, with its names, precedence and class, which all modules use.
//!
//! The values of operators are defined in [`Op::eval`], and the ranges of their values in
//! [`interval_of_op`](crate::domain::interval_of_op).

use super::precedence::{ADD, AND, ATOM, BIT_AND, BIT_OR, BIT_XOR, COMPARE, MUL, NOT, OR, SHIFT, UNARY};
use std::sync::Arc;

/// The classes of operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Constants and unknowns.
    Leaf,
    Arithmetic,
    Division,
    Extremum,
    Comparison,
    Logic,
    Select,
    Bits,
    Shift,
}

/// A row of the table of operators.
struct Row {
    name: &'static str,
    /// The operator's text between or before its operands, with the spaces around it.
    sign: &'static str,
    arity: usize,
    precedence: u8,
    class: Class,
    is_associative: bool,
}

/// Declares the operators that take operands. The order of the rows is the order of their [`code`](Op::code)s.
macro_rules! operators {
    ($($(#[$doc:meta])* $op:ident $name:literal $sign:literal $arity:literal $precedence:ident $class:ident $associative:literal)*) => {
        /// The operation of a node. Each operator has a fixed arity ([`Op::arity`]).
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op {
            /// An integer constant.
            Const(i64),
            /// A named unknown. The facts about it are in a [`Domain`](crate::domain::Domain).
            Var(Arc<str>),
            $($(#[$doc])* $op,)*
        }

        /// The index of each operator in [`TABLE`].
        enum Place {
            Const,
            Var,
            $($op,)*
        }

        static TABLE: &[Row] = &[
            Row { name: "const", sign: "", arity: 0, precedence: ATOM, class: Class::Leaf, is_associative: false },
            Row { name: "var", sign: "", arity: 0, precedence: ATOM, class: Class::Leaf, is_associative: false },
            $(Row {
                name: $name,
                sign: $sign,
                arity: $arity,
                precedence: $precedence,
                class: Class::$class,
                is_associative: $associative,
            },)*
        ];

        static OPERATORS: &[Op] = &[$(Op::$op),*];

        impl Op {
            #[inline]
            fn place(&self) -> Place {
                match self {
                    Op::Const(_) => Place::Const,
                    Op::Var(_) => Place::Var,
                    $(Op::$op => Place::$op,)*
                }
            }
        }
    };
}

operators! {
    // name, sign, number of operands, precedence, class, whether it is associative and commutative

    /// `-a`
    Neg "neg" "-" 1 UNARY Arithmetic false
    /// `a + b`
    Add "add" " + " 2 ADD Arithmetic true
    /// `a - b`
    Sub "sub" " - " 2 ADD Arithmetic false
    /// `a * b`
    Mul "mul" "*" 2 MUL Arithmetic true
    /// `a // b`, rounded towards minus infinity.
    FloorDiv "floordiv" "//" 2 MUL Division false
    /// `a % b`, with the sign of `b`: `a == (a // b) * b + a % b`.
    FloorMod "mod" "%" 2 MUL Division false
    /// `min(a, b)`
    Min "min" "min" 2 ATOM Extremum true
    /// `max(a, b)`
    Max "max" "max" 2 ATOM Extremum true
    /// `a < b`
    Lt "lt" " < " 2 COMPARE Comparison false
    /// `a <= b`
    Le "le" " <= " 2 COMPARE Comparison false
    /// `a > b`
    Gt "gt" " > " 2 COMPARE Comparison false
    /// `a >= b`
    Ge "ge" " >= " 2 COMPARE Comparison false
    /// `a == b`
    Eq "eq" " == " 2 COMPARE Comparison false
    /// `a != b`
    Ne "ne" " != " 2 COMPARE Comparison false
    /// `a and b`: 1 when both are non-zero, else 0. `b` is not evaluated when `a` is 0.
    And "and" " and " 2 AND Logic true
    /// `a or b`: 1 when one of them is non-zero, else 0. `b` is not evaluated when `a` is not 0.
    Or "or" " or " 2 OR Logic true
    /// `not a`: 1 when `a` is 0, else 0.
    Not "not" "not " 1 NOT Logic false
    /// `where(c, a, b)`: `a` when `c` is non-zero, else `b`. The other branch is not evaluated.
    Select "select" "where" 3 ATOM Select false
    /// `a & b` on two's complement of unlimited width.
    BitAnd "bitand" " & " 2 BIT_AND Bits true
    /// `a | b`
    BitOr "bitor" " | " 2 BIT_OR Bits true
    /// `a ^ b`
    BitXor "bitxor" " ^ " 2 BIT_XOR Bits true
    /// `a << b`: `a * 2**b`, `b >= 0`.
    Shl "shl" " << " 2 SHIFT Shift false
    /// `a >> b`: `a // 2**b`, `b >= 0`.
    Shr "shr" " >> " 2 SHIFT Shift false
    /// `truncdiv(a, b)`: `a / b` of C, rounded towards zero.
    TruncDiv "truncdiv" "truncdiv" 2 ATOM Division false
    /// `truncmod(a, b)`: `a % b` of C, with the sign of `a`: `a == truncdiv(a, b)*b + truncmod(a, b)`.
    TruncMod "truncmod" "truncmod" 2 ATOM Division false
}

impl Op {
    #[inline]
    fn row(&self) -> &'static Row {
        &TABLE[self.place() as usize]
    }

    /// The operators other than constants and variables, in the order of their [`code`](Self::code)s.
    pub fn all() -> &'static [Op] {
        OPERATORS
    }

    /// The operator whose [`name`](Self::name) is `name`. `None` for `"const"` and `"var"`, because a constant needs a
    /// value and a variable needs a name.
    ///
    /// ```
    /// use quaff_expr::expr::Op;
    ///
    /// assert_eq!(Op::named("floordiv"), Some(Op::FloorDiv));
    /// assert!(Op::all().iter().all(|op| Op::named(op.name()).as_ref() == Some(op)));
    /// ```
    pub fn named(name: &str) -> Option<Op> {
        OPERATORS.iter().find(|op| op.name() == name).cloned()
    }

    /// The operator with this [`symbol`](Self::symbol). For `-`, the result is the subtraction.
    ///
    /// ```
    /// use quaff_expr::expr::Op;
    ///
    /// assert_eq!(Op::with_symbol("//"), Some(Op::FloorDiv));
    /// assert_eq!(Op::with_symbol("-"), Some(Op::Sub));
    /// ```
    pub fn with_symbol(symbol: &str) -> Option<Op> {
        OPERATORS.iter().find(|op| op.symbol() == symbol && **op != Op::Neg).cloned()
    }

    /// The operator as a word of lower-case letters, such as `"add"`, `"floordiv"`, `"mod"` or `"select"`. Leaves have
    /// the names `"const"` and `"var"`.
    pub fn name(&self) -> &'static str {
        self.row().name
    }

    /// The number of the operator in [`FlatNodes`](super::FlatNodes): 0 for a constant, 1 for a variable, and otherwise
    /// 2 plus the place in [`Op::all`].
    pub fn code(&self) -> i64 {
        self.place() as i64
    }

    /// The operator's sign or function name in infix text and s-expressions. The text is empty for constants and
    /// unknowns.
    pub fn symbol(&self) -> &'static str {
        self.sign().trim_ascii()
    }

    /// The [`symbol`](Self::symbol) with the spaces that infix text has around it.
    pub fn sign(&self) -> &'static str {
        self.row().sign
    }

    /// The number of operands, from 0 to 3.
    #[inline]
    pub fn arity(&self) -> usize {
        self.row().arity
    }

    /// The precedence in infix text, one of the numbers in [`precedence`](super::precedence).
    pub fn precedence(&self) -> u8 {
        match self {
            Op::Const(c) if *c < 0 => UNARY,
            op => op.row().precedence,
        }
    }

    /// Whether infix text writes the operator as a function call: `min`, `max`, `where`, `truncdiv` and `truncmod`.
    pub fn is_call(&self) -> bool {
        self.precedence() == ATOM && self.arity() > 0
    }

    /// Whether operands can be grouped and ordered in any way. This holds for `+ * min max and or & | ^`.
    pub fn is_associative(&self) -> bool {
        self.row().is_associative
    }

    /// Whether the operator is `//`, `%`, `truncdiv` or `truncmod`.
    pub fn is_division(&self) -> bool {
        self.row().class == Class::Division
    }

    /// Whether the operator is `truncdiv` or `truncmod`.
    pub fn is_truncation(&self) -> bool {
        matches!(self, Op::TruncDiv | Op::TruncMod)
    }

    /// Whether the operator is `min` or `max`.
    pub fn is_extremum(&self) -> bool {
        self.row().class == Class::Extremum
    }

    /// Whether the operator compares two operands. [`Compare::of`](super::Compare::of) returns the kind of comparison.
    pub fn is_comparison(&self) -> bool {
        self.row().class == Class::Comparison
    }

    /// Whether the value is always 0 or 1. This holds for comparisons, `and`, `or` and `not`.
    pub fn is_truth(&self) -> bool {
        matches!(self.row().class, Class::Comparison | Class::Logic)
    }

    /// Whether the operator is `&`, `|` or `^`.
    pub fn is_bitwise(&self) -> bool {
        self.row().class == Class::Bits
    }

    /// Whether the operator is `<<` or `>>`.
    pub fn is_shift(&self) -> bool {
        self.row().class == Class::Shift
    }

    /// Whether the operator skips the evaluation of some operands, depending on the first one. This holds for `and`,
    /// `or` and `where`.
    pub fn is_lazy(&self) -> bool {
        matches!(self.row().class, Class::Logic | Class::Select) && self.arity() > 1
    }

    /// Whether the operator has no value for some second operands. This holds for divisions and shifts.
    pub fn is_partial(&self) -> bool {
        matches!(self.row().class, Class::Division | Class::Shift)
    }
}

#[cfg(test)]
mod tests {
    use super::Op;
    use crate::expr::EvalError;

    #[test]
    fn every_operator_has_a_code_and_words_of_its_own() {
        for (place, op) in Op::all().iter().enumerate() {
            assert_eq!(op.code(), place as i64 + 2);
            assert_eq!(Op::named(op.name()).as_ref(), Some(op));
            let of_two = if *op == Op::Neg { &Op::Sub } else { op };
            assert_eq!(Op::with_symbol(op.symbol()).as_ref(), Some(of_two));
        }
    }

    #[test]
    fn the_table_agrees_with_the_values() {
        for op in Op::all() {
            let two = |a, b| op.eval([Ok(a), Ok(b), Ok(0)]);
            for (a, b) in (-3..=3).flat_map(|a| (-3..=3).map(move |b| (a, b))) {
                assert!(op.is_partial() || two(a, b).is_ok(), "{op:?}");
                assert!(!op.is_truth() || matches!(two(a, b), Ok(0 | 1)), "{op:?}");
                if op.is_associative() {
                    assert_eq!(two(a, b), two(b, a), "{op:?}");
                    let grouped = |c| (two(two(a, b).unwrap(), c), two(a, two(b, c).unwrap()));
                    assert!((-3..=3).map(grouped).all(|(left, right)| left == right), "{op:?}");
                }
            }
            let needs_second = [0, 1].iter().all(|&a| op.eval([Ok(a), Err(EvalError::NoValue), Ok(0)]).is_err());
            assert_eq!(needs_second, op.arity() > 1 && !op.is_lazy(), "{op:?}");
        }
    }
}
