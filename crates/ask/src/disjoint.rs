//! Whether two accesses meet.

use crate::AskError;
use crate::answer::{Answer, Values};
use crate::digits::each_once;
use crate::points::{Point, Points};
use quaff::Simplifier;
use quaff::domain::{Bounds, Domain};
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, var};
use rustc_hash::FxHashMap;

/// Whether two accesses have no address in common, whatever their inputs are; all other variables are the same for both. Two points with one address show
/// that they meet.
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
/// [`AskError::Twice`] for an input that is given twice; those of [`Simplifier::simplify`].
pub fn disjoint(
    simplifier: &Simplifier,
    a: &Expr,
    b: &Expr,
    inputs: &[&str],
    domain: &Domain,
) -> Result<Answer<[Values; 2]>, AskError> {
    each_once(inputs)?;
    let other = |name: &str| format!("{name} of the other access");
    let renamed = |e: &Expr| {
        let value = |name: &str| inputs.contains(&name).then(|| var(other(name)));
        substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| e.clone())
    };
    let vars = domain.resolve()?;
    let mut both = domain.clone();
    for input in inputs {
        let known = domain.position(input).and_then(|at| vars.get(at));
        let known = known.ok_or_else(|| AskError::Unknown { name: (*input).into() })?;
        both.add_bounds(other(input), known.interval);
        both.add_bounds(
            other(input),
            Bounds::new(known.lower.as_ref().map(&renamed), known.upper.as_ref().map(&renamed)),
        );
        if known.congruence.modulus() > 1 {
            both.add_stride(other(input), known.congruence.modulus(), known.congruence.residue());
        }
    }
    for condition in domain.assumptions() {
        both = both.assume(renamed(condition));
    }
    if simplifier.facts(&both).prove(&a.equals(renamed(b)))? == Some(false) {
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
