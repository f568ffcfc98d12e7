//! Accesses in the form in which their text computes them.

use super::Access;
use super::prices::FactsByGate;
use super::scopes::Scopes;
use super::shape::{Ranges, Shape};
use crate::domain::Interval;
use crate::expr::offset::split_offset;
use crate::simplify::{Settings, SimplifyError};

/// Accesses in the form in which their text computes them.
pub(super) struct Printed {
    pub(super) shape: Shape,
    /// For each access, the constant that is added to the index of each lane.
    pub(super) offsets: Vec<Vec<i64>>,
    pub(super) facts: Ranges,
}

/// The largest constant that moves a pointer, in elements. A memory instruction holds an offset of up to 2^23 bytes,
/// and an element has up to 16 bytes.
const MAX_OFFSET: u64 = 1 << 19;

/// The accesses in the form in which their text computes them. The constants that move a pointer, as in `(in + 3)[i]`,
/// are removed from the indices. The indices of accesses after the first `count` are values, not addresses, so they
/// keep their constants.
pub(super) fn printed(
    settings: &Settings,
    accesses: &[Access],
    count: usize,
    scopes: &Scopes,
) -> Result<Printed, SimplifyError> {
    let (mut bare, mut offsets) = (accesses.to_vec(), Vec::with_capacity(accesses.len()));
    for (access, at) in bare.iter_mut().zip(0..) {
        let split = access.lanes.iter_mut().map(|lane| {
            let (rest, offset) = split_offset(lane);
            let moves = at < count && offset.unsigned_abs() <= MAX_OFFSET && rest.as_const().is_none();
            if moves {
                *lane = rest;
            }
            if moves { offset } else { 0 }
        });
        offsets.push(split.collect());
    }
    let shape = Shape::new(&bare, scopes);
    let mut known = FactsByGate::new(settings, scopes);
    let facts = known.of(&shape)?;
    // without its constant, a sum may need 64 bits where the whole sum needs only 32. In that case, the constants stay
    // in the indices of all accesses
    let is_int = |i: &Interval| i.fits_i32();
    if shape.all_roots(&facts, is_int) {
        return Ok(Printed { shape, offsets, facts });
    }
    let (shape, offsets) = (Shape::new(accesses, scopes), accesses.iter().map(|a| vec![0; a.lanes.len()]).collect());
    let facts = known.of(&shape)?;
    Ok(Printed { shape, offsets, facts })
}
