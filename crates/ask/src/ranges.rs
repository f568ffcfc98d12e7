//! Finds the values that each variable may have under the conditions of a domain.

use crate::AskError;
use crate::digits::each_once;
use crate::points::Points;
use quaff::domain::{Bounds, Congruence, Connected, Domain, DomainError, Interval, VarFacts};
use quaff::expr::{Expr, Op, var};
use quaff::integer::gcd;
use quaff::{Simplifier, SimplifyError};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The most rounds. In each round, the range of each variable is computed again from the ranges of the other variables.
const MOST_ROUNDS: usize = 4;

/// The range and the congruence of a variable.
type Known = (Interval, Congruence);
const UNKNOWN: Known = (Interval::ALL, Congruence::ANY);

/// The values of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableRange {
    /// The variable.
    pub name: Arc<str>,
    /// An interval that contains all values. An end is open if no bound is found. Each end has the residue of the
    /// congruence.
    pub range: Interval,
    /// A congruence that all values satisfy, such as `3 mod 4`. The modulus is 0 if there is only one value.
    pub congruence: Congruence,
    /// Whether both ends of the range are shown to be values of the variable.
    pub has_ends: bool,
}

/// The range of each variable under the conditions of the domain: a box that contains all points, and a congruence of
/// each variable.
///
/// Up to four rounds read the conditions, both as written and in their simplest form. A round takes two e-graph
/// searches for each variable that conditions or ranges connect with `variables`. If the declared ranges or the box
/// have up to 131,072 points, all of them are evaluated, and the result is the smallest such box.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::ranges;
///
/// let domain = "s=-999999..999999, assume s//-3 >= -11, assume s%4 == 3, assume s%6 == 1 and s >= 9".parse()?;
/// let found = ranges(&Simplifier::default(), &["s"], &domain)?;
/// assert_eq!((found[0].range.to_string(), found[0].congruence.modulus()), ("19..31".into(), 12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Twice`] if a variable is given twice, [`AskError::Unknown`] if it is not declared, and the errors of
/// [`Simplifier::simplify`].
pub fn ranges(simplifier: &Simplifier, variables: &[&str], domain: &Domain) -> Result<Vec<VariableRange>, AskError> {
    each_once(variables)?;
    if let Some(name) = variables.iter().find(|name| !domain.contains(name)) {
        return Err(AskError::Unknown { name: (*name).into() });
    }
    let asked: Vec<Expr> = variables.iter().map(|name| var(*name)).collect();
    // simplifying the variables gives an error if the domain has no points
    simplifier.simplify_all(&asked, domain)?;
    let connected = Connected::new(&domain.seen_from(&asked));
    let mut found: Vec<VariableRange> = vec![];
    for own in &asked {
        // variables that no condition or range connects do not narrow each other
        let part = connected.about([own]);
        let names: Vec<&str> = variables.iter().copied().filter(|name| part.contains(name)).collect();
        if found.iter().all(|known| !names.contains(&&*known.name)) {
            found.extend(of_part(simplifier, &names, part)?);
        }
    }
    found.sort_by_key(|known| variables.iter().position(|name| **name == *known.name));
    Ok(found)
}

/// The ranges of variables that conditions or ranges connect with each other.
fn of_part(simplifier: &Simplifier, variables: &[&str], own: Domain) -> Result<Vec<VariableRange>, AskError> {
    let asked: Vec<Expr> = variables.iter().map(|name| var(*name)).collect();
    if let Some(points) = Points::of(&own, &asked, &[]) {
        return of_points(&points, variables, &own);
    }
    let (within, boxed) = narrowed(simplifier, own)?;
    // the box may have few points even if the declared ranges do not
    if let Some(points) = Points::of(&within, &asked, &[]) {
        return of_points(&points, variables, &within);
    }
    let corners = Points::corners(&within, &asked);
    let is_value = |name: &str, end: Option<i64>| {
        let Some((corners, end)) = corners.as_ref().zip(end) else { return false };
        let at = corners.names.iter().position(|own| **own == *name);
        at.is_some_and(|at| corners.all.iter().any(|corner| corner.get(at) == Some(&end)))
    };
    let of = |name: &&str| {
        let (range, congruence) = within.position(name).and_then(|at| boxed.get(at)).copied().unwrap_or(UNKNOWN);
        let has_ends = is_value(name, range.lo()) && is_value(name, range.hi());
        VariableRange { name: (*name).into(), range, congruence, has_ends }
    };
    Ok(variables.iter().map(of).collect())
}

/// The smallest ranges of variables that contain all points.
fn of_points(points: &Points, variables: &[&str], domain: &Domain) -> Result<Vec<VariableRange>, AskError> {
    if points.all.is_empty() {
        let conditions = domain.assumptions().iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        return Err(DomainError::NeverHolds { conditions }.into());
    }
    let of = |name: &&str| {
        let at = points.names.iter().position(|own| **own == **name);
        let values = || points.all.iter().filter_map(|point| point.get(at?).copied());
        let (low, high) = (values().min().unwrap_or(i64::MIN), values().max().unwrap_or(i64::MAX));
        let apart = values().map(|value| i128::from(value) - i128::from(low)).fold(0, gcd);
        let congruence = i64::try_from(apart).map_or(Congruence::ANY, |modulus| Congruence::new(modulus, low));
        let range = Interval::new(low, high).unwrap_or(Interval::ALL);
        VariableRange { name: (*name).into(), range, congruence, has_ends: true }
    };
    Ok(variables.iter().map(of).collect())
}

/// The domain with narrower ranges, and the range and the congruence of each of its variables.
fn narrowed(simplifier: &Simplifier, domain: Domain) -> Result<(Domain, Vec<Known>), SimplifyError> {
    let free = without_conditions(&domain.resolve()?);
    let simple = conjuncts(domain.assumptions()).into_iter().filter_map(|one| simplifier.simplify(&one, &free).ok());
    let mut domain = simple.map(|simple| simple.expr().clone()).fold(domain, Domain::assume);
    let names: Vec<Arc<str>> = domain.vars().map(Arc::from).collect();
    let mut known = vec![];
    for _ in 0..MOST_ROUNDS {
        let found = one_round(simplifier, &names, &domain)?;
        if found == known {
            break;
        }
        for (name, (range, congruence)) in names.iter().zip(&found) {
            domain.add_bounds(name.clone(), *range);
            if congruence.modulus() > 1 {
                domain.add_stride(name.clone(), congruence.modulus(), congruence.residue());
            }
        }
        known = found;
    }
    Ok((domain, known))
}

/// The range and the congruence of each variable after one round.
fn one_round(simplifier: &Simplifier, names: &[Arc<str>], domain: &Domain) -> Result<Vec<Known>, SimplifyError> {
    let mut facts = simplifier.facts(domain);
    let of = |name: &Arc<str>| {
        let own = var(name.clone());
        let (range, congruence) = (facts.bounds(&own)?, facts.congruence(&own)?);
        let Some(range) = congruence.tighten(range) else {
            let (modulus, residue) = (congruence.modulus(), congruence.residue());
            let range = range.to_string();
            return Err(DomainError::NoMultiple { name: name.clone(), range, modulus, residue }.into());
        };
        Ok((range, range.as_point().map_or(congruence, Congruence::point)))
    };
    names.iter().map(of).collect()
}

/// A domain with the ranges of the variables and without conditions.
pub(crate) fn without_conditions(vars: &[VarFacts]) -> Domain {
    let mut domain = Domain::new();
    for v in vars {
        domain.add_bounds(v.name.clone(), v.interval);
        domain.add_bounds(v.name.clone(), Bounds::new(v.lower.clone(), v.upper.clone()));
        if v.congruence.modulus() > 1 {
            domain.add_stride(v.name.clone(), v.congruence.modulus(), v.congruence.residue());
        }
    }
    domain
}

/// Splits conjunctions into their conditions, in order.
pub(crate) fn conjuncts(conditions: &[Expr]) -> Vec<Expr> {
    let (mut open, mut seen, mut found): (Vec<&Expr>, _, _) =
        (conditions.iter().rev().collect(), FxHashSet::default(), vec![]);
    while let Some(next) = open.pop() {
        match (next.op(), next.args()) {
            _ if !seen.insert(next.address()) => {}
            (Op::And, args) => open.extend(args.iter().rev()),
            _ => found.push(next.clone()),
        }
    }
    found
}
