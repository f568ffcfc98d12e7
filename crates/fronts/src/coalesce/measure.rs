//! What an access of a kernel costs as it is written, over all of its warps.

use super::access::{Access, ELEMENTS, address};
use super::error::CoalesceError;
use super::traffic::{Meter, Traffic, Warp};
use quaff::domain::{Domain, VarFacts};
use quaff::expr::{Dag, Expr, var};
use quaff::integer::{floor_div, floor_mod, gcd, lcm};
use quaff::quasi::Period;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bytes of a line: what moves all addresses by a multiple of them changes no cost.
const LINE: i128 = 128;

/// What an access costs over all values of its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Of all warps together.
    pub traffic: Traffic,
    /// How many combinations of values of the other variables than the lane were looked at; the others repeat them.
    pub points: u64,
}

/// What `access` costs when `lane` counts the threads of a block, which access together in warps of `warp`, at all values of the other
/// variables: steps, blocks. Exact over the domain.
///
/// A lane for which an assumption of the domain, a range with symbolic ends or the gate does not hold costs nothing. A variable is only
/// followed until all addresses recur, moved by whole lines: of a block that is outside of all quotients or moves them by whole
/// periods, one value or a few stand for all.
///
/// ```
/// use quaff_fronts::coalesce::{Access, Warp, measure};
/// use quaff::domain::Domain;
///
/// let domain = Domain::new().with("t", 0..256).with("block", 0..1_000_000);
/// let access = Access::new("(block*256 + t)%64*1024 + (block*256 + t)//64".parse()?, 4)?;
/// let measured = measure(&access, "t", &domain, Warp::default())?;
/// assert_eq!((measured.points, measured.traffic.sectors), (8, 256_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`CoalesceError`]: a variable without a range, an index without value, more than 4,194,304 addresses.
pub fn measure(access: &Access, lane: &str, domain: &Domain, warp: Warp) -> Result<Measured, CoalesceError> {
    access.fits(warp)?;
    let roots: Vec<Expr> = std::iter::once(access.index()).chain(access.gate()).cloned().collect();
    let domain = &*domain.seen_from(&roots);
    let facts = domain.resolve().map_err(|e| CoalesceError::Simplify(e.into()))?;
    let gated = gated(access, &facts, domain);
    let roots: Vec<Expr> = std::iter::once(gated.index()).chain(gated.gate()).cloned().collect();
    let dag = Dag::new(&roots);
    let used: BTreeSet<&str> = dag.variables().map(|name| &**name).collect();
    let (mut lanes, mut axes) = (None, Vec::new());
    for fact in &facts {
        let axis = Axis::new(fact)?;
        if &*fact.name == lane {
            lanes = Some(axis);
        } else if used.contains(&*fact.name) {
            axes.push(axis.recurring(&gated));
        } else {
            // every value repeats the first one
            axes.push(Axis { kept: axis.kept.min(1), ..axis });
        }
    }
    let lanes = lanes.ok_or_else(|| CoalesceError::Open { name: lane.into() })?;
    let points = axes.iter().try_fold(1_u64, |n, a| n.checked_mul(a.kept)).unwrap_or(u64::MAX);
    let addresses = u128::from(points) * u128::from(lanes.kept);
    if addresses > ELEMENTS.into() {
        return Err(CoalesceError::TooMany { n: addresses, limit: ELEMENTS });
    }
    let names: Vec<&str> = std::iter::once(&lanes).chain(&axes).map(|a| &*a.name).collect();
    let program = gated.program(&names)?;
    let (mut meter, mut buffer, mut group) = (Meter::default(), Vec::new(), Vec::with_capacity(warp.group()));
    let mut total = Traffic::default();
    let mut point = vec![0; names.len()];
    for number in 0..points {
        let mut rest = i128::from(number);
        let mut times = u128::from(access.weight());
        for (slot, axis) in point[1..].iter_mut().zip(&axes) {
            let at = floor_mod(rest, axis.kept.max(1).into()) as u64;
            rest = floor_div(rest, axis.kept.max(1).into());
            *slot = axis.value(at);
            times = times.saturating_mul(axis.times(at).into());
        }
        for first in (0..lanes.kept).step_by(warp.group()) {
            group.clear();
            for t in first..lanes.kept.min(first + warp.group() as u64) {
                point[0] = lanes.value(t);
                let at = || shown(&names, &point);
                group.push(address(program.eval_into(&point, &mut buffer), at)?);
            }
            total += meter.group(&group, access.bytes(), warp).times(times);
        }
    }
    Ok(Measured { traffic: total, points })
}

/// `access` where all conditions of the domain hold that say more than constant ranges.
fn gated(access: &Access, facts: &[VarFacts], domain: &Domain) -> Access {
    let mut conditions: Vec<Expr> = domain.assumptions().to_vec();
    for fact in facts {
        let name = var(fact.name.clone());
        conditions.extend(fact.lower.as_ref().map(|l| name.ge(l)));
        conditions.extend(fact.upper.as_ref().map(|u| name.le(u)));
    }
    // conditions first: where they fail, the gate need not have a value
    conditions.extend(access.gate().cloned());
    match conditions.into_iter().reduce(|a, b| a.and(b)) {
        Some(gate) => access.clone().when(gate),
        None => access.clone(),
    }
}

fn shown(names: &[&str], point: &[i128]) -> String {
    let values: Vec<String> = names.iter().zip(point).map(|(n, v)| format!("{n} = {v}")).collect();
    format!("at {}", values.join(", "))
}

/// A variable and its values `first + step*k` for `k` in `0..count`, of which the first `kept` stand for all.
#[derive(Clone, Debug)]
struct Axis {
    name: Arc<str>,
    first: i128,
    step: i128,
    count: u64,
    kept: u64,
}

impl Axis {
    fn new(fact: &VarFacts) -> Result<Axis, CoalesceError> {
        let (low, high) = fact.interval.bounded().ok_or_else(|| CoalesceError::Open { name: fact.name.clone() })?;
        let step = i128::from(fact.congruence.modulus()).max(1);
        let (low, high) = (i128::from(low), i128::from(high));
        let count = u64::try_from(floor_div(high - low, step) + 1).unwrap_or(u64::MAX);
        Ok(Axis { name: fact.name.clone(), first: low, step, count, kept: count })
    }

    /// Cut after the values after which all addresses recur, moved by whole lines.
    fn recurring(self, access: &Access) -> Axis {
        let period = || {
            let index = Period::of(access.index(), &self.name)?;
            let gate = access
                .gate()
                .map_or(Some(1), |g| Period::of(g, &self.name).filter(|p| p.rise == 0).map(|p| p.length))?;
            let rise = floor_mod(index.rise, LINE) * i128::from(access.bytes());
            let lines = index.length.checked_mul(floor_div(LINE, gcd(rise, LINE).max(1)))?;
            lcm(lcm(lines, gate)?, self.step)
        };
        let kept = period().and_then(|p| u64::try_from(floor_div(p, self.step)).ok());
        Axis { kept: kept.map_or(self.count, |k| k.clamp(1, self.count.max(1))), ..self }
    }

    fn value(&self, k: u64) -> i128 {
        self.first + self.step * i128::from(k)
    }

    /// How many values recur at `k`, itself among them.
    fn times(&self, k: u64) -> u64 {
        (self.count.saturating_sub(k)).div_ceil(self.kept.max(1))
    }
}
