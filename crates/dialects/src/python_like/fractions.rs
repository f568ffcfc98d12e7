//! Exact quotients of integers, which a later operation rounds, and their sums and products.

use super::functions::Rounding;
use super::reader::Reader;
use super::refusal::{Reading, Refusal};
use super::value::{Fraction, Item, Value};
use crate::reading::Requirement;
use quaff_expr::domain::{Interval, gcd};
use quaff_expr::expr::{Expr, Op, int};
use std::ops::Range;

/// The message about a quotient that is used as an integer.
const FRACTION: &str = "may be a fraction: `/` does not round as `//` does, and nothing shows that the divisor divides";

impl Reader<'_> {
    /// Computes `left sign right` for `+`, `-`, `*` and `/`.
    pub(super) fn fraction_of(
        &mut self,
        left: &Item,
        sign_at: &Range<usize>,
        right: &Item,
        span: &Range<usize>,
    ) -> Reading<Fraction> {
        let (a, b) = (self.fraction(left, sign_at)?, self.fraction(right, sign_at)?);
        let slash = match (&left.value, &right.value) {
            (Value::Fraction(_), _) => a.slash.clone(),
            _ => b.slash.clone(),
        };
        let (numerator, denominator) = match &self.text[sign_at.clone()] {
            "*" => {
                let numerator = self.product(&a.numerator, &b.numerator, span);
                (numerator, self.product(&a.denominator, &b.denominator, span))
            }
            "/" => {
                let numerator = self.product(&a.numerator, &b.denominator, span);
                (numerator, self.product(&a.denominator, &b.numerator, span))
            }
            sign => {
                let (by_a, by_b, denominator) = self.common(&a.denominator, &b.denominator, span);
                let (left, right) = (self.product(&a.numerator, &by_a, span), self.product(&b.numerator, &by_b, span));
                let op = if sign == "-" { Op::Sub } else { Op::Add };
                (self.apply(&op, &[left, right], span), denominator)
            }
        };
        Ok(Fraction { numerator, denominator, slash })
    }

    /// The exact quotient `a / b`.
    pub(super) fn quotient_of(&mut self, a: &Item, b: &Item, span: &Range<usize>) -> Reading<Fraction> {
        let (numerator, denominator) = (self.int(a)?, self.int(b)?);
        Ok(Fraction { numerator, denominator, slash: span.clone() })
    }

    /// The quotient as an integer. This adds the requirement that the denominator divides the numerator.
    pub(super) fn whole(&mut self, fraction: &Fraction, span: &Range<usize>) -> Expr {
        let operands = [fraction.numerator.clone(), fraction.denominator.clone()];
        let rest = self.apply(&Op::FloorMod, &operands, span);
        let part = self.apply(&Op::FloorDiv, &operands, span);
        let range = Interval::point(0);
        self.requirements.push(Requirement { value: rest, part: part.clone(), range, reason: FRACTION });
        part
    }

    /// `item` as a fraction. An integer gets the denominator 1.
    fn fraction(&mut self, item: &Item, slash: &Range<usize>) -> Reading<Fraction> {
        if let Value::Fraction(fraction) = &item.value {
            return Ok(fraction.clone());
        }
        let numerator = self.int(item)?;
        Ok(Fraction { numerator, denominator: self.nodes.one(int(1), slash), slash: slash.clone() })
    }

    /// The factors by which the denominators `a` and `b` become equal, and the common denominator.
    fn common(&mut self, a: &Expr, b: &Expr, span: &Range<usize>) -> (Expr, Expr, Expr) {
        let least = a.as_const().zip(b.as_const()).and_then(|(a, b)| {
            let divisor = i64::try_from(gcd(a.into(), b.into())).ok().filter(|d| *d != 0)?;
            Some((b / divisor, a / divisor, a.checked_mul(b / divisor)?))
        });
        match least {
            Some((by_a, by_b, all)) => {
                (self.nodes.one(int(by_a), span), self.nodes.one(int(by_b), span), self.nodes.one(int(all), span))
            }
            None => (b.clone(), a.clone(), self.product(a, b, span)),
        }
    }

    /// The product `a * b`. A factor of 1 is left out, and the product of two numbers is one number.
    fn product(&mut self, a: &Expr, b: &Expr, span: &Range<usize>) -> Expr {
        match (a.as_const(), b.as_const()) {
            (Some(1), _) => b.clone(),
            (_, Some(1)) => a.clone(),
            (Some(x), Some(y)) if x.checked_mul(y).is_some() => self.nodes.one(int(x.wrapping_mul(y)), span),
            // in a product, a number comes first
            (None, Some(_)) => self.apply(&Op::Mul, &[b.clone(), a.clone()], span),
            _ => self.apply(&Op::Mul, &[a.clone(), b.clone()], span),
        }
    }

    /// Two integers whose comparison is equivalent to the comparison of `left` and `right`. Fractions with known
    /// denominators are multiplied by a common denominator.
    pub(super) fn sides(&mut self, left: &Item, right: &Item, sign_at: &Range<usize>) -> Reading<[Expr; 2]> {
        if !matches!((&left.value, &right.value), (Value::Fraction(_), _) | (_, Value::Fraction(_))) {
            return Ok([self.int(left)?, self.int(right)?]);
        }
        let (a, b) = (self.fraction(left, sign_at)?, self.fraction(right, sign_at)?);
        let (by_a, by_b, all) = self.common(&a.denominator, &b.denominator, sign_at);
        let (a, b) = (self.product(&a.numerator, &by_a, &left.span), self.product(&b.numerator, &by_b, &right.span));
        match all.as_const() {
            Some(1..) => Ok([a, b]),
            // a negative denominator reverses the order
            Some(..=-1) => Ok([b, a]),
            _ => Refusal::new("fractions compare where their denominators are integers", sign_at)
                .help("multiply both sides with the denominator")
                .err(),
        }
    }

    pub(super) fn negated(&mut self, fraction: &Fraction, span: &Range<usize>) -> Fraction {
        let numerator = self.apply(&Op::Neg, std::slice::from_ref(&fraction.numerator), span);
        Fraction { numerator, ..fraction.clone() }
    }

    /// `item` rounded to an integer.
    pub(super) fn rounded(&mut self, item: &Item, rounding: Rounding, span: &Range<usize>) -> Reading<Expr> {
        let Value::Fraction(Fraction { numerator, denominator, .. }) = &item.value else { return self.int(item) };
        if denominator.as_const() == Some(0) {
            return Refusal::new("this divides by 0", &item.span).err();
        }
        Ok(match rounding {
            Rounding::Down => self.apply(&Op::FloorDiv, &[numerator.clone(), denominator.clone()], span),
            Rounding::Up => {
                let negated = self.apply(&Op::Neg, std::slice::from_ref(numerator), span);
                let down = self.apply(&Op::FloorDiv, &[negated, denominator.clone()], span);
                self.apply(&Op::Neg, &[down], span)
            }
            Rounding::TowardsZero => self.nodes.one(numerator.trunc_div(denominator), span),
        })
    }
}
