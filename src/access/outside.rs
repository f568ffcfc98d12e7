//! Constants outside of quotients: `(x - 2)//2*7 + y` is `x//2*7 + y - 7`.
//!
//! What goes in is an index; what comes out is the same with as little as possible added to what is divided. An address adds a constant for
//! nothing, and quotients that differ in a constant only become one.

use crate::expr::monomials::{sum_of, terms_and_constant};
use crate::expr::offset::plus_offset;
use crate::expr::{Expr, Op};
use crate::integer::floor_div;

/// `e` with the multiples of the divisors outside of its quotients, and added last; `None` where there are none, where `e` is large, or where a
/// number leaves 64 bits.
pub(super) fn outside(e: &Expr) -> Option<Expr> {
    let (mut terms, mut constant) = terms_and_constant(e)?;
    let mut is_changed = false;
    for term in &mut terms {
        let [quotient] = &mut term.factors[..] else { continue };
        let Some((rest, multiple)) = apart(quotient) else { continue };
        *quotient = rest;
        constant = constant.checked_add(term.coefficient.checked_mul(multiple)?)?;
        is_changed = true;
    }
    is_changed.then(|| plus_offset(sum_of(&terms), constant))
}

/// `quotient` as another one and what is added to that, which is not 0.
fn apart(quotient: &Expr) -> Option<(Expr, i64)> {
    if *quotient.op() != Op::FloorDiv {
        return None;
    }
    let [x, divisor] = quotient.args() else { return None };
    let n = divisor.as_const().filter(|n| *n > 1)?;
    let (terms, constant) = terms_and_constant(x)?;
    let multiple = i64::try_from(floor_div(constant.into(), n.into())).ok().filter(|m| *m != 0)?;
    let rest = constant.checked_sub(multiple.checked_mul(n)?)?;
    Some((plus_offset(sum_of(&terms), rest).floor_div(n), multiple))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_of_divisors_are_added_last() {
        for (text, form) in [
            ("(x - 2)//2*7 + y", "x//2*7 + y - 7"),
            ("(x - 1)//2 + y*3 + 4", "(x + 1)//2 + y*3 + 3"),
            ("y - (x*5 + 23)//7*2", "y + (x*5 + 2)//7*-2 - 6"),
        ] {
            let e: Expr = text.parse().unwrap();
            let new = outside(&e).unwrap();
            assert_eq!(new.to_string(), form);
            for x in -40..40 {
                let value = |name: &str| Some(if name == "x" { x } else { 1000 });
                assert_eq!(e.eval(value), new.eval(value), "{text} is not {new} at {x}");
            }
        }
    }

    #[test]
    fn other_sums_stay() {
        let far = "(x - 9223372036854775807)//2*9223372036854775807";
        for text in ["(x + 1)//2*7 + y", "x//7 + 3", "(x - 2)%2", "x//y", "y", "3", far] {
            assert_eq!(outside(&text.parse().unwrap()), None, "{text}");
        }
    }
}
