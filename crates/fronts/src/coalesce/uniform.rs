//! Uniform variables, which have the same value in all lanes, such as the number of a block.

use super::access::Access;
use super::error::CoalesceError;
use quaff::domain::{Domain, VarFacts};
use quaff::expr::substitute::substituted;
use quaff::expr::{Dag, Expr, int, var};
use quaff::integer::{floor_div, floor_mod, gcd, lcm};
use quaff::quasi::Period;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// The number of bytes of a line. A shift of all addresses by a multiple of a line changes no cost.
const LINE: i128 = 128;

/// A variable with the values `first + step*k` for `k` in `0..count`. Every other value has the same costs as one of
/// the first `kept` values.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) name: Arc<str>,
    first: i128,
    step: i128,
    count: u64,
    pub(super) kept: u64,
}

impl Axis {
    pub(super) fn new(fact: &VarFacts) -> Result<Axis, CoalesceError> {
        let (low, high) = fact.interval.bounded().ok_or_else(|| CoalesceError::Open { name: fact.name.clone() })?;
        let step = i128::from(fact.congruence.modulus()).max(1);
        let (low, high) = (i128::from(low), i128::from(high));
        let count = u64::try_from(floor_div(high - low, step) + 1).unwrap_or(u64::MAX);
        Ok(Axis { name: fact.name.clone(), first: low, step, count, kept: count })
    }

    /// Leaves out values at which all addresses equal the addresses of an earlier value, shifted by whole lines.
    pub(super) fn recurring(self, accesses: &[Access]) -> Axis {
        let period = || {
            let all = accesses.iter().map(|access| period(access, &self.name));
            let together = all.into_iter().try_fold(1, |length, own| lcm(length, own?));
            lcm(together?, self.step)
        };
        let kept = period().and_then(|p| u64::try_from(floor_div(p, self.step)).ok());
        Axis { kept: kept.map_or(self.count, |k| k.clamp(1, self.count.max(1))), ..self }
    }

    /// Keeps only the first value, for a variable that does not matter.
    pub(super) fn of_no_use(self) -> Axis {
        Axis { kept: self.kept.min(1), ..self }
    }

    pub(super) fn value(&self, k: u64) -> i128 {
        self.first + self.step * i128::from(k)
    }

    /// The distance between values that cost the same. `None` if no value is left out.
    fn modulus(&self) -> Option<i64> {
        (self.kept < self.count).then(|| i64::try_from(self.step * i128::from(self.kept)).ok())?
    }

    /// The number of values whose costs equal the costs of value `k`, including `k`.
    pub(super) fn times(&self, k: u64) -> u64 {
        (self.count.saturating_sub(k)).div_ceil(self.kept.max(1))
    }
}

/// The period of a variable: the number of values after which the gate repeats, and all addresses repeat with a shift
/// by whole lines.
fn period(access: &Access, name: &str) -> Option<i128> {
    let index = Period::of(access.index(), name)?;
    let gate = match access.gate() {
        Some(gate) => Period::of(gate, name).filter(|p| p.rise == 0)?.length,
        None => 1,
    };
    let rise = floor_mod(index.rise, LINE) * i128::from(access.bytes());
    let lines = index.length.checked_mul(floor_div(LINE, gcd(rise, LINE).max(1)))?;
    lcm(lines, gate)
}

/// `access`, extended by all conditions of the domain other than constant ranges.
pub(super) fn gated(access: &Access, facts: &[VarFacts], domain: &Domain) -> Access {
    let mut conditions: Vec<Expr> = domain.assumptions().to_vec();
    for fact in facts {
        let name = var(fact.name.clone());
        conditions.extend(fact.lower.as_ref().map(|l| name.ge(l)));
        conditions.extend(fact.upper.as_ref().map(|u| name.le(u)));
    }
    // the conditions come before the gate, because the gate may have no value where they fail
    conditions.extend(access.gate().cloned());
    match conditions.into_iter().reduce(|a, b| a.and(b)) {
        Some(gate) => access.clone().when(gate),
        None => access.clone(),
    }
}

/// The variables that occur in `roots`.
pub(super) fn used(roots: &[Expr]) -> BTreeSet<Arc<str>> {
    Dag::new(roots).variables().cloned().collect()
}

/// A value of a uniform variable, and all values that cost the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    name: Arc<str>,
    value: i64,
    /// The distance between values that cost the same. `None` if there is only one value.
    modulus: Option<i64>,
}

impl Residue {
    /// The variable.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The least value.
    pub fn value(&self) -> i64 {
        self.value
    }

    /// The distance between the values. `None` if there is only one value.
    pub fn modulus(&self) -> Option<i64> {
        self.modulus
    }

    /// `domain`, in which the variable is restricted to the values of this residue.
    pub fn within(&self, domain: &Domain) -> Domain {
        match self.modulus {
            Some(modulus) => {
                let residue = floor_mod(self.value.into(), modulus.into()) as i64;
                domain.clone().stride(self.name.clone(), modulus, residue)
            }
            None => domain.clone().and(&Domain::new().with(self.name.clone(), self.value..=self.value)),
        }
    }
}

impl fmt::Display for Residue {
    /// Writes the values, such as `pid%8 == 3` or `pid == 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.modulus {
            Some(modulus) => {
                write!(f, "{}%{modulus} == {}", self.name, floor_mod(self.value.into(), modulus.into()))
            }
            None => write!(f, "{} == {}", self.name, self.value),
        }
    }
}

/// One value of each uniform variable, and the number of combinations that have the same costs.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// The values of all variables.
    pub(super) values: Vec<(Arc<str>, i64)>,
    /// The values of the variables for which more than one value matters.
    pub(super) residues: Vec<Residue>,
    pub(super) times: u128,
}

impl Point {
    /// `e` with the values substituted for the variables.
    pub(super) fn put_in(&self, e: &Expr) -> Expr {
        self.values.iter().fold(e.clone(), |e, (name, value)| substituted(&e, name, &int(*value)))
    }
}

/// The points of the uniform variables at which accesses over `variable` must be evaluated, at most `limit`. Also
/// returns the accesses with the conditions of the domain.
pub(super) fn points(
    accesses: &[Access],
    variable: &str,
    domain: &Domain,
    limit: u64,
) -> Result<(Vec<Point>, Vec<Access>), CoalesceError> {
    let roots: Vec<Expr> = accesses.iter().flat_map(|a| std::iter::once(a.index()).chain(a.gate())).cloned().collect();
    let domain = &*domain.seen_from(&roots);
    let facts = domain.resolve().map_err(|e| CoalesceError::Simplify(e.into()))?;
    let accesses: Vec<Access> = accesses.iter().map(|a| gated(a, &facts, domain)).collect();
    let used = used(&accesses.iter().flat_map(|a| a.roots()).collect::<Vec<Expr>>());
    let mut axes = Vec::new();
    for fact in facts.iter().filter(|f| &*f.name != variable && used.contains(&f.name)) {
        axes.push(Axis::new(fact)?.recurring(&accesses));
    }
    let count = axes.iter().try_fold(1_u64, |n, a| n.checked_mul(a.kept)).filter(|n| *n <= limit);
    let count = count.ok_or_else(|| {
        let name = axes.iter().max_by_key(|a| a.kept).map_or_else(|| variable.into(), |a| a.name.clone());
        CoalesceError::Values { name, limit }
    })?;
    let point = |number: u64| {
        let (mut rest, mut times) = (i128::from(number), 1_u128);
        let (mut values, mut residues) = (Vec::with_capacity(axes.len()), Vec::new());
        for axis in &axes {
            let at = floor_mod(rest, axis.kept.max(1).into()) as u64;
            rest = floor_div(rest, axis.kept.max(1).into());
            times = times.saturating_mul(axis.times(at).into());
            // a value is in the range of its variable, so the conversion succeeds
            let value = i64::try_from(axis.value(at)).unwrap_or(i64::MAX);
            values.push((axis.name.clone(), value));
            if axis.kept > 1 {
                residues.push(Residue { name: axis.name.clone(), value, modulus: axis.modulus() });
            }
        }
        Point { values, residues, times }
    };
    Ok(((0..count).map(point).collect(), accesses))
}
