//! Forms that are cheaper only if another part computes a common subexpression.

use crate::contexts::all;

#[test]
fn a_remainder_is_that_of_a_congruent_sum_that_is_compared() {
    all(&[
        (
            "i*39 + j + k*13 >= 9 and (i*12 + j + k*4)%9 < 7",
            "i=0..2 j=0..12 k=0..2",
            "i*39 + j + k*13 >= 9 and (i*39 + j + k*13)%9 < 7",
        ),
        // a comparison can use the same sum with the opposite sign
        ("j - i*5 >= -12 and (i - j)%4 >= 1", "i=0..20 j=0..20", "i*5 - j < 13 and (i*5 - j)%4 >= 1"),
        // the coefficients of i differ by 26
        (
            "i*38 + j + k*13 >= 9 and (i*12 + j + k*4)%9 < 7",
            "i=0..2 j=0..12 k=0..2",
            "i*38 + j + k*13 >= 9 and (i*12 + j + k*4)%9 < 7",
        ),
    ]);
}

#[test]
fn a_remainder_is_that_of_a_congruent_sum_that_is_divided() {
    all(&[
        ("(i*15 + j)//21*7 + (i + j)%7", "i=0..6 j=0..14", "(i*15 + j)//21*7 + (i*15 + j)%7"),
        // the coefficients of i differ by 13
        ("(i*14 + j)//21*7 + (i + j)%7", "i=0..6 j=0..14", "(i*14 + j)//21*7 + (i + j)%7"),
    ]);
}

#[test]
fn a_quotient_is_a_shift_of_one_that_is_there() {
    all(&[
        ("x*3 + x//3*18 + x//6*9", "x=0..35", "x*3 + x//3*18 + x//3//2*9"),
        // these forms stay: `x//3//3` has no shift, and `x//8` is already a shift
        ("x*3 + x//3*18 + x//9*9", "x=0..35", "x*3 + x//9*9 + x//3*18"),
        ("x*3 + x//4*18 + x//8*9", "x=0..35", "x*3 + x//4*18 + x//8*9"),
    ]);
}

#[test]
fn a_remainder_beside_a_comparison_takes_any_constant_and_either_sign() {
    all(&[
        ("x + y*15 < 16 and (x + y)%2 < 1", "x=0..14 y=0..1", "x + y*15 < 16 and (x + y*15)%2 < 1"),
        ("x*3 + y*8 < 40 and (x*3 + y + 2)%7 < 3", "x=0..14 y=0..9", "x*3 + y*8 + 2 < 42 and (x*3 + y*8 + 2)%7 < 3"),
    ]);
}

#[test]
fn a_remainder_is_that_of_a_quotient_that_late_rules_write() {
    all(&[(
        "where((x + y)%2 < 1, x*4 + y + (x + y)//2 + z*81, -1)",
        "x=0..1 y=0..2 z=0..7",
        "where((x*9 + y*3)%2 < 1, z*81 + (x*9 + y*3)//2, -1)",
    )]);
}

#[test]
fn a_digit_is_a_quotient_of_a_remainder_that_is_there() {
    all(&[
        ("where(a%18 < b, a//2%9*9, -1)", "a=-5..100 b=0..9", "where(a%18 < b, a%18//2*9, -1)"),
        // no remainder modulo 18 exists that the quotient could use
        ("where(a%20 < b, a//2%9, -1)", "a=0..100 b=0..9", "where(a%20 < b, a//2%9, -1)"),
    ]);
}

#[test]
fn whether_a_term_is_not_0_is_asked_of_a_sum_with_other_factors() {
    all(&[
        (
            "where(x + y >= 1, (x*4 + y + 1)//3 + z, -1)",
            "x=0..14 y=0..9 z=0..9",
            "where(x + y + 1 >= 2, x + z + (x + y + 1)//3, -1)",
        ),
        ("x + y >= 1 and x*4 + y < 33", "x=0..9 y=0..3", "x*4 + y < 33 and x*4 + y >= 1"),
        // x may be negative
        ("x + y >= 1 and x*4 + y < 33", "x=-1..9 y=0..3", "x*4 + y < 33 and x + y >= 1"),
    ]);
}

#[test]
fn a_comparison_reads_a_quotient_that_is_there() {
    all(&[
        (
            "where(r + k*5 >= 5 and r + k*10 < 75, z + k*28 + r//5*9 + r, -1)",
            "r=0..24 k=0..6 z=0..999",
            "where(k*2 + r//5 >= 1 and k*2 + r//5 < 15, r + k*28 + z + r//5*9, -1)",
        ),
        // 5 does not divide 76
        (
            "where(r + k*10 < 76, z + r//5*9 + r, -1)",
            "r=0..24 k=0..9 z=0..999",
            "where(r + k*10 < 76, r + z + r//5*9, -1)",
        ),
    ]);
}
