//! The precedence of the operators of infix text. The order is that of Python, and the parser and the printers share
//! it.

/// `a if c else b`
pub const CONDITIONAL: u8 = 1;
/// `or`
pub const OR: u8 = 2;
/// `and`
pub const AND: u8 = 3;
/// `not`
pub const NOT: u8 = 4;
/// Comparisons, which are not associative.
pub const COMPARE: u8 = 5;
/// `|`
pub const BIT_OR: u8 = 6;
/// `^`
pub const BIT_XOR: u8 = 7;
/// `&`
pub const BIT_AND: u8 = 8;
/// `<<` and `>>`
pub const SHIFT: u8 = 9;
/// `+` and `-`
pub const ADD: u8 = 10;
/// `*`, `//` and `%`
pub const MUL: u8 = 11;
/// A sign.
pub const UNARY: u8 = 12;
/// A name, a number without sign, or a call.
pub const ATOM: u8 = 13;
