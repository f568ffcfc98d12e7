//! Functions of one variable that are one digit of a quotient.

use super::balanced::balanced;
use super::canonical::Canonical;
use super::floor_sum::{plus, quotient, reduced, scaled};
use crate::expr::{Expr, int};
use crate::integer::{floor_div, floor_mod, gcd};

/// Values are below this, so that no number of a form leaves 128 bits.
const SHORT: u128 = 1 << 90;

/// `factor*((slope*x + offset)//divisor % modulus) + constant`, for all integers `x`.
///
/// Such a digit is also a sum of two quotients: `x*2//5%4` is `x*2//5 - x//10*4`. A function is a digit when it is periodic and its jumps,
/// after multiples of the modulus are added to some of them, are the jumps of one quotient (see [`super::balanced`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digit {
    factor: i128,
    slope: i128,
    offset: i128,
    divisor: i128,
    modulus: i128,
    constant: i128,
}

impl Digit {
    /// The function as one digit; `None` where it is none. The modulus that is tried is the one for which the greatest value of the function
    /// is the greatest digit. Linear in the period, beside finding the greatest common divisor of the values.
    pub(crate) fn of(canonical: &Canonical) -> Option<Digit> {
        let jumps = canonical.jumps();
        let mut values: Vec<i128> = vec![canonical.before_zero()];
        for jump in jumps {
            values.push(values.last()?.checked_add(*jump)?);
        }
        if values.first() != values.last() || values.iter().any(|v| v.unsigned_abs() >= SHORT) {
            return None;
        }
        let constant = *values.iter().min()?;
        let factor = values.iter().fold(0, |common, v| gcd(common, v - constant));
        // a constant function
        if factor == 0 {
            return None;
        }
        let modulus = floor_div(values.iter().max()? - constant, factor) + 1;
        let residues: Vec<i128> = jumps.iter().map(|j| floor_mod(floor_div(*j, factor), modulus)).collect();
        let before = floor_div(canonical.before_zero() - constant, factor);
        let lifted = lifted(&residues, modulus)?;
        let (slope, offset, divisor) = with_jumps(&lifted)?;
        // the quotient is 0 at -1, and has to be `before` there
        let offset = floor_mod(offset + before * divisor, divisor * modulus);
        Some(Digit { factor, slope, offset, divisor, modulus, constant })
    }

    /// As an expression over `variable`; `None` where a number leaves 64 bits. Not simplified.
    pub(crate) fn to_expr(self, variable: &str) -> Option<Expr> {
        let quotient = quotient(variable, self.slope, self.offset, self.divisor)?;
        let digit = quotient.floor_mod(int(i64::try_from(self.modulus).ok()?));
        plus(scaled(digit, i64::try_from(self.factor).ok()?), self.constant)
    }
}

/// Numbers with the given residues modulo `modulus`, of at most two values, which differ by 1; the lower value is as near to 0 as possible.
/// `None` where there are no such numbers.
fn lifted(residues: &[i128], modulus: i128) -> Option<Vec<i128>> {
    let first = *residues.first()?;
    let other = residues.iter().copied().find(|r| *r != first).unwrap_or(first);
    let next = |low: i128, high: i128| floor_mod(low + 1, modulus) == high;
    let (low, high) = match (next(first, other), next(other, first)) {
        _ if first == other => (first, first),
        // modulo 2 each residue follows the other one
        (true, true) => (0, 1),
        (true, false) => (first, other),
        (false, true) => (other, first),
        (false, false) => return None,
    };
    if residues.iter().any(|r| *r != low && *r != high) {
        return None;
    }
    let least = if low * 2 > modulus { low - modulus } else { low };
    Some(residues.iter().map(|r| least + i128::from(*r != low)).collect())
}

/// The slope, offset and divisor of the quotient with these jumps that is 0 at -1.
fn with_jumps(jumps: &[i128]) -> Option<(i128, i128, i128)> {
    let first = *jumps.first()?;
    if jumps.iter().all(|j| *j == first) {
        return Some((first, first, 1));
    }
    let found = balanced(jumps).filter(|b| b.linear == 0 && b.height == 1)?;
    let divisor = jumps.len() as i128;
    // `balanced` leaves the value at -1 open
    let at = floor_div(found.offset - found.slope, divisor);
    let (slope, offset) = (found.slope, found.offset - at * divisor);
    Some(reduced(slope, offset, divisor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::var;

    fn canonical(expr: &Expr) -> Canonical {
        Canonical::of(expr, "x").expect("quasi-affine")
    }

    fn digit(text: &str) -> Option<Expr> {
        Digit::of(&canonical(&text.parse().expect("an expression")))?.to_expr("x")
    }

    #[test]
    fn digits_are_found() {
        for text in [
            "x%8",
            "x//3%5*7 - 2",
            "x%8%3",
            "-(x//4%3)",
            "(x*3 + 1)//4%2",
            "x*-7//9%11",
            "5*(x//5) + 5*((x - 3)//5) - 20*(x//10) + 5",
            "(x - 1)//5 + (x - 4)//5 - 8*((x - 19)//20) - 6",
            "x + (x - 1)//2 - 4*(x//8) - 4*((x - 3)//8) - 4*((x - 5)//8) - 7",
        ] {
            let digit = digit(text).expect(text);
            assert_eq!(canonical(&digit), canonical(&text.parse().expect(text)), "{text}: {digit}");
        }
    }

    #[test]
    fn every_quotient_modulo_something_that_has_all_values_is_a_digit() {
        let numbers =
            (-4..9_i64).flat_map(|slope| (1..9_i64).flat_map(move |d| (2..7_i64).map(move |m| (slope, d, m))));
        for (slope, divisor, modulus) in numbers {
            let expr = (var("x") * int(slope) + int(3)).floor_div(int(divisor)).floor_mod(int(modulus));
            let table = canonical(&expr);
            let has = |value: i64| (0..table.period()).any(|x| table.value(x) == Some(value.into()));
            if (0..modulus).all(has) {
                let digit = Digit::of(&table).and_then(|d| d.to_expr("x")).expect("a digit");
                assert_eq!(canonical(&digit), table, "{expr}: {digit}");
            }
        }
    }

    #[test]
    fn other_functions_are_none() {
        for text in ["7", "x//3", "x%8 + x//2%2", "x%2*3 + x//2%2"] {
            assert_eq!(digit(text), None, "{text}");
        }
    }
}
