//! The canonical form of a univariate quasi-affine function.

use super::along_one_variable::Along;
use super::period::Period;
use quaff_expr::expr::{EvalError, Expr, UnknownVariable, int, var};
use quaff_expr::integer::{floor_div, floor_mod};

/// What determines a quasi-affine function of one variable on all integers: its least period `L`, its value at -1, and
/// its jumps `J(r) = f(r) - f(r - 1)` for `r` in `0..L`.
///
/// `f(x) = f(-1) + sum over r of J(r) * (floor((x - r)/L) + 1)` for all integers `x`: the bracket is 1 for `r <= x` and 0
/// otherwise on the first period, and both sides gain the sum of all jumps with each further one. Jumps and value are
/// values of `f`, and the least period is unique, so two expressions are equal on all integers exactly when their
/// canonical forms are `==`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Canonical {
    before: i128,
    jumps: Vec<i128>,
}

/// Why an expression has no [`Canonical`] form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CanonicalError {
    /// It has another variable.
    #[error("`{}` is a second variable", .0.name)]
    SecondVariable(#[from] UnknownVariable),
    /// It is not quasi-periodic.
    #[error("the expression is not quasi-affine")]
    NotQuasiAffine,
    /// Its period is longer than [`Canonical::MAX_PERIOD`].
    #[error("the period {length} is longer than {}", Canonical::MAX_PERIOD)]
    TooLong {
        /// The period.
        length: i128,
    },
    /// Its symbols have more residues together than are looked at.
    #[error("its symbols have {count} residues together, and {limit} are looked at")]
    TooManyResidues {
        /// How many there are.
        count: i128,
        /// The limit.
        limit: i128,
    },
    /// It has no value somewhere in its first period.
    #[error(transparent)]
    Undefined(#[from] EvalError),
}

impl Canonical {
    /// The longest period that is tabulated: 1,048,576 values.
    pub const MAX_PERIOD: i128 = 1 << 20;

    /// The canonical form of `expr` as a function of `variable`.
    ///
    /// Time: the period (before it is made minimal) times the nodes of `expr`.
    ///
    /// # Errors
    /// [`CanonicalError`] when there is another variable, no period, one above [`Canonical::MAX_PERIOD`], or a point of
    /// the first period at which `expr` has no value.
    pub fn of(expr: &Expr, variable: &str) -> Result<Canonical, CanonicalError> {
        let along = Along::new(std::slice::from_ref(expr), variable)?;
        let period = Period::of(expr, variable).ok_or(CanonicalError::NotQuasiAffine)?;
        if period.length > Canonical::MAX_PERIOD {
            return Err(CanonicalError::TooLong { length: period.length });
        }
        // the value at -1 first, which becomes the first jump
        let mut jumps = Vec::with_capacity(period.length as usize + 1);
        let mut last = 0;
        along.each(-1, period.length as u64 + 1, |_, values| {
            let value = values.first().copied().unwrap_or(Ok(0))?;
            // so that no sum of jumps leaves 128 bits
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

    /// The function with the value `before` at -1 and the jumps `jumps`, again and again. `None` without jumps, with more than
    /// [`Canonical::MAX_PERIOD`], or with a number of more than 100 bits. Linear, beside finding the least period.
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

    /// What one period adds, as [`Period`] with the least length.
    pub fn slope(&self) -> (i128, i128) {
        Period { length: self.period(), rise: self.jumps.iter().sum() }.slope()
    }

    /// The value at -1.
    pub fn before_zero(&self) -> i128 {
        self.before
    }

    /// `f(r) - f(r - 1)` for `r` in `0..period`.
    pub fn jumps(&self) -> &[i128] {
        &self.jumps
    }

    /// The value at `x`, `None` beyond 128 bits. Time: the period.
    pub fn value(&self, x: i128) -> Option<i128> {
        let (q, r) = (floor_div(x, self.period()), floor_mod(x, self.period()));
        let whole = self.jumps.iter().sum::<i128>().checked_mul(q)?;
        let part: i128 = self.jumps.iter().take(r as usize + 1).sum();
        self.before.checked_add(whole)?.checked_add(part)
    }

    /// `f(L - 1) + sum of J(r) * ((variable - r)//L)` over the jumps that are not 0; `None` when a number does not fit
    /// in 64 bits. Built by this formula and not simplified.
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

/// Cuts a sequence that repeats down to its least period.
///
/// The periods that divide the length are closed under gcd, so dividing by one prime after the other reaches the least.
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
