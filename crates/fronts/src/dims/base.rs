//! Exact multiplicative arithmetic: numbers as powers over a common coprime base.
//!
//! Size equations only multiply, so a size is stored as its exponents over a base. Products become sums, roots become
//! divisions, and nothing rounds or overflows. The base need not be prime. It is enough that its elements are pairwise
//! coprime and that none of them is a perfect power. `gcd` alone finds a base with these properties, without factoring.
//! A product `b_0^x_0 * b_1^x_1 * ...` with rational `x_i` over such a base is an integer exactly when every `x_i` is a
//! non-negative integer.
//!
//! A size that is known only at run time is a symbol. Symbols are further elements of the base, after the numbers.

use super::product::Product;
use quaff::integer::{floor_div, floor_mod};
use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::Arc;

/// Exponents over a [`Base`], sorted by element, without zeros.
pub(super) type Valuation = Vec<(u32, i64)>;

/// The primes that are tried first. Nearly every real size is a product of these primes, and needs no `gcd`.
const SMALL_PRIMES: [i64; 11] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31];

/// Pairwise coprime integers above 1, none of them a perfect power, over which a given set of numbers factors.
pub(super) struct Base {
    elements: Vec<i64>,
    /// The names that messages use for symbols, the sizes that are known only at run time.
    symbols: Vec<Arc<str>>,
    valuations: FxHashMap<i64, Valuation>,
}

impl Base {
    /// A base for `numbers`, all at least 1, and symbols with these names. It does not depend on the order of the
    /// numbers.
    pub(super) fn new(numbers: impl IntoIterator<Item = i64>, symbols: Vec<Arc<str>>) -> Base {
        let mut numbers: Vec<i64> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut large = Vec::new();
        for &n in &numbers {
            let rest = SMALL_PRIMES.iter().fold(n, |rest, &p| strip(rest, p).0);
            refine(&mut large, rest);
        }
        large.sort_unstable();
        let mut base = Base { elements: SMALL_PRIMES.to_vec(), symbols, valuations: FxHashMap::default() };
        base.elements.extend(large);
        base.valuations = numbers.iter().map(|&n| (n, base.factor(n))).collect();
        base
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.elements.len() + self.symbols.len()
    }

    /// The exponents of `n`, which must be one of the numbers that the base was made for.
    pub(super) fn valuation(&self, n: i64) -> &Valuation {
        &self.valuations[&n]
    }

    /// The exponents of a product of symbols and of numbers that the base was made for.
    pub(super) fn valuation_of(&self, product: &Product) -> Valuation {
        let mut valuation = self.valuation(product.num()).clone();
        if product.den() != 1 {
            add_scaled(&mut valuation, -1, self.valuation(product.den()));
        }
        let first = self.elements.len() as u32;
        valuation.extend(product.powers().iter().map(|&(symbol, e)| (first + symbol, e)));
        valuation
    }

    /// Whether a symbol occurs in the product with these exponents.
    pub(super) fn is_run_time(&self, valuation: &[(u32, i64)]) -> bool {
        valuation.last().is_some_and(|&(i, _)| i as usize >= self.elements.len())
    }

    fn factor(&self, n: i64) -> Valuation {
        let mut rest = n;
        let mut valuation = Valuation::new();
        for (i, &b) in self.elements.iter().enumerate() {
            if rest == 1 {
                break;
            }
            let (stripped, exponent) = strip(rest, b);
            if exponent > 0 {
                valuation.push((i as u32, exponent));
            }
            rest = stripped;
        }
        debug_assert_eq!(rest, 1, "the base covers {n}");
        valuation
    }

    /// The product with these exponents. `None` when its numbers exceed `i64`.
    pub(super) fn product(&self, valuation: &[(u32, i64)]) -> Option<Product> {
        let numbers = valuation.partition_point(|&(i, _)| (i as usize) < self.elements.len());
        let part = |sign: i64| {
            let own = valuation[..numbers].iter().filter(|(_, e)| e.signum() == sign);
            own.copied().try_fold(1i128, |product, (i, e)| {
                let power = i128::from(self.elements[i as usize]).checked_pow(u32::try_from(e.unsigned_abs()).ok()?)?;
                product.checked_mul(power)
            })
        };
        let first = self.elements.len() as u32;
        Product::new(part(1)?, part(-1)?, valuation[numbers..].iter().map(|&(i, e)| (i - first, e)).collect())
    }

    /// The number with these exponents, for a message.
    pub(super) fn exact(&self, valuation: &[(u32, i64)]) -> Exact {
        self.root(valuation.iter().map(|&(i, e)| (i, e, 1)))
    }

    /// The number with these rational exponents `numerator / denominator`, for a message.
    pub(super) fn root(&self, exponents: impl IntoIterator<Item = (u32, i64, i64)>) -> Exact {
        let mut exact = Exact { powers: vec![], symbols: vec![] };
        for (i, n, d) in exponents {
            match self.elements.get(i as usize) {
                Some(&element) => exact.powers.push((element, n, d)),
                None => exact.symbols.push((self.symbols[i as usize - self.elements.len()].clone(), n, d)),
            }
        }
        exact
    }
}

/// Adds `factor * other` to `acc`.
pub(super) fn add_scaled(acc: &mut Valuation, factor: i64, other: &[(u32, i64)]) {
    for &(i, e) in other {
        match acc.binary_search_by_key(&i, |&(j, _)| j) {
            Ok(at) => {
                acc[at].1 += factor * e;
                if acc[at].1 == 0 {
                    acc.remove(at);
                }
            }
            Err(at) => acc.insert(at, (i, factor * e)),
        }
    }
}

/// The `e`-th root, if every exponent is divisible by `e`.
pub(super) fn exact_root(valuation: &[(u32, i64)], e: i64) -> Option<Valuation> {
    let root = |&(i, v): &(u32, i64)| {
        (floor_mod(v as i128, e as i128) == 0).then(|| (i, floor_div(v as i128, e as i128) as i64))
    };
    valuation.iter().map(root).collect()
}

/// `n` without its factors `b`, and the number of these factors.
fn strip(mut n: i64, b: i64) -> (i64, i64) {
    let mut count = 0;
    while floor_mod(n as i128, b as i128) == 0 {
        n = quotient(n, b);
        count += 1;
    }
    (n, count)
}

fn quotient(a: i64, b: i64) -> i64 {
    floor_div(a as i128, b as i128) as i64
}

/// The greatest common divisor of odd positive numbers. It uses no division, because it is the inner loop of
/// [`Base::new`].
fn odd_gcd(mut a: i64, mut b: i64) -> i64 {
    while a != b {
        if a < b {
            (a, b) = (b, a);
        }
        a -= b;
        a >>= a.trailing_zeros();
    }
    a
}

/// Adds the odd number `n` to a coprime set of odd numbers. Elements that share a factor with `n` are split.
///
/// The procedure terminates because every split replaces two numbers by three with a smaller product.
fn refine(set: &mut Vec<i64>, n: i64) {
    let mut pending = vec![n];
    while let Some(n) = pending.pop() {
        let n = primitive_root(n);
        if n == 1 {
            continue;
        }
        match set.iter().position(|&b| odd_gcd(b, n) > 1) {
            Some(at) if set[at] == n => {}
            Some(at) => {
                let b = set.swap_remove(at);
                let g = odd_gcd(b, n);
                pending.extend([g, quotient(b, g), quotient(n, g)]);
            }
            None => set.push(n),
        }
    }
}

/// The least `r` of which `n` is a power.
fn primitive_root(mut n: i64) -> i64 {
    // 2^63 exceeds `i64`, and it is enough to try the prime exponents up to 61
    for k in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61] {
        while let Some(r) = integer_root(n, k) {
            n = r;
        }
    }
    n
}

/// The number `r > 1` with `r^k == n`, by bisection on integers.
fn integer_root(n: i64, k: u32) -> Option<i64> {
    let (mut low, mut high) = (2, n);
    while low <= high {
        let middle = low + quotient(high - low, 2);
        match middle.checked_pow(k).map(|power| power.cmp(&n)) {
            Some(std::cmp::Ordering::Equal) => return (middle < n).then_some(middle),
            Some(std::cmp::Ordering::Less) => low = middle + 1,
            Some(std::cmp::Ordering::Greater) | None => high = middle - 1,
        }
    }
    None
}

/// An exact positive number that follows from size equations. It is an integer, a fraction or a root, possibly
/// multiplied by powers of sizes that are known at run time.
///
/// The number is displayed as `15/2` or `3*N/256`. An irrational or very long number is displayed as powers, such as
/// `2^(5/2)` or `2^70 * 3`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exact {
    /// `(element, numerator, denominator)` of each power of a number.
    powers: Vec<(i64, i64, i64)>,
    /// The name, numerator and denominator of each power of a size that is known at run time.
    symbols: Vec<(Arc<str>, i64, i64)>,
}

impl Exact {
    /// Whether the number depends on a size that is known at run time.
    pub fn is_run_time(&self) -> bool {
        !self.symbols.is_empty()
    }

    /// Numerator and denominator, if the number does not depend on run-time sizes, is rational, and fits 128 bits.
    pub fn ratio(&self) -> Option<(i128, i128)> {
        if self.is_run_time() { None } else { self.ratio_of_numbers() }
    }

    fn ratio_of_numbers(&self) -> Option<(i128, i128)> {
        let product = |sign: i64| {
            self.powers.iter().filter(|p| p.1 * sign > 0).try_fold(1i128, |product, &(b, n, d)| {
                let exponent = (d == 1).then_some(n.unsigned_abs())?;
                product.checked_mul((b as i128).checked_pow(u32::try_from(exponent).ok()?)?)
            })
        };
        Some((product(1)?, product(-1)?))
    }

    /// The number as a quotient such as `3*N/256`, if all exponents are integers.
    fn quotient(&self) -> Option<String> {
        let (n, d) = self.ratio_of_numbers()?;
        let side = |number: i128, sign: i64| {
            let symbols = self.symbols.iter().filter(|(_, n, _)| n.signum() == sign);
            let factors = symbols.map(|(name, n, _)| match n.unsigned_abs() {
                1 => name.to_string(),
                e => format!("{name}^{e}"),
            });
            let number = (number != 1).then(|| number.to_string());
            number.into_iter().chain(factors).collect::<Vec<_>>()
        };
        let (up, down) = (side(n, 1), side(d, -1));
        let up = if up.is_empty() { "1".to_string() } else { up.join("*") };
        let whole = self.symbols.iter().all(|&(_, _, d)| d == 1);
        whole.then(|| match &down[..] {
            [] => up,
            [one] => format!("{up}/{one}"),
            several => format!("{up}/({})", several.join("*")),
        })
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(quotient) = self.quotient() {
            return f.write_str(&quotient);
        }
        let numbers = self.powers.iter().map(|&(base, n, d)| (base.to_string(), n, d));
        let symbols = self.symbols.iter().map(|(name, n, d)| (name.to_string(), *n, *d));
        for (i, (base, n, d)) in numbers.chain(symbols).enumerate() {
            f.write_str(if i == 0 { "" } else { " * " })?;
            match (n, d) {
                (1, 1) => write!(f, "{base}")?,
                (_, 1) => write!(f, "{base}^{n}")?,
                _ => write!(f, "{base}^({n}/{d})")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaff::integer::gcd;

    #[test]
    fn base_is_coprime_primitive_and_covers() {
        let (p, q) = (1_000_003, 998_244_353);
        let numbers = [1, 64, p * p, p * q, 1_000_000_000_000_000_000, i64::MAX, 37 * 41, 41 * 43];
        let base = Base::new(numbers, vec![]);
        for (i, &a) in base.elements.iter().enumerate() {
            assert_eq!(primitive_root(a), a);
            assert!(base.elements[..i].iter().all(|&b| gcd(a as i128, b as i128) == 1));
        }
        for n in numbers {
            assert_eq!(base.product(base.valuation(n)).and_then(|p| p.as_number()), Some(n));
        }
    }

    #[test]
    fn numbers_read_like_numbers() {
        let base = Base::new([30, 4], vec!["N".into(), "M".into()]);
        let symbol = base.len() as u32 - 2;
        let mut v = base.valuation(30).clone();
        add_scaled(&mut v, -1, base.valuation(4));
        assert_eq!(base.exact(&v).to_string(), "15/2");
        assert_eq!(base.exact(&[]).to_string(), "1");
        assert_eq!(base.exact(&[(0, 200), (1, 1)]).to_string(), "2^200 * 3");
        assert_eq!(base.root([(0, 5, 2)]).to_string(), "2^(5/2)");
        assert_eq!(base.exact(&[(0, -8), (1, 1), (symbol, 1)]).to_string(), "3*N/256");
        assert_eq!(base.exact(&[(0, -1), (symbol, 2), (symbol + 1, -1)]).to_string(), "N^2/(2*M)");
        assert_eq!(base.root([(0, 1, 1), (symbol, 1, 2)]).to_string(), "2 * N^(1/2)");
    }
}
