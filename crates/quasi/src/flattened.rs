//! Writes functions of one variable as sums of quotients. Other variables, called symbols, are constant along that
//! variable.

use super::by_variable::separated;
use super::canonical::{Canonical, CanonicalError};
use super::decide::equivalent;
use super::floor_sum::FloorSum;
use super::period::Period;
use super::verdict::Verdict;
use quaff_expr::domain::Domain;
use quaff_expr::expr::substitute::{substituted, substituted_all};
use quaff_expr::expr::sum::written;
use quaff_expr::expr::{Expr, int, var};
use quaff_expr::integer::{floor_div, floor_mod};
use std::sync::Arc;

/// The most combinations of residues of all symbols: 64. The function of the variable is tabulated for each
/// combination.
const CASES: i128 = 64;

/// A quasi-affine function of a variable and of symbols. A symbol is constant along the variable, such as the index of
/// a block.
///
/// If each symbol is replaced by a number, the result is a function of one variable, which has a [`Canonical`] form.
/// Only the residue of a symbol `p` of period `L` matters: `f(x, p + L)` equals `f(x, p)` plus a constant. The type
/// therefore holds one form for each residue. If these forms are shifts of one another, a single sum covers all
/// residues, with the symbols inside its quotients.
///
/// ```
/// use quaff_quasi::Flattened;
///
/// let of = |text: &str| Flattened::of(&text.parse().unwrap(), "x");
/// let flat = of("((x + p)//2)//3 + 2*p")?;
/// assert_eq!(flat.sum().unwrap().to_string(), "(x + p)//6 + p*2");
/// // the residue of `p` says which terms there are
/// let flat = of("(x + p//2)//2")?;
/// assert!(flat.sum().is_none());
/// let sums: Vec<String> = flat.cases().iter().map(|c| c.sum("x").unwrap().to_string()).collect();
/// assert_eq!(sums, ["x//2 + p//4", "x//2 + p//4", "(x + 1)//2 + p//4", "(x + 1)//2 + p//4"]);
/// # Ok::<(), quaff_quasi::CanonicalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Flattened {
    symbols: Vec<(Arc<str>, Period)>,
    cases: Vec<Case>,
    sum: Option<Expr>,
}

/// The function for one combination of residues of the symbols.
#[derive(Clone, Debug)]
pub struct Case {
    residues: Vec<i128>,
    canonical: Canonical,
    fewest: Option<FloorSum>,
    /// The part of the function that depends only on symbols. It is added outside of the sum of quotients.
    rest: Option<Expr>,
}

impl Flattened {
    /// Reads `expr` as a function of `variable`. All other variables are symbols, which may be any integers.
    ///
    /// # Errors
    /// [`CanonicalError`], for the same reasons as in [`Canonical::of`]. Also [`CanonicalError::NotQuasiAffine`] if a
    /// symbol has no period, and [`CanonicalError::TooManyResidues`] if the product of the periods of all symbols is
    /// above 64.
    pub fn of(expr: &Expr, variable: &str) -> Result<Flattened, CanonicalError> {
        let mut symbols: Vec<(Arc<str>, Period)> = Vec::new();
        for name in expr.variables().into_iter().filter(|name| &**name != variable) {
            let period = Period::of(expr, &name).ok_or(CanonicalError::NotQuasiAffine)?;
            symbols.push((name, period));
        }
        let count = symbols.iter().try_fold(1_i128, |n, (_, p)| n.checked_mul(p.length)).unwrap_or(i128::MAX);
        if count > CASES {
            return Err(CanonicalError::TooManyResidues { count, limit: CASES });
        }
        let cases = (0..count).map(|number| Case::new(expr, variable, &symbols, number));
        let cases = cases.collect::<Result<Vec<Case>, CanonicalError>>()?;
        let sum = joined(expr, variable, &symbols, &cases)?;
        Ok(Flattened { symbols, cases, sum })
    }

    /// The symbols, and the period of each.
    pub fn symbols(&self) -> &[(Arc<str>, Period)] {
        &self.symbols
    }

    /// One case for each combination of residues of the symbols. The last symbol changes fastest. Without symbols there
    /// is a single case.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// One sum of quotients for all values of the symbols, with the symbols inside. `None` if no single sum covers all
    /// residues.
    pub fn sum(&self) -> Option<&Expr> {
        self.sum.as_ref()
    }
}

impl Case {
    fn new(expr: &Expr, variable: &str, symbols: &[(Arc<str>, Period)], number: i128) -> Result<Case, CanonicalError> {
        let mut left = number;
        let mut residues: Vec<i128> = Vec::with_capacity(symbols.len());
        for (_, period) in symbols.iter().rev() {
            residues.push(floor_mod(left, period.length));
            left = floor_div(left, period.length);
        }
        residues.reverse();
        // a residue is below the number of cases, which is at most 64, so it fits
        let at =
            |name: &str| symbols.iter().zip(&residues).find(|((s, _), _)| &**s == name).map(|(_, r)| int(*r as i64));
        let own = substituted_all(std::slice::from_ref(expr), at).remove(0);
        let canonical = Canonical::of(&own, variable)?;
        let risen = symbols.iter().filter(|(_, period)| period.rise != 0).map(|(name, period)| {
            let length = i64::try_from(period.length).ok()?;
            let quotient = if length == 1 { var(name.clone()) } else { var(name.clone()).floor_div(length) };
            Some((quotient, i64::try_from(period.rise).ok()?))
        });
        // if the rise of a symbol exceeds 64 bits, there is no sum
        let risen = risen.collect::<Option<Vec<(Expr, i64)>>>();
        let fewest = risen.as_ref().and_then(|_| FloorSum::fewest(&canonical));
        let rest = risen.filter(|terms| !terms.is_empty()).map(written);
        Ok(Case { residues, canonical, fewest, rest })
    }

    /// The residue of each symbol.
    pub fn residues(&self) -> &[i128] {
        &self.residues
    }

    /// The function of the variable with each symbol replaced by its residue.
    pub fn canonical(&self) -> &Canonical {
        &self.canonical
    }

    /// The same function as a sum of few quotients. `None` for a period above 4,096.
    pub fn fewest(&self) -> Option<&FloorSum> {
        self.fewest.as_ref()
    }

    /// The function for all symbols with these residues, as an expression. `None` if there is no sum of few quotients,
    /// or if a number exceeds 64 bits.
    pub fn sum(&self, variable: &str) -> Option<Expr> {
        let own = self.fewest.as_ref()?.to_expr(variable)?;
        Some(match &self.rest {
            None => own,
            Some(rest) if own.as_const() == Some(0) => rest.clone(),
            Some(rest) => own + rest.clone(),
        })
    }
}

/// A single sum for all cases: the sum of the first case with a shifted variable, plus one function of each symbol.
/// `None` if there is no such sum.
fn joined(
    expr: &Expr,
    variable: &str,
    symbols: &[(Arc<str>, Period)],
    cases: &[Case],
) -> Result<Option<Expr>, CanonicalError> {
    let Some(first) = cases.first() else { return Ok(None) };
    let Some(at_zero) = first.fewest.as_ref().and_then(|sum| sum.to_expr(variable)) else { return Ok(None) };
    if symbols.is_empty() {
        return Ok(Some(at_zero));
    }
    let mut best: Option<(usize, Expr)> = None;
    for shift in shifts(symbols, cases) {
        let moves = symbols.iter().zip(&shift).filter(|(_, c)| **c != 0).map(|((name, _), c)| (var(name.clone()), *c));
        let moved = written(std::iter::once((var(variable), 1)).chain(moves));
        let shifted = substituted(&at_zero, variable, &moved);
        // the function minus the shifted sum must be a sum of functions of one symbol each
        let own = |e: &Expr| substituted(e, variable, &int(0));
        let difference = own(expr) - own(&shifted);
        let names: Vec<&str> = symbols.iter().map(|(name, _)| &**name).collect();
        let Ok(Some(sums)) = separated(&difference, &names) else { continue };
        let texts = sums.iter().zip(&names).map(|(sum, name)| sum.to_expr(name)).collect::<Option<Vec<Expr>>>();
        let Some(texts) = texts else { continue };
        let is_zero = |e: &Expr| e.as_const() == Some(0);
        let parts = std::iter::once(shifted).chain(texts).filter(|e| !is_zero(e));
        let whole = parts.reduce(|a, b| a + b).unwrap_or_else(|| int(0));
        let domain = names.iter().chain([&variable]).fold(Domain::new(), |d, v| d.with(Arc::<str>::from(*v), ..));
        let count = sums.iter().map(|s| s.terms().len()).sum();
        if best.as_ref().is_none_or(|(least, _)| count < *least) && equivalent(expr, &whole, &domain) == Verdict::Equal
        {
            best = Some((count, whole));
        }
    }
    Ok(best.map(|(_, sum)| sum))
}

/// For each symbol, the amounts by which it shifts the variable, if the jumps of every case are those of the first case
/// shifted. The two smallest shifts of each symbol are tried.
fn shifts(symbols: &[(Arc<str>, Period)], cases: &[Case]) -> Vec<Vec<i64>> {
    const SHIFTS: usize = 16;
    let Some(first) = cases.first().map(|case| case.canonical.jumps()) else { return Vec::new() };
    let length = first.len();
    let is_moved = |jumps: &[i128], by: usize| {
        jumps.len() == length && (0..length).all(|k| jumps[k] == first[(k + by).checked_rem(length).unwrap_or(0)])
    };
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for (place, (_, period)) in symbols.iter().enumerate() {
        let mut by = 0;
        if period.length > 1 {
            let is_one = |case: &&Case| case.residues.iter().enumerate().all(|(p, r)| *r == i128::from(p == place));
            let Some(one) = cases.iter().find(is_one) else { return Vec::new() };
            let Some(found) = (0..length).find(|by| is_moved(one.canonical.jumps(), *by)) else { return Vec::new() };
            by = found as i64;
        }
        let ways: &[i64] = if by == 0 { &[0] } else { &[by, by - length as i64] };
        all = all
            .iter()
            .flat_map(|s| ways.iter().map(|w| s.iter().copied().chain([*w]).collect()))
            .take(SHIFTS)
            .collect();
    }
    all
}
