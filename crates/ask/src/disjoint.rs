//! Whether two accesses, such as a load and a store, may have an address in common.

use crate::AskError;
use crate::answer::{Answer, Values};
use crate::others::other_access;
use crate::points::{Point, Points};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use rustc_hash::FxHashMap;

/// Whether two accesses have no address in common. Each access has its own values of the inputs. All other variables
/// have the same values in both accesses. If they overlap, the witness is a pair of points with the same address.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::{Answer, disjoint};
///
/// let ask = |a: &str, b: &str| {
///     let domain = "t=0..31, n=1..64".parse().unwrap();
///     disjoint(&Simplifier::default(), &a.parse().unwrap(), &b.parse().unwrap(), &["t"], &domain).unwrap()
/// };
/// assert_eq!(ask("t*2", "t*2 + 1"), Answer::Yes);
/// assert_eq!(ask("t", "t + 32*n"), Answer::Yes);
/// assert!(matches!(ask("t", "t*t + 5"), Answer::No(_)));
/// ```
///
/// # Errors
/// [`AskError::Twice`] if an input is given twice, [`AskError::Unknown`] if the domain does not have it, and the errors
/// of [`Simplifier::simplify`].
pub fn disjoint(
    simplifier: &Simplifier,
    a: &Expr,
    b: &Expr,
    inputs: &[&str],
    domain: &Domain,
) -> Result<Answer<[Values; 2]>, AskError> {
    let (other, both) = other_access(b, inputs, domain)?;
    if simplifier.facts(&both).prove(&a.equals(other))? == Some(false) {
        return Ok(Answer::Yes);
    }
    let exprs = [a.clone(), b.clone()];
    let Some(points) = Points::of(domain, &exprs, inputs) else { return Ok(Answer::NotProved) };
    let Some(values) = points.values(&exprs) else { return Ok(Answer::NotProved) };
    let mut seen: FxHashMap<(Point, i128), usize> = FxHashMap::default();
    for (at, value) in values.iter().enumerate() {
        seen.entry((points.parameters(&points.all[at], inputs), value[0])).or_insert(at);
    }
    for (at, value) in values.iter().enumerate() {
        if let Some(&first) = seen.get(&(points.parameters(&points.all[at], inputs), value[1])) {
            return Ok(Answer::No([first, at].map(|at| points.named(at))));
        }
    }
    Ok(Answer::Yes)
}
