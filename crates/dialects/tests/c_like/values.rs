//! C-like texts with divisions. The values of each text are compared with the values of an infix expression.

use quaff_dialects::{Dialect, read};
use quaff_expr::expr::{Expr, parse};

use Dialect::{C, Cuda, Halide};

/// Texts of `a` and `b`, each with an infix expression that has the same values.
const SAME: &[(Dialect, &str, &str)] = &[
    (C, "a / 4", "where(a < 0, -(-a//4), a//4)"),
    (C, "a % 4", "where(a < 0, -(-a%4), a%4)"),
    (C, "a / b", "where((a < 0) == (b < 0), abs(a)//abs(b), -(abs(a)//abs(b)))"),
    (C, "a / b * b + a % b", "where(b == 0, 0//b, a)"),
    (C, "a >> 2", "a//4"),
    (C, "ceil_div(a, 4)", "where(a + 3 < 0, -(-(a + 3)//4), (a + 3)//4)"),
    (C, "int r = a / 4; r *= 4; a - r", "where(a < 0, -(-a%4), a%4)"),
    (C, "a % 2 == 0 ? a >> 1 : -1", "where(a%2 == 0, a//2, -1)"),
    (C, "a % 4u", "a%4"),
    (C, "a / 4u", "a%4294967296//4"),
    (C, "(unsigned)a / 4 * 4", "a%4294967296//4*4"),
    (Cuda, "(int)(threadIdx.x + a) / 2", "where(threadIdx.x + a < 0, -(-(threadIdx.x + a)//2), (threadIdx.x + a)//2)"),
    (Halide, "a / b", "where(b > 0, a//b, -(a//-b))"),
    (Halide, "a % b", "a - b*where(b > 0, a//b, -(a//-b))"),
    (Halide, "a / -3 * -3 + a % -3", "a"),
    (Halide, "div_round_to_zero(a, b)", "where((a < 0) == (b < 0), abs(a)//abs(b), -(abs(a)//abs(b)))"),
    (Halide, "mod_round_to_zero(a, 4)", "where(a < 0, -(-a%4), a%4)"),
];

#[test]
fn division_rounds_as_the_dialect_says() {
    for (dialect, text, expected) in SAME {
        let read = read(text, *dialect).unwrap_or_else(|e| panic!("{text}: {e}"));
        let expected: Expr = parse(expected).unwrap().into_expr();
        for (a, b) in (-13..=13).flat_map(|a| (-5..=5).map(move |b| (a, b))) {
            let at = |name: &str| match name {
                "a" => Some(a),
                "b" => Some(b),
                "threadIdx.x" => Some(3),
                _ => None,
            };
            assert_eq!(read.results[0].expr().eval(at), expected.eval(at), "{text} at a = {a}, b = {b}");
        }
    }
}
