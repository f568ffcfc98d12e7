//! Splits an expression such as `i*4 + 3` into `i*4` and the constant 3, which the expression adds last.

use super::sum::written;
use super::{Expr, Op, int};

/// The pair `(x, k)` for which `e` equals `x + k`. `k` is the sum of the constants that `e` adds last. If this sum
/// leaves 64 bits, the remaining constants stay in `x`.
pub fn split_offset(e: &Expr) -> (Expr, i64) {
    let (mut rest, mut offset) = (e, 0i64);
    loop {
        let (x, sum) = match (rest.op(), rest.args()) {
            (Op::Add, [x, k]) if k.as_const().is_some() => (x, k.as_const().and_then(|k| offset.checked_add(k))),
            (Op::Add, [k, x]) if k.as_const().is_some() => (x, k.as_const().and_then(|k| offset.checked_add(k))),
            (Op::Sub, [x, k]) if k.as_const().is_some() => (x, k.as_const().and_then(|k| offset.checked_sub(k))),
            _ => return (rest.clone(), offset),
        };
        let Some(sum) = sum else { return (rest.clone(), offset) };
        (rest, offset) = (x, sum);
    }
}

/// The expression `x + k`.
pub fn plus_offset(x: Expr, k: i64) -> Expr {
    match x.as_const().and_then(|x| x.checked_add(k)) {
        Some(sum) => int(sum),
        None => written([(x, 1), (int(1), k)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_split_is_put_together_again() {
        for (text, rest, offset, whole) in [
            ("x*3 + 5", "x*3", 5, "x*3 + 5"),
            ("4 + (x - 7)", "x", -3, "x - 3"),
            ("x + y", "x + y", 0, "x + y"),
            ("7", "7", 0, "7"),
            ("x + 9223372036854775807 + 1", "x + 9223372036854775807", 1, "x + 9223372036854775807 + 1"),
        ] {
            let e: Expr = text.parse().unwrap();
            let (x, k) = split_offset(&e);
            assert_eq!((x.to_string().as_str(), k), (rest, offset), "{text}");
            assert_eq!(plus_offset(x, k).to_string(), whole);
        }
    }
}
