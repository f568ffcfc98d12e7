//! Splits the axes of an index, which are variables with a range from 0, into digits such as `i//8` and `i%8`. An index
//! that is not affine in its axes may be affine in the digits.

use crate::AskError;
use quaff::domain::{Bounds, Domain, Interval, VarFacts, interval_of};
use quaff::expr::offset::split_offset;
use quaff::expr::substitute::substituted_all;
use quaff::expr::sum::{Sum, written};
use quaff::expr::{Dag, Expr, Op, int, var};
use quaff::integer::{floor_div, floor_mod, gcd};
use quaff::{Facts, Simplifier};
use std::sync::Arc;

/// The most digits of all axes together.
const MOST_DIGITS: usize = 16;
/// The most steps for reading an expression as a sum.
pub(crate) const MOST_STEPS: usize = 1 << 16;

/// A digit of an axis, as a variable. Its name contains blanks, so that it differs from all variables of programs.
#[derive(Clone)]
pub(crate) struct Digit {
    pub(crate) axis: Arc<str>,
    pub(crate) name: String,
    /// The divisor in the digit `axis//below%extent`. The digit with the greatest divisor (the slowest) is
    /// `axis//below`, without a remainder.
    pub(crate) below: i64,
    /// The number of values of the digit. `None` for the slowest digit of an axis without an upper end.
    pub(crate) extent: Option<Expr>,
}

/// Axes and their digits.
pub(crate) struct Digits<'a> {
    pub(crate) simplifier: &'a Simplifier,
    axes: Vec<(Arc<str>, Expr)>,
    /// The greatest value of each axis whose range has an end.
    lasts: Vec<(Arc<str>, Expr)>,
    /// The domain with the ranges of the digits, in which each axis equals the sum of its digits times their divisors.
    pub(crate) domain: Domain,
    /// The digits of all axes, in the order of the axes. For each axis, the digit with the greatest divisor is first.
    pub(crate) digits: Vec<Digit>,
}

/// The affine form `offset + Σ stride * digit`, with a stride for each digit.
pub(crate) struct Affine {
    pub(crate) strides: Vec<Expr>,
    pub(crate) offset: Expr,
}

impl<'a> Digits<'a> {
    /// Splits each axis into digits, at the divisors by which the expressions divide it.
    ///
    /// # Errors
    /// [`AskError::Unknown`] if the domain has no such axis. [`AskError::Lane`] if the range of an axis does not begin
    /// at 0, and [`AskError::Step`] if its step is not 1. [`AskError::Twice`] if an axis is given twice.
    pub(crate) fn new(
        simplifier: &'a Simplifier,
        exprs: &[Expr],
        axes: &[&str],
        domain: &Domain,
    ) -> Result<Digits<'a>, AskError> {
        let mut all = Digits { simplifier, axes: vec![], lasts: vec![], domain: domain.clone(), digits: vec![] };
        each_once(axes)?;
        for axis in axes {
            all.add(axis, exprs, domain)?;
        }
        Ok(all)
    }

    fn add(&mut self, axis: &str, exprs: &[Expr], domain: &Domain) -> Result<(), AskError> {
        let vars = domain.resolve()?;
        let unknown = || AskError::Unknown { name: axis.into() };
        let known = domain.position(axis).and_then(|at| vars.get(at)).ok_or_else(unknown)?;
        if known.interval.lo() != Some(0) || known.lower.is_some() {
            return Err(AskError::Lane { name: axis.into(), range: known.interval.to_string() });
        }
        if let step @ 2.. = known.congruence.modulus() {
            return Err(AskError::Step { name: axis.into(), step });
        }
        self.lasts.extend(last_of(known, &vars).map(|last| (Arc::from(axis), last)));
        let end = known.interval.hi();
        let mut ends: Vec<i64> = vec![1];
        for divisor in divisors(exprs, axis) {
            let last = ends.last().copied().unwrap_or(1);
            let is_digit = floor_mod(divisor.into(), last.into()) == 0 && divisor > last;
            if is_digit && end.is_none_or(|end| divisor <= end) {
                ends.push(divisor);
            }
        }
        let mut value = vec![];
        for (at, &below) in ends.iter().enumerate().rev() {
            let extent = match ends.get(at + 1) {
                Some(next) => Some(int(quotient(*next, below))),
                None => self.count(axis, below),
            };
            let name = format!("digit {at} of {axis}");
            let highest = extent.as_ref().map(|extent| extent - 1);
            self.domain.add_bounds(name.as_str(), Bounds::new(Some(int(0)), highest));
            value.push((var(name.as_str()), below));
            self.digits.push(Digit { axis: axis.into(), name, below, extent });
        }
        let value = written(value);
        self.domain.add_bounds(axis, Bounds::new(Some(value.clone()), Some(value.clone())));
        self.axes.push((axis.into(), value));
        Ok(())
    }

    /// Replaces each axis in `e` by the sum of its digits times their divisors.
    pub(crate) fn in_digits(&self, e: &Expr) -> Expr {
        let value = |name: &str| self.axes.iter().find(|(axis, _)| **axis == *name).map(|(_, value)| value.clone());
        substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| e.clone())
    }

    /// Simplifies expressions over digits. If a simplified form contains an axis, the axis is again replaced by its
    /// digits.
    pub(crate) fn simplified(&self, exprs: &[Expr]) -> Option<Vec<Expr>> {
        let simple = self.simplifier.simplify_all(exprs, &self.domain).ok()?;
        Some(simple.exprs().iter().map(|e| self.in_digits(e)).collect())
    }

    /// The values of the axes, in order, computed from the values of all digits.
    pub(crate) fn by_axis(&self, values: Vec<Expr>) -> Vec<Expr> {
        let mut axes: Vec<(&str, Vec<(Expr, i64)>)> = vec![];
        for (digit, value) in self.digits.iter().zip(values) {
            match axes.last_mut().filter(|(axis, _)| *axis == &*digit.axis) {
                Some((_, parts)) => parts.push((value, digit.below)),
                None => axes.push((&digit.axis, vec![(value, digit.below)])),
            }
        }
        axes.into_iter().map(|(_, parts)| written(parts)).collect()
    }

    pub(crate) fn has_digit(&self, e: &Expr) -> bool {
        e.variables().iter().any(|name| self.digits.iter().any(|digit| digit.name == **name))
    }

    /// The number of values of `axis//below`. `None` if the axis has no end.
    pub(crate) fn count(&self, axis: &str, below: i64) -> Option<Expr> {
        let last = self.lasts.iter().find(|(name, _)| **name == *axis).map(|(_, last)| last)?;
        Some(one_more(&match last.as_const() {
            Some(last) => int(quotient(last, below)),
            None if below == 1 => last.clone(),
            None => last.floor_div(below),
        }))
    }

    /// Whether each of the `extent` values of `axis//below` occurs for exactly `below` values of the axis. Otherwise
    /// the last value of `axis//below` occurs for fewer values of the axis.
    pub(crate) fn is_exact(&self, axis: &str, below: i64, extent: &Expr, facts: &mut Facts) -> bool {
        let Some(count) = self.count(axis, 1).filter(|_| below > 1) else { return true };
        matches!(facts.equal(&count, &product(extent, &int(below))), Ok(Some(true)))
    }

    /// Whether a digit has the greatest divisor of all digits of its axis.
    pub(crate) fn is_slowest(&self, digit: usize) -> bool {
        digit.checked_sub(1).is_none_or(|before| self.digits[before].axis != self.digits[digit].axis)
    }

    /// The strides and the offset of `e`, if it is proved to be affine in the digits. In `e`, the digits have the names
    /// in `names`.
    pub(crate) fn affine(&self, e: &Expr, names: &[String], facts: &mut Facts) -> Option<Affine> {
        if names.len() > MOST_DIGITS {
            return None;
        }
        let at_one = |one: Option<usize>| {
            let value = |name: &str| names.iter().position(|own| own == name).map(|at| int(i64::from(Some(at) == one)));
            substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| int(0))
        };
        let origin = at_one(None);
        let stride = |at: usize| written([(at_one(Some(at)), 1), (origin.clone(), -1)]);
        let mut all: Vec<Expr> = (0..names.len()).map(stride).collect();
        all.push(origin);
        let simple = self.simplified(&all)?;
        // if a stride or the offset still contains a digit, `e` is not affine
        if simple.iter().any(|e| self.has_digit(e)) {
            return None;
        }
        let (offset, strides) = simple.split_last()?;
        let terms = names.iter().zip(strides).map(|(name, stride)| match stride.as_const() {
            Some(c) => (var(name.as_str()), c),
            None => (var(name.as_str()) * stride, 1),
        });
        let sum = written(terms.chain([(offset.clone(), 1)]));
        let holds = matches!(facts.equal(e, &sum), Ok(Some(true)));
        holds.then(|| Affine { strides: strides.to_vec(), offset: offset.clone() })
    }
}

/// The divisors by which quotients and remainders in the expressions divide the variable, in ascending order. A
/// quotient of a quotient divides the variable by the product of both divisors.
fn divisors(exprs: &[Expr], variable: &str) -> Vec<i64> {
    let dag = Dag::with_origins(exprs);
    let number = |id: u32| dag.nodes()[id as usize].as_const();
    // the divisor of each node that is a quotient of the variable, and 1 for the variable itself. A sum with such a
    // node has the same divisor
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

/// The greatest value of a variable, if its range has an upper end. If the end is given both as a number and as an
/// expression, the result is their minimum.
pub(crate) fn last_of(variable: &VarFacts, all: &[VarFacts]) -> Option<Expr> {
    let number = variable.interval.hi().map(int);
    let Some(upper) = variable.upper.clone() else { return number };
    let range = |name: &str| all.iter().find(|v| *v.name == *name).map_or(Interval::ALL, |v| v.interval);
    match number {
        Some(number) if interval_of(&upper, range).hi() != variable.interval.hi() => {
            Some(Expr::new(Op::Min, [upper, number]))
        }
        _ => Some(upper),
    }
}

/// Returns [`AskError::Twice`] if a name is given twice.
pub(crate) fn each_once(names: &[&str]) -> Result<(), AskError> {
    let twice = |(at, name): &(usize, &&str)| names[..*at].contains(name);
    match names.iter().enumerate().find(twice) {
        Some((_, name)) => Err(AskError::Twice { name: (*name).into() }),
        None => Ok(()),
    }
}

fn one_more(highest: &Expr) -> Expr {
    if let Some(highest) = highest.as_const() {
        return int(highest.saturating_add(1));
    }
    let (rest, constant) = split_offset(highest);
    written([(rest, 1), (int(constant.saturating_add(1)), 1)])
}

/// The product `a * b`. A factor 1 is left out, and a product of two numbers is a number.
pub(crate) fn product(a: &Expr, b: &Expr) -> Expr {
    match (a.as_const(), b.as_const()) {
        (Some(1), _) => b.clone(),
        (_, Some(1)) => a.clone(),
        (Some(x), Some(y)) => x.checked_mul(y).map_or_else(|| a * b, int),
        _ => a * b,
    }
}

/// The quotient `a // b` of positive numbers.
fn quotient(a: i64, b: i64) -> i64 {
    i64::try_from(floor_div(a.into(), b.into())).unwrap_or(0)
}
