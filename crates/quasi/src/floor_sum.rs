//! Writes functions of one variable as sums of few quotients.

use super::balanced::balanced;
use super::canonical::{Canonical, CanonicalError};
use super::parsimony::{chains, fewest, steps};
use num_rational::Ratio;
use quaff_expr::expr::sum::written;
use quaff_expr::expr::{EvalError, Expr, int, var};
use quaff_expr::integer::{floor_div, floor_mod, gcd};

/// The longest period of functions for which a sum of few terms is searched: 4,096.
const PERIOD: usize = 1 << 12;
/// Jumps and values must be below this limit, so that no number of a form exceeds 128 bits.
const JUMP: u128 = 1 << 90;
/// The most chains of divisors that are tried: 64. A chain is a list of divisors of the period in which each divides
/// the next one. A period up to 4,096 has more chains only if it has many different primes.
const CHAINS: usize = 64;
/// The most jumps that the search for a first term whose divisor is on no chain may visit: 4,194,304.
const AHEAD: usize = 1 << 22;

/// The term `factor * ((slope*x + offset) // divisor)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloorTerm {
    /// The factor of the quotient, which is not 0.
    pub factor: i128,
    /// The factor of the variable. It is not 0, and it is coprime to the divisor.
    pub slope: i128,
    /// The number that is added to the product of slope and variable, in `0..divisor`.
    pub offset: i128,
    /// The divisor, which is at least 1. With the divisor 1, the term is a multiple of the variable.
    pub divisor: i128,
}

impl FloorTerm {
    /// The average change for one step of the variable.
    pub fn rate(&self) -> Ratio<i128> {
        // the product stays within 128 bits, because all numbers of a sum have at most 90 bits
        Ratio::new(self.factor, self.divisor) * self.slope
    }

    fn value(&self, x: i128) -> Option<i128> {
        let numerator = self.slope.checked_mul(x)?.checked_add(self.offset)?;
        floor_div(numerator, self.divisor).checked_mul(self.factor)
    }
}

/// A sum `constant + sum of factor * ((slope*x + offset) // divisor)`, for all integers `x`.
///
/// Every quasi-affine function of one variable is such a sum, even if its expression has quotients of quotients. The
/// simplest such sum has one term for each jump of the function's [`Canonical`] form. A `FloorSum` usually has fewer
/// terms:
///
/// - Take a chain of divisors of the period in which each divides the next one. The divisors of all terms are on such a
///   chain, and no other chain has a sum with fewer terms. For periods that are powers of a prime, no sum of terms
///   `k*((x + b)//d)` with `d` a divisor of the period has fewer terms.
/// - For periods that are not powers of a prime, the first term may have a divisor that is on no chain.
/// - If the jumps have two values that are spread evenly, the sum is one term `k*((a*x + b)//d)` and a multiple of `x`.
///
/// A sum with the fewest terms is not always the cheapest: `x%8` is one instruction, and `x - x//8*8` is three.
///
/// ```
/// use quaff_quasi::FloorSum;
///
/// let of = |text: &str| FloorSum::of(&text.parse().unwrap(), "x").unwrap();
/// assert_eq!(of("(x//2)//3 + (x + 5)%6").to_expr("x").unwrap().to_string(), "x + x//6 - (x + 5)//6*6 + 5");
/// assert_eq!(of("(x + x//2 + x%2)//2 + 4").to_expr("x").unwrap().to_string(), "(x*3 + 1)//4 + 4");
/// # Ok::<(), quaff_quasi::CanonicalError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FloorSum {
    constant: i128,
    terms: Vec<FloorTerm>,
}

impl FloorSum {
    /// Writes `expr`, a function of `variable`, as a sum of few terms.
    ///
    /// # Errors
    /// [`CanonicalError`], for the same reasons as in [`Canonical::of`]. Also [`CanonicalError::TooLong`] for a least
    /// period above 4,096, and an overflow error for values of more than 90 bits.
    pub fn of(expr: &Expr, variable: &str) -> Result<FloorSum, CanonicalError> {
        let canonical = Canonical::of(expr, variable)?;
        FloorSum::fewest(&canonical).ok_or(match canonical.period() {
            length if length > PERIOD as i128 => CanonicalError::TooLong { length },
            _ => CanonicalError::Undefined(EvalError::Overflow),
        })
    }

    /// Writes the same function with few terms. `None` for a period above 4,096, or for values of more than 90 bits.
    ///
    /// Apart from sorting, the time is the number of chains of divisors (at most 64), times the period, times the
    /// number of its prime factors. The search for a first term outside of all chains visits at most 4,194,304 jumps.
    pub fn fewest(canonical: &Canonical) -> Option<FloorSum> {
        let jumps = canonical.jumps();
        let short = |n: &i128| n.unsigned_abs() < JUMP;
        if jumps.len() > PERIOD || !short(&canonical.before_zero()) || !jumps.iter().all(short) {
            return None;
        }
        let chains = chains(jumps.len(), CHAINS);
        let (mut count, mut chain) = shortest(jumps, &chains)?;
        let mut first = None;
        // a first term with a divisor outside of the chain must save more than the one term that it adds
        if chains.len() > 1 && count > 2 {
            (first, count, chain) = ahead(jumps, &chains, count, chain);
        }
        let mut sum = FloorSum { constant: canonical.before_zero(), terms: Vec::new() };
        if let Some(b) =
            balanced(jumps).filter(|b| 1 + usize::from(b.linear != 0) < count || count > 1 && b.linear == 0)
        {
            sum.add(b.linear, 1, 0, 1)?;
            sum.add(b.height, b.slope, b.offset, jumps.len() as i128)?;
            return Some(sum);
        }
        let mut rest = jumps.to_vec();
        if let Some(Coset { height, residue, divisor }) = first {
            rest.iter_mut().skip(residue).step_by(divisor).for_each(|j| *j -= height);
            sum.add(height, 1, -(residue as i128), divisor as i128)?;
        }
        for step in steps(&rest, chain) {
            sum.add(step.height, 1, -(step.residue as i128), step.divisor as i128)?;
        }
        sum.terms.sort_by_key(|t| (t.divisor, t.offset, t.slope));
        Some(sum)
    }

    /// Adds a term, and changes the constant so that the value at -1 stays the same.
    fn add(&mut self, factor: i128, slope: i128, offset: i128, divisor: i128) -> Option<()> {
        if factor == 0 || slope == 0 {
            return Some(());
        }
        let (slope, offset, divisor) = reduced(slope, offset, divisor);
        let offset = floor_mod(offset, divisor);
        let term = FloorTerm { factor, slope, offset, divisor };
        self.constant = self.constant.checked_sub(term.value(-1)?)?;
        self.terms.push(term);
        Some(())
    }

    /// The function minus its value at 0.
    pub(super) fn vanishing_at_zero(self) -> Option<FloorSum> {
        let constant = self.constant.checked_sub(self.value(0)?)?;
        Some(FloorSum { constant, ..self })
    }

    /// The constant of the sum.
    pub fn constant(&self) -> i128 {
        self.constant
    }

    /// The terms in ascending order of their divisors.
    pub fn terms(&self) -> &[FloorTerm] {
        &self.terms
    }

    /// The average change for one step of the variable.
    pub fn slope(&self) -> Ratio<i128> {
        self.terms.iter().map(FloorTerm::rate).sum()
    }

    /// The value at `x`. `None` if it exceeds 128 bits.
    pub fn value(&self, x: i128) -> Option<i128> {
        self.terms.iter().try_fold(self.constant, |sum, t| sum.checked_add(t.value(x)?))
    }

    /// The sum as an expression over `variable`, not simplified. `None` if a number exceeds 64 bits.
    pub fn to_expr(&self, variable: &str) -> Option<Expr> {
        let term = |t: &FloorTerm| Some((quotient(variable, t.slope, t.offset, t.divisor)?, short(t.factor)?));
        let terms = self.terms.iter().map(term).collect::<Option<Vec<_>>>()?;
        Some(written(terms.into_iter().chain([(int(1), short(self.constant)?)])))
    }

    /// The digits into which the sum splits the variable, if the sum is `s*x + sum of c_k*(x//d_k)` plus a constant and
    /// each `d_k` divides the next one. Each digit has a boundary and a stride, and the first boundary is 1. Between
    /// the boundaries `d` and `d'`, a step of `d` adds the stride.
    ///
    /// ```
    /// use quaff_quasi::FloorSum;
    ///
    /// let sum = FloorSum::of(&"i%8*32 + i//8".parse().unwrap(), "i").unwrap();
    /// assert_eq!(sum.digits(), Some(vec![(1, 32), (8, 1)]));
    /// ```
    pub fn digits(&self) -> Option<Vec<(i128, i128)>> {
        let mut digits: Vec<(i128, i128)> = vec![(1, 0)];
        let mut sorted = self.terms.clone();
        sorted.sort_by_key(|t| t.divisor);
        for term in sorted {
            let (below, stride) = *digits.last()?;
            if term.slope != 1 || term.offset != 0 || floor_mod(term.divisor, below) != 0 {
                return None;
            }
            let stride = stride.checked_mul(floor_div(term.divisor, below))?.checked_add(term.factor)?;
            match term.divisor == below {
                true => *digits.last_mut()? = (below, stride),
                false => digits.push((term.divisor, stride)),
            }
        }
        Some(digits)
    }
}

fn short(n: i128) -> Option<i64> {
    i64::try_from(n).ok()
}

/// Divides slope, offset and divisor of the quotient `(slope*x + offset)//divisor` by the common divisor of slope and
/// divisor, which is not 0. This is valid because floor divisions compose: `e//(g*d)` is `(e//g)//d`.
pub(super) fn reduced(slope: i128, offset: i128, divisor: i128) -> (i128, i128, i128) {
    let common = gcd(slope, divisor);
    (floor_div(slope, common), floor_div(offset, common), floor_div(divisor, common))
}

/// The expression `(slope*variable + offset)//divisor`. `None` if a number exceeds 64 bits.
pub(crate) fn quotient(variable: &str, slope: i128, offset: i128, divisor: i128) -> Option<Expr> {
    let numerator = written([(var(variable), short(slope)?), (int(1), short(offset)?)]);
    Some(if divisor == 1 { numerator } else { numerator.floor_div(int(short(divisor)?)) })
}

/// All numbers with one residue, and the height of the step at each of them.
#[derive(Clone, Copy, Debug)]
struct Coset {
    height: i128,
    residue: usize,
    divisor: usize,
}

/// The chain with the fewest terms, and the number of terms.
fn shortest<'a>(jumps: &[i128], chains: &'a [Vec<usize>]) -> Option<(usize, &'a [usize])> {
    let of = |chain: &'a Vec<usize>| (fewest(jumps, chain), &chain[..]);
    chains.iter().map(of).min_by_key(|(count, _)| *count)
}

/// A first term whose divisor is outside of the chain and that makes the total number of terms smaller, if there is
/// one. Returns this term, the total number of terms and the chain of the other terms.
fn ahead<'a>(
    jumps: &[i128],
    chains: &'a [Vec<usize>],
    count: usize,
    chain: &'a [usize],
) -> (Option<Coset>, usize, &'a [usize]) {
    let length = jumps.len();
    let divisors: Vec<usize> = (1..=length).filter(|d| length.is_multiple_of(*d)).collect();
    let mut values: Vec<i128> = jumps.to_vec();
    values.push(0);
    values.sort_unstable();
    values.dedup();
    let mut heights: Vec<i128> = values.iter().flat_map(|a| values.iter().map(move |b| a - b)).collect();
    heights.sort_unstable();
    heights.dedup();
    heights.retain(|h| *h != 0);
    let cosets = divisors.iter().sum::<usize>().saturating_mul(heights.len());
    if cosets.saturating_mul(chains.len()).saturating_mul(length) > AHEAD {
        return (None, count, chain);
    }
    let mut best = (None, count, chain);
    let mut rest = jumps.to_vec();
    for divisor in divisors {
        for residue in 0..divisor {
            for height in heights.iter().copied() {
                rest.iter_mut().skip(residue).step_by(divisor).for_each(|j| *j -= height);
                if let Some((others, along)) = shortest(&rest, chains).filter(|(n, _)| n + 1 < best.1) {
                    best = (Some(Coset { height, residue, divisor }), others + 1, along);
                }
                rest.iter_mut().skip(residue).step_by(divisor).for_each(|j| *j += height);
            }
        }
    }
    best
}
