//! Maps from variables to indices: injective, surjective, with an inverse; and whether two accesses meet.
//!
//! A map is read as a number system: each output is a sum of digits of the inputs with a stride each, and a stride is no less than
//! all that the faster digits add up to. Such a map is injective, and its digits are quotients and remainders of the outputs. What is no number system
//! is looked at point by point where there are few points.

use crate::AskError;
use crate::digits::{Affine, Digits, each_once, last_of, product};
use crate::points::{Point, Points};
use quaff::domain::{Bounds, Domain, VarFacts};
use quaff::expr::substitute::substituted_all;
use quaff::expr::sum::written;
use quaff::expr::{Expr, int, var};
use quaff::{Facts, Simplifier};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Whether something is so for all points of a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<W> {
    /// It is proved.
    Yes,
    /// It is not, as this shows.
    No(W),
    /// Neither is proved.
    NotProved,
}

impl<W> Answer<W> {
    /// Whether it is proved.
    pub fn is_yes(&self) -> bool {
        matches!(self, Answer::Yes)
    }
}

/// Values of variables.
pub type Values = Vec<(Arc<str>, i64)>;

/// Whether different inputs have different outputs, whatever the other variables are.
///
/// The inputs have ranges from 0. Takes a proof for each output, and a few for its digits; up to 131,072 points are looked at
/// one by one where that shows nothing.
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
/// [`AskError::Unknown`] and [`AskError::Lane`] for an input that is no variable with a range from 0.
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
    let Some(points) = Points::of(domain, outputs, inputs) else { return Ok(Answer::NotProved) };
    let Some(values) = points.values(outputs) else { return Ok(Answer::NotProved) };
    let mut seen: FxHashMap<(Point, Vec<i128>), usize> = FxHashMap::default();
    for (at, value) in values.into_iter().enumerate() {
        let parameters = points.parameters(&points.all[at], inputs);
        if let Some(before) = seen.insert((parameters, value), at) {
            return Ok(Answer::No([before, at].map(|at| named(&points, &points.all[at]))));
        }
    }
    Ok(Answer::Yes)
}

fn named(points: &Points, point: &Point) -> Values {
    points.names.iter().cloned().zip(point.iter().copied()).collect()
}

/// Whether each point of `0..extents[0]`, `0..extents[1]`, .. is an output, whatever the other variables are; a point that is none shows that it is not, in
/// order of the outputs. Outputs outside of the extents do not count.
///
/// Takes the time of [`injective`].
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
/// As [`injective`]; [`AskError::Extents`] unless there is one extent for each output; [`AskError::Empty`] for one below 1.
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
    // values of parameters without inputs are not among the points
    let may_be_empty = !is_free(inputs, domain)?;
    let Some(points) = Points::of(domain, &all, inputs) else { return Ok(Answer::NotProved) };
    let Some(values) = points.values(&all) else { return Ok(Answer::NotProved) };
    let has_parameters = points.names.iter().any(|name| !inputs.contains(&&**name));
    match all_are_reached(&points, &values, outputs.len(), inputs) {
        Answer::Yes if has_parameters && may_be_empty => Ok(Answer::NotProved),
        answer => Ok(answer),
    }
}

/// An error unless each output has an extent, of at least 1 where it is a number.
fn check_extents<'e>(outputs: &[Expr], extents: impl ExactSizeIterator<Item = &'e Expr>) -> Result<(), AskError> {
    if extents.len() != outputs.len() {
        return Err(AskError::Extents { outputs: outputs.len(), extents: extents.len() });
    }
    match extents.filter_map(Expr::as_const).find(|extent| *extent < 1) {
        Some(extent) => Err(AskError::Empty { extent }),
        None => Ok(()),
    }
}

/// Whether the inputs take all values of their ranges, whatever the others are, and there are such values.
fn is_free(inputs: &[&str], domain: &Domain) -> Result<bool, AskError> {
    let has_input = |e: &Expr| e.variables().iter().any(|name| inputs.contains(&&**name));
    let vars = domain.resolve()?;
    let is_whole = |v: &VarFacts| {
        let ends = v.lower.iter().chain(&v.upper);
        !ends.into_iter().any(has_input) && (!inputs.contains(&&*v.name) || !v.may_be_empty)
    };
    Ok(vars.iter().all(is_whole) && !domain.conditions().iter().any(has_input))
}

/// Whether the values, of outputs and behind them of extents, have each point of the extents among them, for all parameters.
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

/// The inverse of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inverse {
    /// Of each input, its value by the outputs.
    pub inputs: Vec<Expr>,
    /// The condition that a point is an output: all others are padding. `None` where all points of the extents are outputs.
    pub inside: Option<Expr>,
}

/// The inverse of a map: each input by the outputs, which are variables named `names` in `0..extent` each. `None` where the map is not
/// proved to be a number system whose digits come out.
///
/// ```
/// use quaff::Simplifier;
/// use quaff::expr::int;
/// use quaff_ask::inverse;
///
/// let invert = |text: &str, end: i64| {
///     let domain = "i=0..27".parse().unwrap();
///     let outputs = [text.parse().unwrap(), "i%8".parse().unwrap()];
///     inverse(&Simplifier::default(), &outputs, &[("tile", int(end)), ("lane", int(8))], &["i"], &domain).unwrap().unwrap()
/// };
/// let found = invert("i//8", 4);
/// assert_eq!(found.inputs[0].to_string(), "tile*8 + lane");
/// // of 32 places the last four are padding
/// assert_eq!(found.inside.unwrap().to_string(), "tile*8 + lane < 28");
/// ```
///
/// # Errors
/// As [`surjective`]; [`AskError::Twice`] and [`AskError::Taken`] for names that are not new.
pub fn inverse(
    simplifier: &Simplifier,
    outputs: &[Expr],
    names: &[(&str, Expr)],
    inputs: &[&str],
    domain: &Domain,
) -> Result<Option<Inverse>, AskError> {
    check_extents(outputs, names.iter().map(|(_, extent)| extent))?;
    each_once(&names.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    if let Some((name, _)) = names.iter().find(|(name, _)| domain.position(name).is_some()) {
        return Err(AskError::Taken { name: (*name).into() });
    }
    let mut map = Map::new(simplifier, outputs, inputs, domain)?;
    let Some(systems) = map.systems() else { return Ok(None) };
    let places: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let Some(values) = map.read(&systems, &places) else { return Ok(None) };
    let mut points = domain.clone();
    for (name, extent) in names {
        points.add_bounds(*name, Bounds::new(Some(int(0)), Some(extent - 1)));
    }
    let inputs_of = |value: &dyn Fn(&str) -> Option<Expr>, e: &Expr| {
        substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| e.clone())
    };
    let value_of = |name: &str| inputs.iter().position(|input| *input == name).map(|at| values[at].clone());
    // that the inputs are in their ranges, and have the point for an output
    let vars = domain.resolve()?;
    let mut conditions: Vec<Expr> = vec![];
    for (input, value) in inputs.iter().zip(&values) {
        let known = domain.position(input).and_then(|at| vars.get(at));
        let last = known.and_then(|v| last_of(v, &vars));
        conditions.push(int(0).le(value));
        conditions.extend(last.map(|last| value.le(inputs_of(&value_of, &last))));
    }
    let has_input = |e: &&Expr| e.variables().iter().any(|name| inputs.contains(&&**name));
    conditions.extend(domain.conditions().iter().filter(has_input).map(|e| inputs_of(&value_of, e)));
    for (output, name) in outputs.iter().zip(&places) {
        conditions.push(inputs_of(&value_of, output).equals(var(*name)));
    }
    let inside = conditions.into_iter().reduce(|all, next| all.and(next)).unwrap_or_else(|| int(1));
    let all: Vec<Expr> = values.into_iter().chain([inside]).collect();
    let simple = simplifier.simplify_all(&all, &points)?;
    let Some((inside, inputs)) = simple.exprs().split_last() else { return Ok(None) };
    let inside = (inside.as_const().is_none_or(|value| value == 0)).then(|| inside.clone());
    Ok(Some(Inverse { inputs: inputs.to_vec(), inside }))
}

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
            return Ok(Answer::No([first, at].map(|at| named(&points, &points.all[at]))));
        }
    }
    Ok(Answer::Yes)
}

struct Map<'a> {
    outputs: &'a [Expr],
    digits: Digits<'a>,
    facts: Facts,
}

/// Expressions with factors.
type Terms = Vec<(Expr, i64)>;

/// One output as a number: its digits with their strides, the slowest one first, and what is added.
struct System {
    digits: Vec<(usize, Expr)>,
    offset: Expr,
}

impl<'a> Map<'a> {
    fn new(
        simplifier: &'a Simplifier,
        outputs: &'a [Expr],
        inputs: &[&str],
        domain: &Domain,
    ) -> Result<Map<'a>, AskError> {
        let digits = Digits::new(simplifier, outputs, inputs, domain)?;
        let facts = simplifier.facts(&digits.domain);
        Ok(Map { outputs, digits, facts })
    }

    /// All outputs as numbers; `None` where one is none.
    fn systems(&mut self) -> Option<Vec<System>> {
        (0..self.outputs.len()).map(|at| self.system(at)).collect()
    }

    fn system(&mut self, output: usize) -> Option<System> {
        let names: Vec<String> = self.digits.digits.iter().map(|digit| digit.name.clone()).collect();
        let e = self.digits.in_digits(&self.outputs[output]);
        let Affine { strides, offset } = self.digits.affine(&e, &names, &mut self.facts)?;
        let mut digits: Vec<(usize, Expr)> = vec![];
        for (digit, stride) in strides.into_iter().enumerate().filter(|(_, stride)| stride.as_const() != Some(0)) {
            if !self.holds(&stride.ge(1)) {
                return None;
            }
            // behind all that are no slower
            let place = (0..digits.len()).find(|&at| self.holds(&digits[at].1.le(&stride)));
            digits.insert(place.unwrap_or(digits.len()), (digit, stride));
        }
        // a stride is no less than what the faster digits add up to
        for pair in digits.windows(2) {
            let [(_, slow), (fast, stride)] = pair else { return None };
            let extent = self.digits.digits[*fast].extent.clone()?;
            if !self.holds(&product(stride, &extent).le(slow)) {
                return None;
            }
        }
        Some(System { digits, offset })
    }

    fn holds(&mut self, condition: &Expr) -> bool {
        matches!(self.facts.prove(condition), Ok(Some(true)))
    }

    fn is_one(&self, digit: usize) -> bool {
        self.digits.digits[digit].extent.as_ref().and_then(Expr::as_const) == Some(1)
    }

    /// Whether each digit is a digit of some output.
    fn are_all_read(&self, systems: &[System]) -> bool {
        let is_read = |digit: usize| systems.iter().any(|system| system.digits.iter().any(|(own, _)| *own == digit));
        (0..self.digits.digits.len()).all(|digit| self.is_one(digit) || is_read(digit))
    }

    /// Whether no digit is one of two outputs.
    fn are_independent(&self, systems: &[System]) -> bool {
        let mut all: Vec<usize> = systems.iter().flat_map(|system| system.digits.iter().map(|(own, _)| *own)).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        all.len() == count
    }

    /// Whether the number takes all values of `0..extent`, and the slowest digit of each axis is not rounded up.
    fn is_dense(&mut self, system: &System, extent: &Expr) -> bool {
        let mut next = int(1);
        for (digit, stride) in system.digits.iter().rev() {
            let own = self.digits.digits[*digit].clone();
            let Some(count) = own.extent else { return false };
            if self.digits.is_slowest(*digit) && !self.digits.is_exact(&own.axis, own.below, &count, &mut self.facts) {
                return false;
            }
            if !self.holds(&stride.equals(&next)) {
                return false;
            }
            next = product(stride, &count);
        }
        self.holds(&system.offset.equals(int(0))) && self.holds(&extent.le(&next))
    }

    /// Each input by the outputs; `None` where a digit is not read.
    fn read(&mut self, systems: &[System], places: &[&str]) -> Option<Vec<Expr>> {
        let mut values: Vec<Option<Expr>> = vec![None; self.digits.digits.len()];
        for (system, place) in systems.iter().zip(places) {
            let mut rest = written([(var(*place), 1), (system.offset.clone(), -1)]);
            for (digit, stride) in &system.digits {
                let value = if stride.as_const() == Some(1) { rest.clone() } else { rest.floor_div(stride) };
                rest = if stride.as_const() == Some(1) { int(0) } else { rest.floor_mod(stride) };
                values[*digit].get_or_insert(value);
            }
        }
        let mut inputs: Vec<(Arc<str>, Terms)> = vec![];
        for (at, digit) in self.digits.digits.iter().enumerate() {
            let value = match values[at].take() {
                Some(value) => value,
                None if self.is_one(at) => int(0),
                None => return None,
            };
            match inputs.last_mut().filter(|(axis, _)| *axis == digit.axis) {
                Some((_, parts)) => parts.push((value, digit.below)),
                None => inputs.push((digit.axis.clone(), vec![(value, digit.below)])),
            }
        }
        Some(inputs.into_iter().map(|(_, parts)| written(parts)).collect())
    }
}
