//! The points at which the addresses of an access are evaluated. They cover all lanes, and all values of other
//! variables that can change the conflicts.

use super::error::BankError;
use super::memory::LANES;
use quaff::domain::{Domain, Interval, VarFacts, interval_of};
use quaff::expr::sum::Sum;
use quaff::expr::{Dag, Expr, Op, Program, UnknownVariable, var};
use quaff::integer::{floor_div, floor_mod, gcd, lcm};
use quaff::quasi::Period;
use std::sync::Arc;

/// The most addresses of one access that are evaluated, over all lanes: 4 Mi.
const ADDRESSES: u128 = 1 << 22;

/// A variable and its values `first + step*k` for `k` in `0..count`.
#[derive(Clone, Debug)]
struct Axis {
    name: Arc<str>,
    first: i128,
    step: i128,
    count: u64,
}

/// Expressions (*roots*), and all points at which they must be evaluated.
#[derive(Debug)]
pub(super) struct Walk {
    lane: Axis,
    axes: Vec<Axis>,
    program: Program,
    roots: usize,
}

/// The values of the roots at one point for each lane. `None` for a lane that is not active.
pub(super) type Lanes = Vec<Option<Vec<i128>>>;

impl Walk {
    /// The walk of `roots` over lanes and all variables. If `moved` is given, the only root is an index, and `moved`
    /// has the number of bytes of an element and an alignment in bytes. Values of a variable are then left out if they
    /// only shift all addresses by a multiple of the alignment.
    pub(super) fn new(
        roots: &[Expr],
        lane: &str,
        domain: &Domain,
        moved: Option<(u32, u32)>,
    ) -> Result<Walk, BankError> {
        if let Some(name) = Dag::new(domain.assumptions()).variables().find(|name| !domain.contains(name)) {
            return Err(UnknownVariable { name: name.clone() }.into());
        }
        let domain = &*domain.seen_from(roots);
        let facts = domain.resolve()?;
        let (used, conditions) = used_with_conditions(roots, lane, &facts, domain);
        let terms = if moved.is_some() { flattened(roots) } else { Vec::new() };
        let (mut own, mut axes) = (None, Vec::new());
        for fact in facts.iter().filter(|f| used.contains(&f.name)) {
            let axis = axis(fact);
            if &*fact.name == lane {
                own = Some(axis).filter(|a| a.count <= LANES);
                continue;
            }
            let bound = conditions.iter().any(|c| mentions(c, &fact.name));
            let axis = match moved.filter(|_| !bound) {
                Some((bytes, alignment)) => repeated(axis, &terms, bytes, alignment, &facts),
                None => axis,
            };
            if axis.count > 1 << 63 {
                return Err(BankError::Open { name: axis.name });
            }
            axes.push(axis);
        }
        let lane = own.ok_or_else(|| BankError::Lanes { name: lane.into(), limit: LANES })?;
        let addresses = axes.iter().fold(u128::from(lane.count), |n, a| n.saturating_mul(a.count.into()));
        if addresses > ADDRESSES {
            return Err(BankError::TooMany { addresses, limit: ADDRESSES });
        }
        let names: Vec<&str> = std::iter::once(&lane).chain(&axes).map(|a| &*a.name).collect();
        let all: Vec<Expr> = roots.iter().chain(&conditions).cloned().collect();
        let program = Program::new(&all, &names)?;
        Ok(Walk { lane, axes, program, roots: roots.len() })
    }

    /// The number of points. All lanes together count as one point.
    pub(super) fn len(&self) -> u64 {
        self.axes.iter().map(|a| a.count).product()
    }

    /// The value of the lane variable for the lane at `position`.
    pub(super) fn lane_number(&self, position: usize) -> i64 {
        i64::try_from(self.lane.first + self.lane.step * position as i128).unwrap_or(i64::MAX)
    }

    /// The values of the variables except the lane at point `number`.
    pub(super) fn at(&self, number: u64) -> Vec<(Arc<str>, i64)> {
        let mut rest = i128::from(number);
        let mut values: Vec<(Arc<str>, i64)> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            let count = i128::from(axis.count);
            let value = axis.first + axis.step * floor_mod(rest, count);
            values.push((axis.name.clone(), i64::try_from(value).unwrap_or(i64::MAX)));
            rest = floor_div(rest, count);
        }
        values.reverse();
        values
    }

    /// The roots for each lane at point `number`. `None` for a lane for which a condition does not hold.
    pub(super) fn lanes(&self, number: u64, buffer: &mut Vec<quaff::expr::Value>) -> Result<Lanes, BankError> {
        let at = self.at(number);
        let mut point: Vec<i128> = vec![0; at.len() + 1];
        point[1..].iter_mut().zip(&at).for_each(|(p, (_, v))| *p = i128::from(*v));
        let mut lanes = Vec::with_capacity(self.lane.count as usize);
        for position in 0..self.lane.count as usize {
            point[0] = i128::from(self.lane_number(position));
            let values: Vec<quaff::expr::Value> = self.program.eval_into(&point, buffer).collect();
            let (roots, conditions) = values.split_at(self.roots);
            if conditions.iter().any(|c| !matches!(c, Ok(c) if *c != 0)) {
                lanes.push(None);
                continue;
            }
            let values = roots.iter().copied().collect::<Result<Vec<i128>, _>>();
            let lane = self.lane_number(position);
            lanes.push(Some(values.map_err(|why| BankError::NoValue { access: 0, lane, at: shown(&at), why })?));
        }
        Ok(lanes)
    }
}

/// The values as text, such as ` at x = 3, y = 0`. Empty if there are no variables.
pub(super) fn shown(at: &[(Arc<str>, i64)]) -> String {
    let values: Vec<String> = at.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    if values.is_empty() { String::new() } else { format!(" at {}", values.join(", ")) }
}

/// The values of a variable. An open range is enumerated from its bounded end. A range without ends is enumerated from
/// the residue of its stride on.
fn axis(fact: &VarFacts) -> Axis {
    let stride = i128::from(fact.congruence.modulus()).max(1);
    let (low, high) = (fact.interval.lo().map(i128::from), fact.interval.hi().map(i128::from));
    let (first, step, count) = match (low, high) {
        (Some(low), Some(high)) => (low, stride, floor_div(high - low, stride) + 1),
        (Some(low), None) => (low, stride, i128::MAX),
        (None, Some(high)) => (high, -stride, i128::MAX),
        (None, None) => (fact.congruence.residue().into(), stride, i128::MAX),
    };
    Axis { name: fact.name.clone(), first, step, count: u64::try_from(count).unwrap_or(u64::MAX) }
}

fn mentions(e: &Expr, name: &str) -> bool {
    e.variables().iter().any(|v| **v == *name)
}

/// The variables of `roots`, the conditions that concern them, and the variables of these conditions.
fn used_with_conditions(roots: &[Expr], lane: &str, facts: &[VarFacts], domain: &Domain) -> (Vec<Arc<str>>, Vec<Expr>) {
    let names = |e: &[Expr]| -> Vec<Arc<str>> { Dag::new(e).variables().cloned().collect() };
    let mut conditions: Vec<Expr> = domain.assumptions().to_vec();
    for fact in facts {
        let name = var(fact.name.clone());
        conditions.extend(fact.lower.as_ref().map(|l| name.ge(l)));
        conditions.extend(fact.upper.as_ref().map(|u| name.le(u)));
    }
    let mut rest: Vec<(Expr, Vec<Arc<str>>)> = conditions.into_iter().map(|c| (c.clone(), names(&[c]))).collect();
    let mut used = names(roots);
    used.push(lane.into());
    let mut kept = Vec::new();
    loop {
        let (now, later): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, n)| n.iter().any(|n| used.contains(n)));
        if now.is_empty() {
            return (used, kept);
        }
        for (condition, names) in now {
            used.extend(names);
            kept.push(condition);
        }
        rest = later;
    }
}

/// The terms of the sums in `roots` with their factors. A sum that is too large is a single term.
fn flattened(roots: &[Expr]) -> Vec<(Expr, i64)> {
    const STEPS: usize = 1024;
    let dag = Dag::new(roots);
    let number = |id: u32| dag.nodes()[id as usize].as_const();
    let terms = |&root: &u32| {
        let sum = Sum::of(dag.nodes(), [(root, 1)], number, STEPS);
        sum.map_or_else(|| vec![(root, 1)], |sum| sum.terms)
    };
    dag.roots().iter().flat_map(terms).map(|(id, c)| (dag.origin(id).clone(), c)).collect()
}

/// `axis` cut off before the first value from which on all addresses repeat earlier addresses, shifted by a multiple of
/// `alignment` bytes. Such a shift moves all accessed words by the same number of words, which only renumbers the
/// banks.
fn repeated(axis: Axis, terms: &[(Expr, i64)], bytes: u32, alignment: u32, facts: &[VarFacts]) -> Axis {
    let range = |name: &str| facts.iter().find(|f| &*f.name == name).map_or(Interval::ALL, |f| f.interval);
    let mut length = 1;
    for (term, factor) in terms {
        let period = period(term, &axis.name, &range).and_then(|p| {
            // lengthen the period until the addresses rise by a multiple of the alignment in one period
            let modulus = i128::from(alignment);
            let rise = floor_mod(p.rise, modulus) * floor_mod((*factor).into(), modulus) * i128::from(bytes);
            p.length.checked_mul(floor_div(modulus, gcd(rise, modulus)))
        });
        let Some(both) = period.and_then(|p| lcm(length, p)) else { return axis };
        length = both;
    }
    let step = axis.step.abs();
    let Some(length) = lcm(length, step) else { return axis };
    let count = u64::try_from(floor_div(length, step)).unwrap_or(u64::MAX);
    Axis { count: axis.count.min(count), ..axis }
}

/// The period of a term in one variable. It also handles bitwise operators whose operands have no bits in common.
fn period(term: &Expr, name: &str, range: &impl Fn(&str) -> Interval) -> Option<Period> {
    if let Some(period) = Period::of(term, name) {
        return Some(period);
    }
    let (Op::BitXor | Op::BitOr, [a, b]) = (term.op(), term.args()) else { return None };
    let combined = |high: &Expr, low: &Expr| {
        let (p, q) = (Period::of(high, name)?, Period::of(low, name)?);
        let (least, greatest) = interval_of(low, range).bounded()?;
        if q.rise != 0 || least < 0 {
            return None;
        }
        // the operand `low`, which does not rise, has only bits below this power of two
        let power = i128::from((greatest.unsigned_abs() + 1).next_power_of_two());
        let length = lcm(p.length, q.length)?;
        let rise = p.rise.checked_mul(floor_div(length, p.length))?;
        let times = floor_div(power, gcd(rise, power));
        Some(Period { length: length.checked_mul(times)?, rise: rise.checked_mul(times)? })
    };
    combined(a, b).or_else(|| combined(b, a))
}
