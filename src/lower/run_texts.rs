//! Compares generated code with the expressions that it computes, at points of a domain.

use super::Fault;
use crate::domain::{Domain, DomainError, Points};
use crate::expr::{Expr, Program};
use std::fmt;
use std::sync::Arc;

/// The number of points that are tried, and the seed of the random points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// The largest number of points, 512 by default.
    pub points: u32,
    /// The seed of the random points.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling { points: 512, seed: 0x71a5_1aff }
    }
}

/// The result of comparing code with expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compared {
    /// The number of points at which the expressions have values and the code returned the same values.
    pub points: u64,
    /// The first point at which the code differs from the expressions.
    pub mismatch: Option<Mismatch>,
}

/// A point at which the code returns another value than the expression, or no value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The variables and their values, in the order of the domain.
    pub values: Vec<(Arc<str>, i64)>,
    /// The position, among the expressions, of the one for which the code differs.
    pub root: usize,
    /// The value of the expression.
    pub wanted: i128,
    /// The value that the code returns, or its fault.
    pub found: Result<i128, Fault>,
}

impl fmt::Display for Mismatch {
    /// Writes text such as `x = 3, y = 0: 7 but 8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let (point, colon) = (values.join(", "), if values.is_empty() { "" } else { ": " });
        match &self.found {
            Ok(found) => write!(f, "{point}{colon}{} but {found}", self.wanted),
            Err(fault) => write!(f, "{point}{colon}{} but {fault}", self.wanted),
        }
    }
}

/// Compares `code`, a function of the variables of `domain` in their order, with the values of `meaning`. The points
/// are points of `domain` at which all variables of `meaning` have values. If an expression of `meaning` has no value
/// at a point, the code may return any value there. Values that the code returns beyond those of `meaning` are ignored.
///
/// # Errors
/// [`DomainError`] when the domain contradicts itself, or `meaning` mentions an undeclared variable.
pub fn compare(
    meaning: &[Expr],
    domain: &Domain,
    sampling: Sampling,
    code: impl Fn(&[i64]) -> Result<Vec<i128>, Fault>,
) -> Result<Compared, DomainError> {
    let names: Vec<Arc<str>> = domain.vars().map(Arc::from).collect();
    let order: Vec<&str> = names.iter().map(|n| &**n).collect();
    let program = Program::new(meaning, &order).map_err(|e| DomainError::NotDeclared { name: e.name })?;
    let (mut compared, mut buffer) = (Compared { points: 0, mismatch: None }, Vec::new());
    for point in Points::new(&domain.seen_from(meaning), sampling.seed)?.take(sampling.points as usize) {
        let wide: Vec<i128> = point.iter().copied().map(i128::from).collect();
        let Ok(wanted) = program.eval_into(&wide, &mut buffer).collect::<Result<Vec<i128>, _>>() else { continue };
        let found = code(&point);
        let found_at = |root: usize| match &found {
            Ok(found) => found.get(root).copied().ok_or(Fault::NoValue),
            Err(fault) => Err(fault.clone()),
        };
        let differs = wanted.iter().enumerate().find(|&(root, w)| found_at(root) != Ok(*w));
        let Some((root, &wanted)) = differs else {
            compared.points += 1;
            continue;
        };
        let values = names.iter().cloned().zip(point).collect();
        compared.mismatch = Some(Mismatch { values, root, wanted, found: found_at(root) });
        break;
    }
    Ok(compared)
}
