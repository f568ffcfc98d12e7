//! Whether a map from variables to indices is injective or surjective.
//!
//! A map is injective if each output determines its digits, as a number in a mixed-radix system does, and every digit
//! of the inputs occurs in some output. Any other map is evaluated point by point if there are few points. Otherwise it
//! is injective if an inverse is found.

use crate::AskError;
use crate::answer::{Answer, Values};
use crate::inverse::{check_extents, inverse, proved_values};
use crate::points::{Point, Points};
use crate::ranges::without_conditions;
use crate::systems::Map;
use quaff::Simplifier;
use quaff::domain::{Domain, VarFacts};
use quaff::expr::Expr;
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether different values of the inputs give different outputs, for all values of the other variables.
///
/// The ranges of the inputs must begin at 0. A call takes a proof for each output, and a few proofs for its digits. If
/// these proofs do not decide the question, up to 131,072 points are evaluated one by one.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::{Answer, injective};
///
/// let ask = |text: &str, domain: &str| {
///     injective(&Simplifier::default(), &[text.parse().unwrap()], &["x", "y"], &domain.parse().unwrap()).unwrap()
/// };
/// assert_eq!(ask("x*n + y", "n=1..4096, x=0..99, y=0..n-1"), Answer::Yes);
/// // (0, 4) and (2, 1)
/// let Answer::No([first, second]) = ask("x*3 + y*2", "x=0..9, y=0..9") else { panic!() };
/// assert_ne!(first, second);
/// ```
///
/// # Errors
/// [`AskError::Unknown`] if the domain has no such input. [`AskError::Lane`] if the range of an input does not begin at
/// 0, and [`AskError::Step`] if its step is not 1. [`AskError::Twice`] if an input is given twice.
pub fn injective(
    simplifier: &Simplifier,
    outputs: &[Expr],
    inputs: &[&str],
    domain: &Domain,
) -> Result<Answer<[Values; 2]>, AskError> {
    let mut map = Map::new(simplifier, outputs, inputs, domain)?;
    if map.systems().is_some_and(|systems| map.are_all_read(&systems)) {
        return Ok(Answer::Yes);
    }
    let Some(points) = Points::of(domain, outputs, inputs) else {
        let names = places(outputs.len(), domain);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = proved_values(simplifier, outputs, &names, inputs, domain)?;
        return Ok(found.map_or(Answer::NotProved, |_| Answer::Yes));
    };
    let Some(values) = points.values(outputs) else { return Ok(Answer::NotProved) };
    let mut seen: FxHashMap<(Point, Vec<i128>), usize> = FxHashMap::default();
    for (at, value) in values.into_iter().enumerate() {
        let parameters = points.parameters(&points.all[at], inputs);
        if let Some(before) = seen.insert((parameters, value), at) {
            return Ok(Answer::No([before, at].map(|at| points.named(at))));
        }
    }
    Ok(Answer::Yes)
}

/// Names for the outputs of a map. No variable of the domain has one of these names.
fn places(outputs: usize, domain: &Domain) -> Vec<String> {
    let names = (0usize..).map(|at| format!("output {at}"));
    names.filter(|name| domain.position(name).is_none()).take(outputs).collect()
}

/// Whether each point of `0..extents[0]`, `0..extents[1]`, .. is an output, for all values of the other variables. If
/// not, the witness is a point of the extents that is not an output. Outputs outside of the extents are ignored.
///
/// A call takes as long as [`injective`].
///
/// ```
/// use quaff::Simplifier;
/// use quaff::expr::int;
/// use quaff_ask::{Answer, surjective};
///
/// let onto = |text: &str, end: i64| {
///     let domain = "x=0..7, y=0..3".parse().unwrap();
///     surjective(&Simplifier::default(), &[text.parse().unwrap()], &[int(end)], &["x", "y"], &domain).unwrap()
/// };
/// assert_eq!(onto("x*4 + y", 32), Answer::Yes);
/// assert_eq!(onto("x*8 + y", 32), Answer::No(vec![4]));
/// ```
///
/// # Errors
/// The errors of [`injective`], [`AskError::Extents`] unless there is one extent for each output, and
/// [`AskError::Empty`] if an extent is below 1.
pub fn surjective(
    simplifier: &Simplifier,
    outputs: &[Expr],
    extents: &[Expr],
    inputs: &[&str],
    domain: &Domain,
) -> Result<Answer<Vec<i64>>, AskError> {
    check_extents(outputs, extents.iter())?;
    let mut map = Map::new(simplifier, outputs, inputs, domain)?;
    if is_free(inputs, domain)?
        && let Some(systems) = map.systems()
        && systems.iter().zip(extents).all(|(system, extent)| map.is_dense(system, extent))
        && map.are_independent(&systems)
    {
        return Ok(Answer::Yes);
    }
    let all: Vec<Expr> = outputs.iter().chain(extents).cloned().collect();
    // for some values of the parameters (the other variables) there may be no inputs, and then no point has these
    // values
    let may_be_empty = !is_free(inputs, domain)?;
    let Some(points) = Points::of(domain, &all, inputs) else {
        let names = places(outputs.len(), domain);
        let places: Vec<(&str, Expr)> = names.iter().map(String::as_str).zip(extents.iter().cloned()).collect();
        let found = inverse(simplifier, outputs, &places, inputs, domain)?;
        return Ok(found.filter(|found| found.inside.is_none()).map_or(Answer::NotProved, |_| Answer::Yes));
    };
    let Some(values) = points.values(&all) else { return Ok(Answer::NotProved) };
    let has_parameters = points.names.iter().any(|name| !inputs.contains(&&**name));
    match all_are_reached(&points, &values, outputs.len(), inputs) {
        Answer::Yes if has_parameters && may_be_empty && !have_points(&points, inputs, domain) => Ok(Answer::NotProved),
        answer => Ok(answer),
    }
}

/// Whether each combination of values of the parameters (the variables that are no inputs) occurs in some point.
fn have_points(points: &Points, inputs: &[&str], domain: &Domain) -> bool {
    let names: Vec<&str> = points.names.iter().map(|name| &**name).filter(|name| !inputs.contains(name)).collect();
    let Some(own) = without(inputs, domain).and_then(|domain| Points::of(&domain, &[], &names)) else { return false };
    let reached: FxHashSet<Point> = points.all.iter().map(|point| points.parameters(point, inputs)).collect();
    let has_names = own.names.iter().map(|name| &**name).eq(names.iter().copied());
    has_names && own.all.iter().all(|point| reached.contains(point))
}

/// The facts of a domain about the variables that are no inputs. `None` if the domain contradicts itself.
fn without(inputs: &[&str], domain: &Domain) -> Option<Domain> {
    let has_input = |e: &Expr| e.variables().iter().any(|name| inputs.contains(&&**name));
    let mut own = domain.resolve().ok()?;
    own.retain(|v| !inputs.contains(&&*v.name));
    for v in &mut own {
        v.lower = v.lower.take().filter(|e| !has_input(e));
        v.upper = v.upper.take().filter(|e| !has_input(e));
    }
    let conditions = domain.conditions().into_iter().filter(|e| !has_input(e));
    Some(conditions.fold(without_conditions(&own), Domain::assume))
}

/// Whether, for all values of the other variables, the inputs take all values of their ranges, and no range is empty.
fn is_free(inputs: &[&str], domain: &Domain) -> Result<bool, AskError> {
    let has_input = |e: &Expr| e.variables().iter().any(|name| inputs.contains(&&**name));
    let vars = domain.resolve()?;
    let is_whole = |v: &VarFacts| {
        let ends = v.lower.iter().chain(&v.upper);
        !ends.into_iter().any(has_input) && (!inputs.contains(&&*v.name) || !v.may_be_empty)
    };
    Ok(vars.iter().all(is_whole) && !domain.conditions().iter().any(has_input))
}

/// Whether all points of the extents occur among the values, for all parameters. Each row of `values` has the values of
/// the outputs, followed by the values of the extents.
fn all_are_reached(points: &Points, values: &[Vec<i128>], outputs: usize, inputs: &[&str]) -> Answer<Vec<i64>> {
    let mut reached: FxHashMap<(Point, &[i128]), Vec<&[i128]>> = FxHashMap::default();
    for (point, value) in points.all.iter().zip(values) {
        let (own, extents) = value.split_at(outputs);
        reached.entry((points.parameters(point, inputs), extents)).or_default().push(own);
    }
    for ((_, extents), mut own) in reached {
        own.sort_unstable();
        let mut wanted = vec![0i128; outputs];
        if extents.iter().any(|extent| *extent <= 0) {
            continue;
        }
        loop {
            if own.binary_search(&&wanted[..]).is_err() {
                return Answer::No(wanted.iter().map(|&value| i64::try_from(value).unwrap_or(i64::MAX)).collect());
            }
            let Some(next) = (0..outputs).rev().find(|&i| wanted[i] + 1 < extents[i]) else { break };
            wanted[next] += 1;
            wanted[next + 1..].fill(0);
        }
    }
    Answer::Yes
}
