//! Measures an access of a kernel as it is written, over all of its warps.

use super::access::{Access, ELEMENTS, address};
use super::error::CoalesceError;
use super::traffic::{Meter, Traffic, Warp};
use super::uniform::{Axis, gated, used};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::integer::{floor_div, floor_mod};

/// The cost of an access over all values of its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The traffic of all warps together.
    pub traffic: Traffic,
    /// The number of evaluated combinations of values of the variables other than the lane. Any other combination has
    /// the addresses of one of these, shifted by whole lines.
    pub points: u64,
}

/// The cost of `access` at all values of its variables, exact over the domain. `lane` counts the threads of a block,
/// which access memory together in warps of `warp`. The other variables are steps or blocks.
///
/// A lane costs nothing if an assumption of the domain, a range with symbolic ends or the gate does not hold. The
/// values of a variable are enumerated only until all addresses recur, shifted by whole cache lines. For example, a
/// block number that occurs outside of all quotients needs few values.
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
/// [`CoalesceError::Open`] for a variable without a range, [`CoalesceError::NoValue`] for an index without a value, and
/// [`CoalesceError::TooMany`] for more than 4,194,304 addresses.
pub fn measure(access: &Access, lane: &str, domain: &Domain, warp: Warp) -> Result<Measured, CoalesceError> {
    access.fits(warp)?;
    let roots: Vec<Expr> = std::iter::once(access.index()).chain(access.gate()).cloned().collect();
    let domain = &*domain.seen_from(&roots);
    let facts = domain.resolve().map_err(|e| CoalesceError::Simplify(e.into()))?;
    let gated = gated(access, &facts, domain);
    let roots: Vec<Expr> = std::iter::once(gated.index()).chain(gated.gate()).cloned().collect();
    let used = used(&roots);
    let (mut lanes, mut axes) = (None, Vec::new());
    for fact in &facts {
        let axis = Axis::new(fact)?;
        if &*fact.name == lane {
            lanes = Some(axis);
        } else if used.contains(&fact.name) {
            axes.push(axis.recurring(std::slice::from_ref(&gated)));
        } else {
            // the access does not depend on this variable, so one value is enough
            axes.push(axis.of_no_use());
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

fn shown(names: &[&str], point: &[i128]) -> String {
    let values: Vec<String> = names.iter().zip(point).map(|(n, v)| format!("{n} = {v}")).collect();
    format!("at {}", values.join(", "))
}
