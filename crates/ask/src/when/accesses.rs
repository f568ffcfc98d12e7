//! The conditions on sizes under which one access can cover a vector of lanes, or under which two accesses are
//! disjoint.

use super::{Wanted, When};
use crate::AskError;
use crate::lanes::{grouped, lane_count};
use crate::others::other_access;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::substitute::substituted;
use quaff::expr::{Expr, var};
use quaff::integer::floor_mod;

/// The weakest simple conditions on `sizes` under which one access covers `width` neighbouring lanes, as in
/// [`widest_vector`](crate::widest_vector).
///
/// Under these conditions, the index is contiguous in these lanes, and begins at a multiple of `width`. The mask has
/// the same value in all of these lanes.
///
/// The conditions are those of [`when`](super::when()), in the same order, at the same cost.
///
/// ```
/// use quaff::{Simplifier, domain::Domain};
/// use quaff_ask::when_vector;
///
/// let domain: Domain = "row=0..99, t=0..127, ld=1..4096, n=1..4096".parse()?;
/// let (index, mask) = ("row*ld + t".parse()?, "t < n".parse()?);
/// let found = when_vector(&Simplifier::default(), &index, Some(&mask), ("t", 4), &["ld", "n"], &domain)?;
/// assert_eq!(found[0].test().to_string(), "ld%4 == 0 and n%4 == 0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Lane`] or [`AskError::Step`] if the range of the lane is not `0..n-1`, and [`AskError::Width`] if
/// `width` does not divide the number of lanes. [`AskError::Twice`] if the lane is a size, and the errors of
/// [`when`](super::when()).
pub fn when_vector(
    simplifier: &Simplifier,
    index: &Expr,
    mask: Option<&Expr>,
    (lane, width): (&str, i64),
    sizes: &[&str],
    domain: &Domain,
) -> Result<Vec<When>, AskError> {
    let count = lane_count(lane, domain)?;
    if width < 1 || floor_mod(count.into(), width.into()) != 0 {
        return Err(AskError::Width { width, count });
    }
    if sizes.contains(&lane) {
        return Err(AskError::Twice { name: lane.into() });
    }
    let conditions = |start: &Expr, offset: &Expr| {
        let at = |e: &Expr, lane_is: &Expr| substituted(e, lane, lane_is);
        let (own, first) = (start + offset, at(index, start));
        let alike = mask.map(|mask| at(mask, &own).equals(at(mask, start)));
        let begins = first.floor_mod(width).equals(0);
        [at(index, &own).equals(first + offset), begins].into_iter().chain(alike).collect::<Vec<Expr>>()
    };
    let (groups, start, offset) = grouped(domain, lane, count, width);
    let offset_of_lane = var(lane).floor_mod(width);
    let seen = conditions(&(var(lane) - &offset_of_lane), &offset_of_lane);
    let seen = seen.into_iter().reduce(|all, next| all.and(next)).unwrap_or_else(|| 1.into());
    let proved = conditions(&start, &offset);
    Wanted { simplifier, proved: (&proved, &groups), seen: (&seen, domain) }.when(sizes)
}

/// The weakest simple conditions on `sizes` under which two accesses have no address in common. Each access has its own
/// values of the inputs, as in [`disjoint`](crate::disjoint()).
///
/// The conditions are those of [`when`](super::when()), in the same order, at the same cost.
///
/// ```
/// use quaff::{Simplifier, domain::Domain};
/// use quaff_ask::when_disjoint;
///
/// let domain: Domain = "t=0..31, d=0..99".parse()?;
/// let found = when_disjoint(&Simplifier::default(), &"t".parse()?, &"t + d".parse()?, &["t"], &["d"], &domain)?;
/// assert_eq!((found[0].test().to_string().as_str(), found[0].necessary), ("32 <= d", Some(true)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Twice`] if an input is given twice or is also a size, and the errors of [`when`](super::when()).
pub fn when_disjoint(
    simplifier: &Simplifier,
    a: &Expr,
    b: &Expr,
    inputs: &[&str],
    sizes: &[&str],
    domain: &Domain,
) -> Result<Vec<When>, AskError> {
    if let Some(name) = sizes.iter().find(|name| inputs.contains(name)) {
        return Err(AskError::Twice { name: (*name).into() });
    }
    let (other, both) = other_access(b, inputs, domain)?;
    let apart = a.differs(other);
    Wanted { simplifier, proved: (std::slice::from_ref(&apart), &both), seen: (&apart, &both) }.when(sizes)
}
