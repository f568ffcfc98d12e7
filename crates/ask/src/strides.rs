//! An index as a strided access: shape, strides and offset, as block pointers and descriptors of tensor memory take them.

use crate::AskError;
use quaff::domain::{Bounds, Domain};
use quaff::expr::substitute::substituted_all;
use quaff::expr::sum::{Sum, written};
use quaff::expr::{Dag, Expr, Op, int, var};
use quaff::integer::{floor_div, floor_mod, gcd};
use quaff::{Facts, Simplifier};
use std::sync::Arc;

/// The most dimensions of an access.
const MOST_DIMENSIONS: usize = 16;
/// The most steps in which a sum is read.
const MOST_STEPS: usize = 1 << 16;

/// `offset + Σ stride * coordinate` over [`dimensions`](Strided::dimensions).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strided {
    /// The dimensions of all axes in their order, for each axis the slowest one first.
    pub dimensions: Vec<Dimension>,
    /// The index where all coordinates are 0; without the variables of the axes.
    pub offset: Expr,
}

/// One dimension of a strided access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The variable of the axis, called `x` here.
    pub axis: Arc<str>,
    /// The coordinate is a digit of `x`: `x//below%extent`, and `x//below` for the slowest one of an axis.
    pub below: i64,
    /// The number of coordinates; `None` where the range of `x` is open.
    pub extent: Option<i64>,
    /// By what the index changes from a coordinate to the next one.
    pub stride: Expr,
    /// The coordinate counts from an origin and begins again at 0 at an end.
    pub wrap: Option<Wrap>,
}

/// A coordinate `c` that wraps around: `(origin + c) % extent` takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrap {
    /// Where the coordinate starts.
    pub origin: Expr,
    /// The end, at which it begins again.
    pub extent: Expr,
}

/// The shape and the strides of an index along axes, or the part of it that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strides {
    /// The index is a strided access.
    Strided(Strided),
    /// No strides were proved, because of this term of the index.
    Not(Expr),
}

/// Reads an index as a strided access along the variables `axes`, each with a range that begins at 0.
///
/// An axis comes apart into digits where the index has quotients and remainders of it by numbers: `i//8*64 + i%8*2` has the shape `(n/8, 8)` and the
/// strides `(64, 2)`. Dimensions whose strides fit one another are one. Strides and the offset may have all other variables.
///
/// Takes one search and one proof, with one more proof for each dimension.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::{Strides, strides};
///
/// let domain = "i=0..63, p=0..99".parse()?;
/// let Strides::Strided(found) = strides(&Simplifier::default(), &"i//8*64 + i%8*2 + p".parse()?, &["i"], &domain)? else { panic!() };
/// let dimensions: Vec<_> = found.dimensions.iter().map(|d| (d.extent, d.stride.as_const())).collect();
/// assert_eq!(dimensions, [(Some(8), Some(64)), (Some(8), Some(2))]);
/// assert_eq!(found.offset.to_string(), "p");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A tile that wraps around at the end of a matrix:
///
/// ```
/// # use quaff::Simplifier;
/// # use quaff_ask::{Strides, strides};
/// let domain = "pid=0..99, t=0..127, k=0..63, M=1..8192, K=64..4096".parse()?;
/// let index = "(pid*128 + t)%M*K + k".parse()?;
/// let Strides::Strided(found) = strides(&Simplifier::default(), &index, &["t", "k"], &domain)? else { panic!() };
/// let wrap = found.dimensions[0].wrap.as_ref().unwrap();
/// assert_eq!((wrap.origin.to_string().as_str(), wrap.extent.to_string().as_str()), ("pid*128", "M"));
/// assert_eq!((found.dimensions[0].stride.to_string().as_str(), found.dimensions[1].stride.to_string().as_str()), ("K", "1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Unknown`] and [`AskError::Lane`] for an axis that is no variable with a range from 0; those of [`Simplifier::simplify`].
pub fn strides(simplifier: &Simplifier, index: &Expr, axes: &[&str], domain: &Domain) -> Result<Strides, AskError> {
    let simple = simplifier.simplify(index, domain)?.expr().clone();
    let mut reading = Reading { simplifier, axes: vec![], domain: domain.clone(), digits: vec![] };
    for axis in axes {
        reading.add(axis, &simple, domain)?;
    }
    let in_digits = reading.in_digits(&simple);
    if let Some(found) = reading.strided(&in_digits, &[])? {
        return Ok(Strides::Strided(found));
    }
    // a remainder in the place of a coordinate
    let (without, wraps) = reading.without_wraps(&in_digits)?;
    if !wraps.is_empty()
        && let Some(found) = reading.strided(&without, &wraps)?
    {
        return Ok(Strides::Strided(found));
    }
    Ok(Strides::Not(reading.culprit(index)?))
}

/// A digit of an axis, under a name that no variable of a program has.
#[derive(Clone)]
struct Digit {
    axis: Arc<str>,
    name: String,
    below: i64,
    extent: Option<i64>,
}

/// A remainder of a sum with one digit.
struct Found {
    digit: usize,
    /// The name that takes its place.
    name: String,
    wrap: Wrap,
}

struct Reading<'a> {
    simplifier: &'a Simplifier,
    axes: Vec<(Arc<str>, Expr)>,
    /// With the digits.
    domain: Domain,
    digits: Vec<Digit>,
}

impl Reading<'_> {
    /// Takes `axis` apart where `index` does.
    fn add(&mut self, axis: &str, index: &Expr, domain: &Domain) -> Result<(), AskError> {
        let vars = domain.resolve()?;
        let unknown = || AskError::Unknown { name: axis.into() };
        let known = domain.position(axis).and_then(|at| vars.get(at)).ok_or_else(unknown)?;
        if known.interval.lo() != Some(0) {
            return Err(AskError::Lane { name: axis.into(), range: known.interval.to_string() });
        }
        let count = known.interval.hi().and_then(|high| high.checked_add(1));
        let mut ends: Vec<i64> = vec![1];
        for divisor in divisors(index, axis) {
            let last = ends.last().copied().unwrap_or(1);
            let is_digit = floor_mod(divisor.into(), last.into()) == 0 && divisor > last;
            if is_digit && count.is_none_or(|count| divisor < count) {
                ends.push(divisor);
            }
        }
        let mut value = vec![];
        for (at, &below) in ends.iter().enumerate().rev() {
            let extent = match ends.get(at + 1) {
                Some(next) => Some(quotient(*next, below)),
                None => count.map(|count| quotient(count - 1, below) + 1),
            };
            let name = format!("digit {at} of {axis}");
            self.domain.add_bounds(name.as_str(), Bounds::new(Some(int(0)), extent.map(|extent| int(extent - 1))));
            value.push((var(name.as_str()), below));
            self.digits.push(Digit { axis: axis.into(), name, below, extent });
        }
        let value = written(value);
        self.domain.add_bounds(axis, Bounds::new(Some(value.clone()), Some(value.clone())));
        self.axes.push((axis.into(), value));
        Ok(())
    }

    fn in_digits(&self, e: &Expr) -> Expr {
        let value = |name: &str| self.axes.iter().find(|(axis, _)| **axis == *name).map(|(_, value)| value.clone());
        substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| e.clone())
    }

    /// The name that a digit has in the index.
    fn name_of(&self, digit: usize, wraps: &[Found]) -> String {
        let wrap = wraps.iter().find(|wrap| wrap.digit == digit);
        wrap.map_or_else(|| self.digits[digit].name.clone(), |wrap| wrap.name.clone())
    }

    /// The dimensions of `e`, an index over digits, where it is proved to be affine in them.
    fn strided(&self, e: &Expr, wraps: &[Found]) -> Result<Option<Strided>, AskError> {
        if self.digits.len() > MOST_DIMENSIONS {
            return Ok(None);
        }
        let names: Vec<String> = (0..self.digits.len()).map(|at| self.name_of(at, wraps)).collect();
        let at_one = |one: Option<usize>| {
            let value = |name: &str| names.iter().position(|own| own == name).map(|at| int(i64::from(Some(at) == one)));
            substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| int(0))
        };
        let origin = at_one(None);
        let mut all: Vec<Expr> =
            (0..names.len()).map(|at| written([(at_one(Some(at)), 1), (origin.clone(), -1)])).collect();
        all.push(origin);
        // the parts have no digit in them, so that one search makes all of them simple
        let simple = self.simplifier.simplify_all(&all, &self.domain);
        let Ok(simple) = simple else { return Ok(None) };
        let Some((offset, strides)) = simple.exprs().split_last() else { return Ok(None) };
        // a digit that also stands beside its remainder
        if simple.exprs().iter().any(|e| self.has_digit(e)) {
            return Ok(None);
        }
        let terms = names.iter().zip(strides).map(|(name, stride)| (var(name.as_str()) * stride, 1));
        let sum = written(terms.chain([(offset.clone(), 1)]));
        let mut facts = self.facts(wraps);
        if !matches!(facts.equal(e, &sum), Ok(Some(true))) {
            return Ok(None);
        }
        let mut dimensions: Vec<Dimension> = vec![];
        for (at, (digit, stride)) in self.digits.iter().zip(strides).enumerate() {
            let wrap = wraps.iter().find(|wrap| wrap.digit == at).map(|found| found.wrap.clone());
            let Digit { axis, below, extent, .. } = digit.clone();
            let next = Dimension { axis, below, extent, stride: stride.clone(), wrap };
            match dimensions.last_mut().filter(|last| fits(last, &next, &mut facts)) {
                Some(last) => {
                    last.extent = last.extent.zip(next.extent).map(|(a, b)| a * b);
                    (last.below, last.stride) = (next.below, next.stride);
                }
                None => dimensions.push(next),
            }
        }
        dimensions.retain(|d| d.extent != Some(1));
        Ok(Some(Strided { dimensions, offset: offset.clone() }))
    }

    fn facts(&self, wraps: &[Found]) -> Facts {
        let mut domain = self.domain.clone();
        for found in wraps {
            let end = found.wrap.extent.clone() - 1;
            domain.add_bounds(found.name.as_str(), Bounds::new(Some(int(0)), Some(end)));
        }
        self.simplifier.facts(&domain)
    }

    /// `e` with other names in the place of remainders of `origin + digit`, where neither the origin nor the divisor has a digit.
    fn without_wraps(&self, e: &Expr) -> Result<(Expr, Vec<Found>), AskError> {
        let dag = Dag::with_origins(std::slice::from_ref(e));
        let mut wraps: Vec<Found> = vec![];
        let without = dag.rebuilt(|id, _| {
            let node = dag.origin(id);
            let (Op::FloorMod, [of, by]) = (node.op(), node.args()) else { return None };
            if self.has_digit(by) {
                return None;
            }
            let (digit, origin) = self.origin_and_digit(of)?;
            if self.has_digit(&origin) {
                return None;
            }
            let wrap = Wrap { origin, extent: by.clone() };
            match wraps.iter().find(|found| found.digit == digit) {
                Some(found) if found.wrap == wrap => Some(var(found.name.as_str())),
                Some(_) => None,
                None => {
                    let name = format!("wrapped {}", self.digits[digit].name);
                    wraps.push(Found { digit, name: name.clone(), wrap });
                    Some(var(name))
                }
            }
        });
        Ok((without.into_iter().next().unwrap_or_else(|| e.clone()), wraps))
    }

    fn has_digit(&self, e: &Expr) -> bool {
        e.variables().iter().any(|name| self.digits.iter().any(|digit| digit.name == **name))
    }

    /// `origin + digit`, where `e` is such a sum.
    fn origin_and_digit(&self, e: &Expr) -> Option<(usize, Expr)> {
        let dag = Dag::with_origins(std::slice::from_ref(e));
        let number = |id: u32| dag.nodes()[id as usize].as_const();
        let sum = Sum::of(dag.nodes(), [(dag.roots()[0], 1)], number, MOST_STEPS)?;
        let position = |id: u32| {
            let name = dag.nodes()[id as usize].as_variable()?;
            self.digits.iter().position(|digit| digit.name == **name)
        };
        let mut own = sum.terms.iter().filter(|(id, factor)| *factor == 1 && position(*id).is_some());
        let (digit, _) = *own.next()?;
        let rest =
            sum.terms.iter().filter(|(id, _)| *id != digit).map(|&(id, factor)| (dag.origin(id).clone(), factor));
        Some((position(digit)?, written(rest.chain([(int(sum.constant), 1)]))))
    }

    /// The first term of the index that is not affine in the digits.
    fn culprit(&self, index: &Expr) -> Result<Expr, AskError> {
        let dag = Dag::with_origins(std::slice::from_ref(index));
        let number = |id: u32| dag.nodes()[id as usize].as_const();
        let Some(sum) = Sum::of(dag.nodes(), [(dag.roots()[0], 1)], number, MOST_STEPS) else {
            return Ok(index.clone());
        };
        for (id, _) in sum.terms {
            let term = dag.origin(id);
            if self.strided(&self.in_digits(term), &[])?.is_none() {
                return Ok(term.clone());
            }
        }
        Ok(index.clone())
    }
}

/// Whether two neighbouring dimensions of one axis are one: the stride of the slower one is the length of the faster one.
fn fits(slow: &Dimension, fast: &Dimension, facts: &mut Facts) -> bool {
    let Some(extent) = fast.extent.filter(|_| slow.axis == fast.axis && slow.wrap.is_none() && fast.wrap.is_none())
    else {
        return false;
    };
    matches!(facts.equal(&slow.stride, &(fast.stride.clone() * extent)), Ok(Some(true)))
}

/// The numbers at which the quotients and remainders of an index take the variable apart, in order. A quotient of a quotient takes it apart at
/// the product.
fn divisors(index: &Expr, variable: &str) -> Vec<i64> {
    let dag = Dag::with_origins(std::slice::from_ref(index));
    let number = |id: u32| dag.nodes()[id as usize].as_const();
    // of each node that is `variable // d` but for what is added: that number
    let mut known: Vec<Option<i64>> = vec![None; dag.nodes().len()];
    let mut found: Vec<i64> = vec![];
    for (at, node) in dag.nodes().iter().enumerate() {
        if node.as_variable().is_some_and(|name| **name == *variable) {
            known[at] = Some(1);
        }
        let (Op::FloorDiv | Op::FloorMod, [of, by, _]) = (&node.op, node.args) else { continue };
        let Some(by) = number(by).filter(|by| *by > 1) else { continue };
        let Some(sum) = Sum::of(dag.nodes(), [(of, 1)], number, MOST_STEPS) else { continue };
        let own = sum.terms.iter().find_map(|&(id, factor)| Some((known[id as usize]?, factor)));
        let Some((below, factor)) = own else { continue };
        let shared = i64::try_from(gcd(factor.into(), by.into())).unwrap_or(1);
        let Some(divisor) = below.checked_mul(quotient(by, shared)) else { continue };
        found.push(divisor);
        if node.op == Op::FloorDiv {
            known[at] = Some(divisor);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// `a // b` for positive numbers.
fn quotient(a: i64, b: i64) -> i64 {
    i64::try_from(floor_div(a.into(), b.into())).unwrap_or(0)
}
