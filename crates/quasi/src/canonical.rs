//! The canonical form of a univariate quasi-affine function.

use super::along_one_variable::Along;
use super::period::Period;
use quaff_expr::expr::{EvalError, Expr, UnknownVariable, int, var};
use quaff_expr::integer::{floor_div, floor_mod};

/// The canonical form of a quasi-affine function `f` of one variable. These numbers determine the function on all
/// integers: its least period `L`, its value at -1, and its jumps `J(r) = f(r) - f(r - 1)` for `r` in `0..L`.
///
/// `f(x) = f(-1) + sum over r of J(r) * (floor((x - r)/L) + 1)` for all integers `x`. In the first period `0..L`, the
/// bracket is 1 for `r <= x` and 0 otherwise. From one period to the next, each side grows by the sum of all jumps. The
/// jumps and the value at -1 are determined by `f`, and the least period is unique. Two expressions are therefore equal
/// on all integers exactly if their canonical forms are `==`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Canonical {
    before: i128,
    jumps: Vec<i128>,
}

/// The reason why an expression has no [`Canonical`] form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonicalError {
    /// The expression has another variable.
    #[error("`{}` is a second variable", .0.name)]
    SecondVariable(#[from] UnknownVariable),
    /// The expression is not quasi-periodic.
    #[error("the expression is not quasi-affine")]
    NotQuasiAffine,
    /// The period of the expression is longer than [`Canonical::MAX_PERIOD`].
    #[error("the period {length} is longer than {}", Canonical::MAX_PERIOD)]
    TooLong {
        /// The period.
        length: i128,
    },
    /// The number of combinations of residues of all symbols is above the limit. A symbol is a variable along which the
    /// function is not tabulated.
    #[error("its symbols have {count} residues together, and {limit} are looked at")]
    TooManyResidues {
        /// The number of combinations.
        count: i128,
        /// The limit.
        limit: i128,
    },
    /// The expression has no value at some point of its first period.
    #[error(transparent)]
    Undefined(#[from] EvalError),
}

impl Canonical {
    /// The longest period that is tabulated: 1,048,576 values.
    pub const MAX_PERIOD: i128 = 1 << 20;

    /// Computes the canonical form of `expr` as a function of `variable`.
    ///
    /// The time is the period, before it is made minimal, times the number of nodes of `expr`.
    ///
    /// # Errors
    /// [`CanonicalError`] if `expr` has another variable, no period, a period above [`Canonical::MAX_PERIOD`], or no
    /// value at some point of the first period.
    pub fn of(expr: &Expr, variable: &str) -> Result<Canonical, CanonicalError> {
        let along = Along::new(std::slice::from_ref(expr), variable)?;
        let period = Period::of(expr, variable).ok_or(CanonicalError::NotQuasiAffine)?;
        if period.length > Canonical::MAX_PERIOD {
            return Err(CanonicalError::TooLong { length: period.length });
        }
        // the first entry is the value at -1 until the first jump replaces it
        let mut jumps = Vec::with_capacity(period.length as usize + 1);
        let mut last = 0;
        along.each(-1, period.length as u64 + 1, |_, values| {
            let value = values.first().copied().unwrap_or(Ok(0))?;
            // the limit keeps every sum of jumps within 128 bits
            if value.unsigned_abs() >= 1 << 125 {
                return Err(CanonicalError::Undefined(EvalError::Overflow));
            }
            jumps.push(value - last);
            last = value;
            Ok(())
        })?;
        let before = jumps.remove(0);
        shorten(&mut jumps);
        Ok(Canonical { before, jumps })
    }

    /// The function with the value `before` at -1 and the repeated jumps `jumps`. `None` if there are no jumps or more
    /// than [`Canonical::MAX_PERIOD`], or if a number has more than 100 bits. The time is linear, apart from finding
    /// the least period.
    pub fn from_jumps(before: i128, mut jumps: Vec<i128>) -> Option<Canonical> {
        let short = |n: &i128| n.unsigned_abs() < 1 << 100;
        if jumps.is_empty()
            || jumps.len() as i128 > Canonical::MAX_PERIOD
            || !short(&before)
            || !jumps.iter().all(short)
        {
            return None;
        }
        shorten(&mut jumps);
        Some(Canonical { before, jumps })
    }

    /// The least period.
    pub fn period(&self) -> i128 {
        self.jumps.len() as i128
    }

    /// The change of the value over one period, as a fraction. This is [`Period::slope`] for the least period.
    pub fn slope(&self) -> (i128, i128) {
        Period { length: self.period(), rise: self.jumps.iter().sum() }.slope()
    }

    /// The value at -1.
    pub fn before_zero(&self) -> i128 {
        self.before
    }

    /// The jumps `f(r) - f(r - 1)` for `r` in `0..period`.
    pub fn jumps(&self) -> &[i128] {
        &self.jumps
    }

    /// The value at `x`. `None` if it exceeds 128 bits. The time is proportional to the period.
    pub fn value(&self, x: i128) -> Option<i128> {
        let (q, r) = (floor_div(x, self.period()), floor_mod(x, self.period()));
        let whole = self.jumps.iter().sum::<i128>().checked_mul(q)?;
        let part: i128 = self.jumps.iter().take(r as usize + 1).sum();
        self.before.checked_add(whole)?.checked_add(part)
    }

    /// The expression `f(L - 1) + sum of J(r) * ((variable - r)//L)` over the jumps that are not 0. It is not
    /// simplified. `None` if a number does not fit in 64 bits.
    pub fn to_expr(&self, variable: &str) -> Option<Expr> {
        let end = self.before + self.jumps.iter().sum::<i128>();
        let period = i64::try_from(self.period()).ok()?;
        let mut sum = int(i64::try_from(end).ok()?);
        for (r, jump) in (0..period).zip(&self.jumps) {
            if *jump != 0 {
                let term = (var(variable) - int(r)).floor_div(int(period));
                sum = sum + int(i64::try_from(*jump).ok()?) * term;
            }
        }
        Some(sum)
    }
}

/// Cuts a repeating sequence to its least period.
///
/// The greatest common divisor of two periods is a period, too. It is therefore enough to divide the length by one
/// prime after the other.
fn shorten(jumps: &mut Vec<i128>) {
    let mut rest = jumps.len();
    let mut prime = 2;
    while rest > 1 {
        if prime * prime > rest {
            prime = rest;
        }
        let part = |n: usize, by: usize| floor_div(n as i128, by as i128) as usize;
        while part(rest, prime) * prime == rest {
            rest = part(rest, prime);
            let shorter = part(jumps.len(), prime);
            if (shorter..jumps.len()).all(|i| jumps[i] == jumps[i - shorter]) {
                jumps.truncate(shorter);
            }
        }
        prime += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Canonical, CanonicalError};
    use quaff_expr::expr::Expr;

    fn of(text: &str) -> Result<Canonical, CanonicalError> {
        Canonical::of(&text.parse::<Expr>().expect(text), "x")
    }

    #[test]
    fn the_key_is_the_function() {
        assert_eq!(of("x//2 + (x + 1)//2"), of("x"));
        assert_eq!(of("x - 6*(x//6)"), of("x%6"));
        assert_eq!(of("x//2//3"), of("x//6"));
        assert_ne!(of("x//2 + x//3"), of("5*x//6"));
        assert_ne!(of("x"), of("x + 1"));
        assert_eq!(of("x%6 - x%3 - 3*(x//3%2)").map(|c| c.period()), Ok(1));
        assert_eq!(of("x%12//4").map(|c| (c.period(), c.slope())), Ok((12, (0, 1))));
        assert_eq!(of("7*x//12").map(|c| (c.period(), c.slope())), Ok((12, (7, 12))));
    }

    #[test]
    fn values_and_text_agree_with_the_expression() {
        for text in ["x//2 + 3*(x%5) - 7", "(x + 3)//4 - x", "5", "(x//2)%3*4 - 11*x//6"] {
            let (e, canonical) = (text.parse::<Expr>().expect(text), of(text).expect(text));
            let back = canonical.to_expr("x").expect(text);
            for x in -60..60 {
                let value = e.eval(|_| Some(x)).expect(text);
                assert_eq!(canonical.value(i128::from(x)), Some(value), "{text} at {x}");
                assert_eq!(back.eval(|_| Some(x)), Ok(value), "{back} at {x}");
            }
        }
    }

    #[test]
    fn what_has_no_key_says_why() {
        assert!(matches!(of("x + y"), Err(CanonicalError::SecondVariable(u)) if &*u.name == "y"));
        assert_eq!(of("x*x"), Err(CanonicalError::NotQuasiAffine));
        assert_eq!(of("x//1048577"), Err(CanonicalError::TooLong { length: 1_048_577 }));
        assert!(matches!(of("1//(x%2)"), Err(CanonicalError::Undefined(_))));
    }
}
