//! Greatest common divisors as expressions, since expressions have no operator for them.

use super::monomials::{Monomial, monomials, sum_of};
use super::{Expr, int, select};
use crate::integer::{floor_div, floor_mod, gcd};

/// The largest prime of trial division. Numbers up to its square can be factored.
const MOST_PRIME: i64 = 1 << 16;

/// The greatest common divisor of `a` and `b`. The divisor is never negative, and 0 when both operands are 0. If the
/// divisor cannot be written, the error has the two expressions whose divisor remains unknown.
///
/// First, the common factors are moved out. The divisor of the rest is known if one operand is a number. It is also
/// known if one operand is a multiple of the other plus a number. The divisor of an expression and a number is a
/// selection among the divisors of the number.
///
/// ```
/// use quaff_expr::expr::divisor::common_divisor;
/// use quaff_expr::expr::{Expr, parse};
///
/// let of = |a: &str, b: &str| common_divisor(&a.parse::<Expr>().unwrap(), &b.parse::<Expr>().unwrap());
/// let answer = |a, b| of(a, b).unwrap().to_string();
/// assert_eq!(answer("12", "-18"), "6");
/// assert_eq!(answer("i*6", "i*15"), "max(i, -i)*3");
/// assert_eq!(answer("i + 1", "i"), "1");
/// assert_eq!(answer("i", "4"), "where(i%4 == 0, 4, where(i%2 == 0, 2, 1))");
/// assert_eq!(of("i*n", "j*n").unwrap_err().map(|e| e.to_string()), ["i", "j"]);
/// ```
///
/// # Errors
/// Returns the two operands without common factors if neither is a number, or if the number has two prime factors above
/// 65,536.
pub fn common_divisor(a: &Expr, b: &Expr) -> Result<Expr, [Expr; 2]> {
    let [mut p, mut q] = [a, b].map(products);
    let shared = common_product(p.iter().chain(&q));
    let left_out = |all: &mut Vec<Monomial>| all.iter_mut().for_each(|m| divide(m, &shared));
    left_out(&mut p);
    left_out(&mut q);
    // if p == k*q + r for numbers k and r, the divisor of p and q is the divisor of q and r
    let rest = [(&p, &q), (&q, &p)].into_iter().find_map(|(p, q)| Some((remainder(p, q)?, q)));
    let open = || [sum_of(&p), sum_of(&q)];
    let own = match rest {
        Some((0, q)) => absolute(&sum_of(q)),
        Some((number, q)) => with_number(&sum_of(q), number).ok_or_else(open)?,
        None => return Err(open()),
    };
    let factors = shared.factors.iter().map(absolute);
    let parts = factors.chain([own]).chain([int(shared.coefficient)]).filter(|part| part.as_const() != Some(1));
    Ok(parts.reduce(|product, part| product * part).unwrap_or_else(|| int(1)))
}

/// The products whose sum is `e`. A large expression is one product.
fn products(e: &Expr) -> Vec<Monomial> {
    let mut all = monomials(e).unwrap_or_else(|| vec![Monomial { coefficient: 1, factors: vec![e.clone()] }]);
    all.retain(|m| m.coefficient != 0);
    all
}

/// The greatest product that divides each of `all`, with a positive coefficient. The product is 1 when `all` is empty.
fn common_product<'a>(all: impl Iterator<Item = &'a Monomial>) -> Monomial {
    let common = all.fold(None, |common: Option<Monomial>, m| {
        let Some(Monomial { coefficient, factors }) = common else { return Some(m.clone()) };
        let mut left = m.factors.clone();
        let is_shared =
            |factor: &Expr| left.iter().position(|own| own == factor).map(|at| left.swap_remove(at)).is_some();
        let coefficient = of_numbers(coefficient, m.coefficient);
        Some(Monomial { coefficient, factors: factors.into_iter().filter(is_shared).collect() })
    });
    let Monomial { coefficient, factors } = common.unwrap_or(Monomial { coefficient: 1, factors: vec![] });
    Monomial { coefficient: of_numbers(coefficient, 0), factors }
}

/// The greatest common divisor of two numbers. A divisor that exceeds 64 bits is replaced by 1.
fn of_numbers(a: i64, b: i64) -> i64 {
    i64::try_from(gcd(a.into(), b.into())).unwrap_or(1)
}

/// Divides `m` by `by`, which is a divisor of `m`.
fn divide(m: &mut Monomial, by: &Monomial) {
    m.coefficient = floor_div(m.coefficient.into(), by.coefficient.into()) as i64;
    for factor in &by.factors {
        if let Some(at) = m.factors.iter().position(|own| own == factor) {
            m.factors.swap_remove(at);
        }
    }
}

/// The number `r` with `p == k*q + r` for some number `k`. `None` when there are no such numbers.
fn remainder(p: &[Monomial], q: &[Monomial]) -> Option<i64> {
    let number = |all: &[Monomial]| all.iter().find(|m| m.factors.is_empty()).map_or(0, |m| m.coefficient);
    let terms = |all: &[Monomial]| all.iter().filter(|m| !m.factors.is_empty()).cloned().collect::<Vec<_>>();
    let (of_p, of_q) = (terms(p), terms(q));
    let same = |m: &Monomial| of_p.iter().find(|own| own.has_factors_of(m)).map_or(0, |own| own.coefficient);
    let k = match of_q.first() {
        Some(first) => {
            let (c, d) = (i128::from(same(first)), i128::from(first.coefficient));
            i64::try_from((floor_mod(c, d) == 0).then(|| floor_div(c, d))?).ok()?
        }
        None => 0,
    };
    let is_multiple = |m: &Monomial| m.coefficient.checked_mul(k) == Some(same(m));
    let has_all = of_p.iter().all(|m| k != 0 && of_q.iter().any(|own| own.has_factors_of(m)));
    (has_all && of_q.iter().all(is_multiple)).then(|| number(p).checked_sub(k.checked_mul(number(q))?)).flatten()
}

/// The absolute value `|e|`.
fn absolute(e: &Expr) -> Expr {
    match e.as_const() {
        Some(c) => c.checked_abs().map_or_else(|| -e, int),
        None => e.max(-e),
    }
}

/// The greatest common divisor of `e` and a number other than 0. `None` when the number cannot be factored.
fn with_number(e: &Expr, number: i64) -> Option<Expr> {
    if let Some(c) = e.as_const() {
        return i64::try_from(gcd(c.into(), number.into())).ok().map(int);
    }
    let powers = prime_powers(number.checked_abs()?)?;
    let choice = |(prime, exponent): &(i64, u32)| {
        let divides = |power: i64| e.floor_mod(power).equals(0);
        (1..=*exponent).fold(int(1), |less, k| select(divides(prime.pow(k)), prime.pow(k), less))
    };
    Some(powers.iter().map(choice).reduce(|all, next| all * next).unwrap_or_else(|| int(1)))
}

/// The prime factors of `n`, which is above 0, with their exponents. `None` when two of the factors are large.
fn prime_powers(mut n: i64) -> Option<Vec<(i64, u32)>> {
    let mut found = vec![];
    let divides = |d: i64, n: i64| floor_mod(n.into(), d.into()) == 0;
    for prime in 2..MOST_PRIME {
        if prime * prime > n {
            break;
        }
        let mut exponent = 0;
        while divides(prime, n) {
            n = floor_div(n.into(), prime.into()) as i64;
            exponent += 1;
        }
        if exponent > 0 {
            found.push((prime, exponent));
        }
    }
    if n > 1 {
        found.push((n, 1));
    }
    (n < MOST_PRIME * MOST_PRIME).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::EvalFailure;

    fn of(a: &str, b: &str) -> Result<String, [String; 2]> {
        let [a, b] = [a, b].map(|text| text.parse::<Expr>().expect("an expression"));
        common_divisor(&a, &b).map(|e| e.to_string()).map_err(|open| open.map(|e| e.to_string()))
    }

    #[test]
    fn common_factors_are_taken_out() {
        for (a, b, wanted) in [
            ("0", "0", "0"),
            ("0", "-7", "7"),
            ("x", "0", "max(x, -x)"),
            ("x", "x", "max(x, -x)"),
            ("x*3", "-x*3", "max(x, -x)*3"),
            ("x*y*4", "x*6", "max(x, -x)*where(y*2%3 == 0, 3, 1)*2"),
            ("2*x + 1", "x", "1"),
            ("2*x + 3", "x", "where(x%3 == 0, 3, 1)"),
            ("x*2 + y*2", "x*4 + y*4 + 2", "2"),
            ("x//2", "x//2*3", "max(x//2, -(x//2))"),
        ] {
            assert_eq!(of(a, b), Ok(wanted.into()), "{a}, {b}");
        }
        assert_eq!(of("i1*i2", "i3*i2"), Err(["i1".into(), "i3".into()]));
        assert_eq!(of("x", "y"), Err(["x".into(), "y".into()]));
        // two prime factors of this number are above 65536
        assert!(of("x", "9223372036854775807").is_err());
    }

    #[test]
    fn values_are_the_divisors() -> Result<(), EvalFailure> {
        let texts = ["x*6", "x*4 + 2", "-x", "12", "x + 5", "x*y", "y*3", "0", "x*x", "-8", "x*y + y"];
        for (a, b) in texts.iter().flat_map(|a| texts.map(|b| (*a, b))) {
            let [a, b] = [a, b].map(|text| text.parse::<Expr>().expect("an expression"));
            let Ok(found) = common_divisor(&a, &b) else { continue };
            for (x, y) in (-13..14).flat_map(|x| (-4..5).map(move |y| (x, y))) {
                let at = |e: &Expr| e.eval(|name| Some(if name == "x" { x } else { y }));
                assert_eq!(at(&found)?, gcd(at(&a)?, at(&b)?), "gcd({a}, {b}) at {x}, {y}: {found}");
            }
        }
        Ok(())
    }
}
