//! Sums by digits: `x*4 - x//10*39 - x//40*4` is `x%10*4 + x//10%4`.
//!
//! What goes in is an expression; what comes out is the same sum, in which no quotient stands beside its numerator: the numerator is its
//! remainder and the quotient. Alone, such a sum costs as much or more. But accesses of one kernel often take the same index apart in the
//! same way, and then each digit is computed once for all of them. [`quotients`] goes the other way: no remainder is left, and no numerator is a
//! quotient.

use crate::expr::monomials::{Monomial, factor_of, is_permutation, monomials, sum_of};
use crate::expr::{Expr, Op};

/// Numerators that are taken apart in one sum.
const MAX_STEPS: usize = 16;

/// `e` as such a sum; `None` where it is one.
pub(super) fn digits(e: &Expr) -> Option<Expr> {
    if !matches!(e.op(), Op::Add | Op::Sub | Op::Neg | Op::Mul) {
        return None;
    }
    let mut sum = without_remainders(monomials(e)?)?;
    let mut steps = 0;
    while let Some(digit) = (steps < MAX_STEPS).then(|| next_digit(&sum)).flatten() {
        sum = digit?;
        steps += 1;
    }
    (steps > 0).then(|| sum_of(&sum))
}

/// `e` as a sum of quotients whose numerators are no quotients: `x//10%4*4 - x//10` is `x//10*3 - x//40*16`. `None` where it is one.
pub(super) fn quotients(e: &Expr) -> Option<Expr> {
    let mut flat = without_remainders(monomials(e)?)?;
    flat.retain(|m| m.coefficient != 0);
    let flat = sum_of(&flat);
    (flat != *e).then_some(flat)
}

/// `x//m//n` as `x//(m*n)`, and anything else as it is; `None` where the product leaves 64 bits.
fn of_whole(quotient: &Expr) -> Option<Expr> {
    let (mut x, mut n) = (quotient, 1i64);
    while let Some(by) = divisor(x).filter(|_| *x.op() == Op::FloorDiv) {
        (x, n) = (&x.args()[0], n.checked_mul(by)?);
    }
    Some(if n == 1 { x.clone() } else { x.floor_div(n) })
}

/// `sum` with every term `x%n` as `x - x//n*n`, as far as `n` is a positive number, and every quotient of a quotient as one.
fn without_remainders(sum: Vec<Monomial>) -> Option<Vec<Monomial>> {
    let mut out = Vec::new();
    for m in sum {
        match &m.factors[..] {
            [e] if *e.op() == Op::FloorMod && divisor(e).is_some() => {
                let (x, n) = (&e.args()[0], divisor(e)?);
                add_multiple(&mut out, &monomials(&of_whole(x)?)?, m.coefficient)?;
                // one of a quotient is one of its numerator, which other terms may be, too
                add(&mut out, &[of_whole(&x.floor_div(n))?], m.coefficient.checked_mul(n)?.checked_neg()?)?;
            }
            [e] => add(&mut out, &[of_whole(e)?], m.coefficient)?,
            factors => add(&mut out, factors, m.coefficient)?,
        }
    }
    Some(out)
}

/// The sum after a numerator in it that stands beside its quotient was taken apart, the smallest one first, by the least divisor; none where
/// there is none, and `Some(None)` where a coefficient leaves 64 bits.
fn next_digit(sum: &[Monomial]) -> Option<Option<Vec<Monomial>>> {
    let quotients = sum.iter().filter_map(|m| <&[Expr; 1]>::try_from(&m.factors[..]).ok());
    let all =
        quotients.flat_map(|[quotient]| numerators(quotient, sum).into_iter().map(move |(x, n)| (quotient, x, n)));
    let beside = all.filter_map(|(quotient, x, n)| {
        let terms = monomials(&x)?;
        let a = factor_of(&terms, sum)?;
        Some((quotient, x, n, terms, a))
    });
    let (quotient, x, n, terms, a) = beside.min_by_key(|(_, x, n, ..)| (x.tree_size(), *n))?;
    Some(taken_apart(sum.to_vec(), (&x, n), &terms, a, quotient))
}

/// `sum` with `a*(x%n) + a*n*quotient` in the place of `a*x`, whose `terms` are those of `x`, where `quotient` is `x//n`.
fn taken_apart(
    mut sum: Vec<Monomial>,
    (x, n): (&Expr, i64),
    terms: &[Monomial],
    a: i64,
    quotient: &Expr,
) -> Option<Vec<Monomial>> {
    add_multiple(&mut sum, terms, a.checked_neg()?)?;
    add(&mut sum, &[x.floor_mod(n)], a)?;
    add(&mut sum, std::slice::from_ref(quotient), a.checked_mul(n)?)?;
    sum.retain(|m| m.coefficient != 0);
    Some(sum)
}

/// The ways to write `quotient` as `x//n`: as it is, and for `y//(m*n)` with `x` one of the terms `y//m` of `sum`.
fn numerators(quotient: &Expr, sum: &[Monomial]) -> Vec<(Expr, i64)> {
    let Some(n) = divisor(quotient).filter(|_| *quotient.op() == Op::FloorDiv) else { return Vec::new() };
    let y = &quotient.args()[0];
    let mut all = vec![(y.clone(), n)];
    for m in sum {
        let [x] = &m.factors[..] else { continue };
        let Some(inner) = divisor(x).filter(|_| *x.op() == Op::FloorDiv) else { continue };
        if inner < n && n.checked_rem(inner) == Some(0) && x.args()[0] == *y {
            all.push((x.clone(), n.checked_div(inner).unwrap_or(n)));
        }
    }
    all
}

/// The number above 1 that `e`, a quotient or a remainder, divides by.
fn divisor(e: &Expr) -> Option<i64> {
    let is_division = matches!(e.op(), Op::FloorDiv | Op::FloorMod);
    is_division.then(|| e.args()[1].as_const()).flatten().filter(|&n| n > 1)
}

/// Adds `a` times the sum of `terms`.
fn add_multiple(sum: &mut Vec<Monomial>, terms: &[Monomial], a: i64) -> Option<()> {
    terms.iter().try_for_each(|term| add(sum, &term.factors, term.coefficient.checked_mul(a)?))
}

/// Adds a product.
fn add(sum: &mut Vec<Monomial>, factors: &[Expr], coefficient: i64) -> Option<()> {
    match sum.iter_mut().find(|m| is_permutation(&m.factors, factors)) {
        Some(same) => same.coefficient = same.coefficient.checked_add(coefficient)?,
        None => sum.push(Monomial { coefficient, factors: factors.to_vec() }),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        let e: Expr = text.parse().expect("an expression");
        let form = digits(&e)?;
        for x in -130..130 {
            let value = |name: &str| Some(if name == "x" { x } else { x * 5 + 3 });
            assert_eq!(e.eval(value), form.eval(value), "{text} is not {form} at {x}");
        }
        Some(form.to_string())
    }

    #[test]
    fn numerators_are_taken_apart() {
        assert_eq!(shown("x*4 - x//10*39 - x//10//4*4").unwrap(), "x%10*4 + x//10%4");
        assert_eq!(shown("x*4 - x//10*39 - x//40*4").unwrap(), "x%10*4 + x//10%4");
        assert_eq!(
            shown("(x*3 + y + 1)//7*5 + x*6 + y*2 + z").unwrap(),
            "(x*3 + y + 1)//7*19 + z + -2 + (x*3 + y + 1)%7*2"
        );
        assert_eq!(shown("x%60 + x//6*6").unwrap(), "x//60*60 + x%6 + x//6%10*12");
    }

    #[test]
    fn quotients_divide_no_quotients() {
        for (text, form) in [
            ("x//10%4*4 - x//10", "x//10*3 + x//40*-16"),
            ("x - x//35//4%3*105", "x + x//140*-105 + x//420*315"),
            ("x%7 + x//7//3", "x + x//7*-7 + x//21"),
        ] {
            let e: Expr = text.parse().unwrap();
            let flat = quotients(&e).unwrap();
            assert_eq!(flat.to_string(), form);
            for x in -900..900 {
                assert_eq!(e.eval(|_| Some(x)), flat.eval(|_| Some(x)), "{text} is not {flat} at {x}");
            }
        }
        assert_eq!(quotients(&"x//10*3 + x//40".parse().unwrap()), None);
    }

    #[test]
    fn sums_without_a_numerator_beside_its_quotient_stay() {
        for text in [
            "x//10*3 + y",
            "x*3 + y",
            "x//10",
            "x*2 + (x*3 + y)//7",
            "x*9223372036854775807 + x//3*9223372036854775807",
        ] {
            assert_eq!(shown(text), None, "{text}");
        }
    }
}
