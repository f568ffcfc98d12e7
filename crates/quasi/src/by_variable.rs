//! Writes functions of several variables as sums of functions of one variable.

use super::canonical::CanonicalError;
use super::decide::equivalent;
use super::floor_sum::FloorSum;
use super::verdict::Verdict;
use quaff_expr::domain::Domain;
use quaff_expr::expr::substitute::substituted_all;
use quaff_expr::expr::{Expr, int};
use std::sync::Arc;

/// Writes `expr` as a sum of functions, each of one variable. Each function is a sum of few quotients. The functions
/// have the order of `variables`, and the first one contains the constant. `None` if `expr` is not such a sum for all
/// integers.
///
/// ```
/// use quaff_quasi::separated;
///
/// let sums = separated(&"(4*x + 2*y)//4 + (y%2 + 3)//4".parse()?, &["x", "y"])?.unwrap();
/// let texts: Vec<String> = sums.iter().zip(["x", "y"]).map(|(s, v)| s.to_expr(v).unwrap().to_string()).collect();
/// assert_eq!(texts, ["x", "(y + 1)//2"]);
/// assert_eq!(separated(&"(x + y)//2".parse()?, &["x", "y"])?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CanonicalError`], for the same reasons as in [`FloorSum::of`], for `expr` as a function of one variable, with 0
/// for the others. Also for a variable that is not in `variables`.
pub fn separated(expr: &Expr, variables: &[&str]) -> Result<Option<Vec<FloorSum>>, CanonicalError> {
    let mut sums: Vec<FloorSum> = Vec::with_capacity(variables.len());
    for variable in variables {
        let others: Vec<&str> = variables.iter().copied().filter(|v| v != variable).collect();
        let at_zero = substituted_all(std::slice::from_ref(expr), |v| others.contains(&v).then(|| int(0)));
        let mut sum = FloorSum::of(&at_zero[0], variable)?;
        // the value at 0 is the same for all variables, so only the first function keeps it
        if !sums.is_empty() {
            sum = match sum.vanishing_at_zero() {
                Some(sum) => sum,
                None => return Ok(None),
            };
        }
        sums.push(sum);
    }
    let terms = sums.iter().zip(variables).map(|(sum, variable)| sum.to_expr(variable));
    let Some(terms) = terms.collect::<Option<Vec<Expr>>>() else { return Ok(None) };
    let whole = terms.into_iter().reduce(|a, b| a + b).unwrap_or_else(|| int(0));
    let domain = variables.iter().fold(Domain::new(), |domain, v| domain.with(Arc::<str>::from(*v), ..));
    Ok((equivalent(expr, &whole, &domain) == Verdict::Equal).then_some(sums))
}
