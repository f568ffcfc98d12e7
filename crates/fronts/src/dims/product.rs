//! Exact products of integers and of sizes that are known at run time.
//!
//! Sizes only multiply and divide, so a size is an integer ratio times powers of symbols. Equal products have equal
//! values of this type, so a product of sizes cancels against an equal product without a search.

use quaff::integer::{floor_div, gcd};

/// `num / den` times powers of symbols. The fraction is reduced, the symbols are sorted, and no power is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Product {
    num: i64,
    den: i64,
    powers: Vec<(u32, i64)>,
}

impl Product {
    pub(super) const ONE: Product = Product { num: 1, den: 1, powers: Vec::new() };

    /// An integer, at least 1.
    pub(super) fn number(n: i64) -> Product {
        Product { num: n, ..Product::ONE }
    }

    pub(super) fn symbol(symbol: u32) -> Product {
        Product { powers: vec![(symbol, 1)], ..Product::ONE }
    }

    /// The product, or `None` if it exceeds 64 bits. Both numbers must be at least 1, the symbols sorted, and no power
    /// 0.
    pub(super) fn new(num: i128, den: i128, powers: Vec<(u32, i64)>) -> Option<Product> {
        let common = gcd(num, den);
        let part = |x| i64::try_from(floor_div(x, common)).ok();
        Some(Product { num: part(num)?, den: part(den)?, powers })
    }

    /// The integer, if the product has no symbol and no denominator.
    pub(super) fn as_number(&self) -> Option<i64> {
        (self.powers.is_empty() && self.den == 1).then_some(self.num)
    }

    pub(super) fn is_one(&self) -> bool {
        *self == Product::ONE
    }

    pub(super) fn num(&self) -> i64 {
        self.num
    }

    pub(super) fn den(&self) -> i64 {
        self.den
    }

    pub(super) fn powers(&self) -> &[(u32, i64)] {
        &self.powers
    }

    /// The product of both, or `None` if it exceeds 64 bits.
    pub(super) fn times(&self, other: &Product) -> Option<Product> {
        let mut powers = self.powers.clone();
        for &(symbol, e) in &other.powers {
            match powers.binary_search_by_key(&symbol, |&(s, _)| s) {
                Ok(at) => match powers[at].1.checked_add(e)? {
                    0 => drop(powers.remove(at)),
                    sum => powers[at].1 = sum,
                },
                Err(at) => powers.insert(at, (symbol, e)),
            }
        }
        let wide = |a: i64, b: i64| i128::from(a) * i128::from(b);
        Product::new(wide(self.num, other.num), wide(self.den, other.den), powers)
    }

    /// The quotient of both, or `None` if it exceeds 64 bits.
    pub(super) fn over(&self, other: &Product) -> Option<Product> {
        let powers = other.powers.iter().map(|&(symbol, e)| Some((symbol, e.checked_neg()?)));
        self.times(&Product { num: other.den, den: other.num, powers: powers.collect::<Option<_>>()? })
    }

    /// The numerator and the denominator.
    pub(super) fn parts(&self) -> [Product; 2] {
        let side = |number: i64, sign: i64| {
            let powers = self.powers.iter().filter(|(_, e)| e.signum() == sign).map(|&(s, e)| (s, e * sign));
            Product { num: number, den: 1, powers: powers.collect() }
        };
        [side(self.num, 1), side(self.den, -1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_cancel() {
        let n = Product::symbol(3);
        let eighth = n.over(&Product::number(8)).unwrap();
        let back = eighth.times(&Product::number(24)).unwrap();
        assert_eq!((back.num(), back.den(), back.powers()), (3, 1, &[(3, 1)][..]));
        assert!(back.over(&n).unwrap().over(&Product::number(3)).unwrap().is_one());
        assert_eq!(n.over(&Product::symbol(1)).unwrap().parts(), [n.clone(), Product::symbol(1)]);
        assert_eq!(Product::number(i64::MAX).times(&Product::number(2)), None);
    }
}
